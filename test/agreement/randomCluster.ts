/** Random clusters as a user would write them: pools, and manifests of pods and DaemonSets. */
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import type { Taint } from '../../shared/model/taint.ts'
import { catalog } from '../builders/catalog.ts'
import { nodePool } from '../builders/nodePool.ts'
import { createRandom, type Random } from './random.ts'

export type Manifest = { readonly metadata: { readonly name: string }; readonly spec: PodSpec }
export type PodSpec = { readonly [field: string]: unknown }

export type RandomCluster = {
  readonly seed: number
  readonly pools: readonly NodePool[]
  readonly types: readonly InstanceType[]
  readonly pods: readonly Manifest[]
  /** The pods that the DaemonSets make, one for each DaemonSet. */
  readonly daemons: readonly Manifest[]
}

const ARCH = 'kubernetes.io/arch'
const ZONE = 'topology.kubernetes.io/zone'
const CAPACITY = 'karpenter.sh/capacity-type'
const SIZE = 'node.kubernetes.io/instance-type'
const TEAM = 'constructor'
const CPUS = 'karpenter.azure.com/sku-cpu'
const TEAMS = ['red', 'blue', 'green']
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
const TAINTS: readonly Taint[] = [
  { key: 'constructor', value: 'toString', effect: 'NoSchedule' },
  { key: 'hasOwnProperty', effect: 'NoExecute' },
  { key: 'example.com/rather-not', value: 'x', effect: 'PreferNoSchedule' },
]

export function randomCluster(seed: number): RandomCluster {
  const random = createRandom(seed)
  const types = random.some(catalog(), 0.4)
  return {
    seed,
    pools: Array.from({ length: 1 + random.int(3) }, (_, index) => randomPool(random, `pool-${index}`)),
    types: types.length > 0 ? types : catalog().slice(0, 1),
    pods: Array.from({ length: 2 + random.int(9) }, (_, index) => randomPod(random, `pod-${index}`)),
    daemons: Array.from({ length: random.int(3) }, (_, index) => randomDaemon(random, `daemon-${index}`)),
  }
}

function randomPool(random: Random, name: string): NodePool {
  const requirements: RequirementSpec[] = []
  if (random.chance(0.5)) requirements.push({ key: ARCH, operator: 'In', values: random.chance(0.8) ? ['amd64'] : ['amd64', 'arm64'] })
  if (random.chance(0.3)) requirements.push({ key: ZONE, operator: random.pick(['In', 'NotIn']), values: [random.pick(ZONES)] })
  if (random.chance(0.4)) requirements.push({ key: CAPACITY, operator: 'In', values: [random.pick(['spot', 'on-demand'])] })
  if (random.chance(0.3)) requirements.push({ key: TEAM, operator: 'In', values: random.some(TEAMS, 0.6) })
  if (random.chance(0.2)) requirements.push({ key: CPUS, operator: random.pick(['Gt', 'Lt']), values: [random.pick(['2', '4', '8'])] })
  return nodePool({
    name,
    weight: random.int(3) * 10,
    template: {
      requirements: requirements.filter((each) => each.values.length > 0),
      labels: random.chance(0.3) ? { hasOwnProperty: random.pick(['web', 'data']) } : {},
      taints: random.some(TAINTS, 0.2),
    },
  })
}

function randomPod(random: Random, name: string): Manifest {
  const spec: { [field: string]: unknown } = {
    containers: containers(random),
    tolerations: tolerations(random),
    terminationGracePeriodSeconds: 0,
  }
  if (random.chance(0.35)) spec['nodeSelector'] = Object.fromEntries([randomSelector(random)])
  if (random.chance(0.35)) {
    const nodeSelectorTerms = Array.from({ length: 1 + random.int(2) }, () => ({ matchExpressions: expressions(random) }))
    spec['affinity'] = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
  }
  if (random.chance(0.1)) spec['initContainers'] = initContainers(random)
  if (random.chance(0.1)) Object.assign(spec, random.pick(UNSUPPORTED))
  return { metadata: { name }, spec }
}

/** Rules about other pods and host ports. A tenth of the pods gets one. */
const UNSUPPORTED: readonly PodSpec[] = [
  {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'x' } } },
    ],
  },
  {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
        ],
      },
    },
  },
  {
    containers: [
      { name: 'main', image: 'pause', ports: [{ containerPort: 80, hostPort: 8080 }], resources: { requests: { cpu: '100m' } } },
    ],
  },
]

function containers(random: Random): readonly object[] {
  return Array.from({ length: 1 + random.int(2) }, (_, index) => ({ name: `c${index}`, image: 'pause', resources: resources(random) }))
}

/** An init container: either an ordinary one that ends before the others start, or a sidecar (`restartPolicy: Always`). */
function initContainers(random: Random): readonly object[] {
  const stays = random.chance(0.5) ? { restartPolicy: 'Always' } : {}
  return [{ name: 'init', image: 'pause', resources: { requests: { cpu: random.pick(['100m', '1', '3']), memory: '256Mi' } }, ...stays }]
}

function resources(random: Random): object {
  const requests = {
    cpu: random.pick(['50m', '250m', '1', '1500m', '3', '7', '40']),
    memory: random.pick(['64Mi', '1Gi', '3Gi', '14G', '30Gi']),
  }
  return random.chance(0.2) ? { requests, limits: requests } : { requests }
}

function tolerations(random: Random): readonly object[] {
  const exact = random
    .some(TAINTS, 0.3)
    .map(({ key, value, effect }) => ({ key, effect, ...(value === undefined ? { operator: 'Exists' } : { value }) }))
  return random.chance(0.1) ? [{ operator: 'Exists' }] : exact
}

const SELECTABLE: readonly (readonly [string, readonly string[]])[] = [
  [ARCH, ['amd64', 'arm64']],
  [ZONE, ZONES],
  [CAPACITY, ['spot', 'on-demand']],
  [SIZE, ['Standard_D4as_v6', 'Standard_E8as_v6', 'Standard_X1']],
  [TEAM, [...TEAMS, 'nobody']],
  ['hasOwnProperty', ['web', 'data', 'none']],
  [CPUS, ['2', '8']],
]

function randomSelector(random: Random): readonly [string, string] {
  const [key, values] = random.pick(SELECTABLE)
  return [key, random.pick(values)]
}

function expressions(random: Random): readonly object[] {
  return Array.from({ length: 1 + random.int(2) }, () => {
    const [key, values] = random.pick(SELECTABLE)
    const operator = random.pick(key === CPUS ? ['In', 'Gt', 'Lt'] : ['In', 'NotIn', 'Exists', 'DoesNotExist'])
    if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator }
    const chosen = random.some(values, 0.6)
    return { key, operator, values: operator === 'Gt' || operator === 'Lt' || chosen.length === 0 ? values.slice(0, 1) : chosen }
  })
}

function randomDaemon(random: Random, name: string): Manifest {
  const cpu = random.pick(['50m', '200m', '1'])
  const spec: { [field: string]: unknown } = {
    // In a pod template, a limit alone stands for the request. In pods, the API server has filled in the request.
    containers: [{ name: 'agent', image: 'pause', resources: { [random.chance(0.3) ? 'limits' : 'requests']: { cpu, memory: '128Mi' } } }],
    tolerations: tolerations(random),
    terminationGracePeriodSeconds: 0,
  }
  if (random.chance(0.3)) spec['nodeSelector'] = { [ARCH]: random.pick(['amd64', 'arm64']) }
  return { metadata: { name }, spec }
}
