/** A node as kube-scheduler will see it: an existing node, a claim in flight, or one of the machines that a claim may become. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim, NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { DaemonSet } from '../../shared/model/workloads.ts'
import { isGoneFrom, isOfDaemonSet, isPassing, runsOn, toleratesAll } from './kubernetesRules.ts'
import { allocatable, type Outcome, outcomesOf } from './outcomes.ts'

export type NodeView = {
  readonly name: string
  /** The name of the node in messages. */
  readonly title: string
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly allocatable: Resources
  readonly bound: readonly Pod[]
  /** The pods of all DaemonSets that would run on the node. */
  readonly daemons: readonly Pod[]
  /** The machine does not exist yet. All its DaemonSet pods come with it, so their host ports are taken before any other pod is bound. */
  readonly isNew: boolean
  /** The machine may join at any time. Its node counts only after its first pod is bound. */
  readonly mayJoinLater: boolean
  /** Attach limits by driver. */
  readonly diskLimits: { readonly [driver: string]: number }
}

/** A node and the pods bound to it so far. */
export type SimulatedNode = {
  readonly view: NodeView
  readonly pods: Pod[]
  /** The pods on the node that have anti-affinity. */
  readonly keepers: Pod[]
  /** The DaemonSet pods that joined with a new machine, before any other pod. */
  readonly daemons: Pod[]
}

const DISK_DRIVER = 'disk.csi.azure.com'
const HOST = 'kubernetes.io/hostname'

/** The views of every machine that a claim may become. */
export function viewsOfClaim(snapshot: ClusterSnapshot, name: string, spec: NodeClaimSpec, labels: Labels): readonly NodeView[] {
  const outcomes = outcomesOf(snapshot, spec, labels)
  // A launch takes what is for sale. A claim that is launched already may be of an offering that is no longer sold.
  const sold = outcomes.filter(({ isForSale }) => isForSale)
  return (sold.length > 0 ? sold : outcomes).map((outcome) => viewOfOutcome(snapshot, name, spec, outcome))
}

