import type { Node } from '../cluster/client/objects.ts'
import { SIMULATED_ANNOTATION } from '../cluster/nodes/cloudNode.ts'
import { timestamp } from '../cluster/podState.ts'
import type { Machine } from '../machine.ts'
import type { BootConfig } from './bootConfig.ts'

export type Arch = 'amd64' | 'arm64'
export type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number]

export type NodeFacts = {
  readonly machine: Machine
  readonly boot: BootConfig
  readonly name: string
  readonly address: string
  /** The part (0 to 1) of the memory that the hypervisor and firmware keep. */
  readonly memoryOverhead: number
  readonly now: number
}

/** Returns the architecture of a size. The names of Arm sizes have a `p` among their features: `Standard_D4ps_v5`. */
export function archOfSize(size: string): Arch {
  const features = /^(?:Standard|Basic)_[A-Z]+[0-9]+(?:-[0-9]+)?([a-z]*)/.exec(size)?.[1] ?? ''
  return features.includes('p') ? 'arm64' : 'amd64'
}

/** Returns `azure://` and the resource id with the resource group in lower case, as the cloud provider writes it. */
export function providerIdOf(machineId: string): string {
  return `azure://${machineId.replace(/\/resourceGroups\/[^/]+/i, (group) => `/resourceGroups/${group.slice('/resourceGroups/'.length).toLowerCase()}`)}`
}

/** Returns the node as the kubelet registers it: not ready, and with taints that keep pods away. */
export function newNode(facts: NodeFacts): object {
  const { machine, boot } = facts
  return {
    metadata: {
      name: facts.name,
      labels: nodeLabels(facts),
      annotations: { [SIMULATED_ANNOTATION]: 'true', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {
      providerID: providerIdOf(machine.id),
      taints: [
        ...boot.settings.taints,
        { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
      ],
    },
    status: nodeStatus(facts, false),
  }
}

function nodeLabels({ machine, boot, name }: NodeFacts): { readonly [key: string]: string } {
  const arch = archOfSize(machine.size)
  const zone = machine.zone === undefined ? '0' : `${machine.location}-${machine.zone}`
  return {
    ...boot.labels,
    'beta.kubernetes.io/arch': arch,
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/instance-type': machine.size,
    'failure-domain.beta.kubernetes.io/region': machine.location,
    'failure-domain.beta.kubernetes.io/zone': zone,
    'kubernetes.io/arch': arch,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': machine.size,
    'topology.kubernetes.io/region': machine.location,
    'topology.kubernetes.io/zone': zone,
  }
}

export function nodeStatus(facts: NodeFacts, gpusReady: boolean): NonNullable<Node['status']> {
  const amounts = amountsOf(facts, gpusReady)
  return {
    ...amounts,
    addresses: [
      { type: 'InternalIP', address: facts.address },
      { type: 'Hostname', address: facts.name },
    ],
    conditions: nodeConditions(facts.now, { ready: false, message: NOT_READY_MESSAGE }),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: archOfSize(facts.machine.size),
      operatingSystem: 'linux',
      kubeletVersion: `v${facts.boot.version.text}`,
      kubeProxyVersion: '',
      containerRuntimeVersion: 'containerd://2.0.0',
      osImage: 'simulated machine',
      kernelVersion: '6.8.0-azure',
      machineID: facts.name,
      systemUUID: facts.name,
      bootID: facts.machine.bootId,
    },
  }
}

const NOT_READY_MESSAGE =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized'

const PRESSURES = [
  { type: 'MemoryPressure', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
]

type NodeState = {
  readonly ready: boolean
  readonly message?: string
  /**
   * In epoch milliseconds: since when the node has been ready or not ready, and since when it has had no pressure. Undefined stands for the time of
   * the report.
   */
  readonly readySince?: number
  readonly noPressureSince?: number
}

export function nodeConditions(now: number, state: NodeState): NodeCondition[] {
  const { readySince = now, noPressureSince = now } = state
  const ready = {
    type: 'Ready',
    status: state.ready ? 'True' : 'False',
    reason: state.ready ? 'KubeletReady' : 'KubeletNotReady',
    message: state.message ?? 'kubelet is posting ready status',
  }
  return [...PRESSURES.map((each) => ({ ...each, status: 'False' })), ready].map((each) => ({
    ...each,
    lastHeartbeatTime: timestamp(now),
    lastTransitionTime: timestamp(each === ready ? readySince : noPressureSince),
  }))
}

const KI = 1024
const DEFAULT_DISK_BYTES = 128e9

type AmountLists = { readonly capacity: { readonly [name: string]: string }; readonly allocatable: { readonly [name: string]: string } }

/** The capacity of the machine, and what the reservations of the kubelet leave for pods. */
function amountsOf({ machine, boot, memoryOverhead }: NodeFacts, gpusReady: boolean): AmountLists {
  const { reserved, eviction, maxPods } = boot.settings
  const cpu = machine.cpus * 1000
  const memory = Math.floor((machine.memoryBytes * (1 - memoryOverhead)) / KI) * KI
  const disk = machine.osDiskBytes ?? DEFAULT_DISK_BYTES
  const gpus: { readonly [name: string]: string } = gpusReady && machine.gpus > 0 ? { 'nvidia.com/gpu': String(machine.gpus) } : {}
  const keptMemory = (reserved['memory'] ?? 0) + eviction.memoryBytes + eviction.memoryPart * memory
  const keptDisk = (reserved['ephemeral-storage'] ?? 0) + eviction.diskPart * disk
  const left = (amount: number) => Math.max(0, Math.floor(amount))
  return {
    capacity: {
      cpu: String(machine.cpus),
      memory: `${memory / KI}Ki`,
      'ephemeral-storage': `${left(disk / KI)}Ki`,
      pods: String(maxPods),
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      ...gpus,
    },
    allocatable: {
      cpu: `${left(cpu - (reserved['cpu'] ?? 0))}m`,
      memory: `${left((memory - keptMemory) / KI)}Ki`,
      'ephemeral-storage': String(left(disk - keptDisk)),
      pods: String(maxPods),
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      ...gpus,
    },
  }
}