/** The view of a node without a claim, or of a claim's node at its present stage. */
export function viewOfNode(snapshot: ClusterSnapshot, node: Node): NodeView {
  const { objects } = snapshot
  const claim = objects.nodeClaim.find((each) => node.providerId !== undefined && each.status.providerId === node.providerId)
  const isInitialized = claim === undefined || node.meta.labels['karpenter.sh/initialized'] === 'true'
  const isRegistered = claim === undefined || node.meta.labels['karpenter.sh/registered'] === 'true'
  const coming = isInitialized ? {} : { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' }
  const labels = { [HOST]: node.name, ...(isRegistered ? node.meta.labels : claim.meta.labels), ...coming }
  const standing = isRegistered ? withCordon(node) : claim.spec.taints
  const taints = isInitialized ? standing : standing.filter((taint) => !isPassing(taint, claim.spec))
  const bound = objects.pod.filter((pod) => pod.nodeName === node.name && !isGoneFrom(pod))
  const csi = objects.csiNode.find((each) => each.name === node.name)
  return {
    name: node.name,
    title: `node ${node.name}`,
    labels,
    taints,
    allocatable: isInitialized ? node.allocatable : { ...claim.status.allocatable, ...reported(node) },
    bound,
    daemons: daemonsOn(snapshot, labels, taints),
    isNew: false,
    mayJoinLater: false,
    diskLimits: { ...(csi?.unlimited?.includes(DISK_DRIVER) === true ? {} : disksOfClaim(snapshot, claim)), ...csi?.limits },
  }
}

/** The view of a launched claim without a node. Its machine is known. */
export function viewOfLaunched(snapshot: ClusterSnapshot, claim: NodeClaim): NodeView {
  const labels: Labels = {
    ...claim.meta.labels,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    [HOST]: claim.name,
  }
  const { taints } = claim.spec
  const type = snapshot.instanceTypes
    .get(claim.spec.nodeClassRef.name)
    ?.find((each) => each.name === labels['node.kubernetes.io/instance-type'])
  const known = claim.status.allocatable
  return {
    name: claim.name,
    title: `claim ${claim.name}`,
    labels,
    taints,
    allocatable: Object.keys(known).length > 0 || type === undefined ? known : allocatable(type),
    bound: [],
    daemons: daemonsOn(snapshot, labels, taints),
    isNew: false,
    mayJoinLater: true,
    diskLimits: disksOfClaim(snapshot, claim),
  }
}

export function daemonRuns(set: DaemonSet, labels: Labels, taints: readonly Taint[]): boolean {
  return runsOn(set.pod, labels) && toleratesAll(set.pod.tolerations, taints)
}

/** The DaemonSet pods that are bound to a new machine before any other pod, unless anti-affinity of pods elsewhere keeps them out. */
export function daemonsBefore({ isNew, daemons }: NodeView): readonly Pod[] {
  return isNew ? daemons : []
}

/** The newest pod of the DaemonSet, which admission may have changed. Without a pod, the one that the template makes. */
function newestOf(set: DaemonSet, pods: readonly Pod[]): Pod {
  const own = pods.filter((pod) => isOfDaemonSet(pod) && pod.owner?.uid === set.uid)
  return own.reduce((newest, pod) => (pod.createdAt > newest.createdAt || newest === set.pod ? pod : newest), set.pod)
}

function viewOfOutcome(snapshot: ClusterSnapshot, name: string, spec: NodeClaimSpec, { type, offering, labels }: Outcome): NodeView {
  const all = { [HOST]: name, ...labels }
  return {
    name,
    title: `claim ${name} as ${type.name} (${offering.capacityType} in ${offering.zone})`,
    labels: all,
    taints: spec.taints,
    allocatable: allocatable(type),
    bound: [],
    daemons: daemonsOn(snapshot, all, spec.taints),
    isNew: true,
    mayJoinLater: false,
    diskLimits: type.maxDataDisks === undefined ? {} : { [DISK_DRIVER]: type.maxDataDisks },
  }
}

function daemonsOn({ objects }: ClusterSnapshot, labels: Labels, taints: readonly Taint[]): readonly Pod[] {
  return daemonsOf(objects).flatMap(({ set, pod }) => (daemonRuns(set, labels, taints) ? [pod] : []))
}

type Daemon = { readonly set: DaemonSet; readonly pod: Pod }

/** Cached, because claims may become hundreds of machines each. */
const DAEMONS = new WeakMap<ClusterSnapshot['objects'], readonly Daemon[]>()

function daemonsOf(objects: ClusterSnapshot['objects']): readonly Daemon[] {
  const known = DAEMONS.get(objects)
  if (known !== undefined) return known
  const daemons = objects.daemonSet
    .filter((set) => set.pod.resourceClaims.length === 0)
    .map((set) => ({
      set,
      pod: { ...newestOf(set, objects.pod), owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: set.key, uid: set.uid } },
    }))
  DAEMONS.set(objects, daemons)
  return daemons
}

function disksOfClaim({ instanceTypes }: ClusterSnapshot, claim: NodeClaim | undefined): NodeView['diskLimits'] {
  const types = claim === undefined ? [] : (instanceTypes.get(claim.spec.nodeClassRef.name) ?? [])
  const limit = types.find((each) => each.name === claim?.meta.labels['node.kubernetes.io/instance-type'])?.maxDataDisks
  return limit === undefined ? {} : { [DISK_DRIVER]: limit }
}

function withCordon({ unschedulable, taints }: Node): readonly Taint[] {
  return unschedulable ? [...taints, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : taints
}

function reported({ allocatable: given }: Node): Resources {
  return Object.fromEntries(Object.entries(given).filter(([, amount]) => amount !== 0))
}
