/** The machines that Karpenter's methods may disrupt, with their prices and disruption costs. Written from the rules, not from the engine. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { namespaceOf } from '../../../shared/model/ids.ts'
import { selects } from '../../../shared/model/labelSelector.ts'
import { ANNOTATION, LABEL, POD_ANNOTATION, TAINT_KEY } from '../../../shared/model/labels.ts'
import type { Node } from '../../../shared/model/node.ts'
import type { NodeClaim } from '../../../shared/model/nodeClaim.ts'
import type { NodePool } from '../../../shared/model/nodePool.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { untolerated } from '../../../shared/model/taint.ts'
import { parseDuration } from '../../../shared/model/time.ts'

export type Candidate = {
  readonly claim: NodeClaim
  readonly node: Node
  readonly pool: NodePool
  /** The pods that need another place. */
  readonly pods: readonly Pod[]
  readonly size: string
  readonly isSpot: boolean
  /** In millionths of a dollar per hour. 0 if the catalog has no price. */
  readonly price: number
  /** The disruption cost: 1 plus the eviction cost of each pod that needs another place. */
  readonly cost: number
}

/** Machines of dynamic pools that are quiet for `consolidateAfter` and not protected, sorted by price per disruption cost, the highest first. */
export function candidatesOf(snapshot: ClusterSnapshot): readonly Candidate[] {
  const { objects } = snapshot
  return objects.node
    .flatMap((node) => {
      const claim = objects.nodeClaim.find((each) => node.providerId !== undefined && each.status.providerId === node.providerId)
      const pool = objects.nodePool.find(({ name }) => name === node.meta.labels[LABEL.nodePool])
      if (claim === undefined || pool === undefined || pool.replicas !== undefined || claim.meta.deletedAt !== undefined) return []
      const pods = podsOn(snapshot, node)
      const isHeld = node.meta.annotations[ANNOTATION.doNotDisrupt] === 'true' || pods.some((pod) => holds(pod, snapshot))
      const isUp = node.meta.labels[LABEL.initialized] === 'true'
      return isHeld || !isUp || !isQuiet(pool, claim, pods, snapshot) ? [] : [candidateOf(snapshot, { claim, node, pool, pods })]
    })
    .sort(bySavings)
}

function bySavings(first: Candidate, second: Candidate): number {
  return second.price / second.cost - first.price / first.cost || (first.claim.name < second.claim.name ? -1 : 1)
}

/** The hourly price of the machine by its labels, whether or not its offering is available. 0 if there is no price. */
export function priceOfNode({ instanceTypes }: ClusterSnapshot, { spec }: NodeClaim, { meta: { labels } }: Node): number {
  const type = instanceTypes.get(spec.nodeClassRef.name)?.find(({ name }) => name === labels[LABEL.instanceType])
  const own = type?.offerings.find(({ zone, capacityType }) => zone === labels[LABEL.zone] && capacityType === labels[LABEL.capacityType])
  return own?.price ?? 0
}

/** The disruption cost of moving all pods of a node. */
export function costOf(pods: readonly Pod[]): number {
  return pods.filter((pod) => !isDaemon(pod)).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1)
}

export function podsOn({ objects }: ClusterSnapshot, { name }: Node): readonly Pod[] {
  return objects.pod.filter(({ nodeName, phase }) => nodeName === name && phase !== 'Succeeded' && phase !== 'Failed')
}

type Joined = Pick<Candidate, 'claim' | 'node' | 'pool' | 'pods'>

function candidateOf(snapshot: ClusterSnapshot, joined: Joined): Candidate {
  const { claim, node } = joined
  const pods = joined.pods.filter((pod) => !isDaemon(pod) && (pod.deletedAt === undefined || pod.owner?.kind === 'StatefulSet'))
  return {
    ...joined,
    pods,
    size: node.meta.labels[LABEL.instanceType] ?? '',
    isSpot: node.meta.labels[LABEL.capacityType] === 'spot',
    price: priceOfNode(snapshot, claim, node),
    cost: costOf(pods),
  }
}

function isQuiet(
  { disruption: { consolidateAfter } }: NodePool,
  { meta, status }: NodeClaim,
  pods: readonly Pod[],
  { takenAt }: ClusterSnapshot,
) {
  if (consolidateAfter === 'Never') return false
  const initialized = status.conditions.find(({ type }) => type === 'Initialized')?.lastTransitionAt ?? meta.createdAt
  const last = Math.max(initialized, ...pods.map(({ createdAt, scheduledAt = createdAt }) => scheduledAt))
  return last + consolidateAfter <= takenAt
}

/** Reports whether the pod protects itself, or whether its eviction would be refused. */
function holds(pod: Pod, snapshot: ClusterSnapshot): boolean {
  if (isProtected(pod, snapshot.takenAt)) return true
  if (pod.owner?.kind === 'Node' || pod.deletedAt !== undefined || toleratesDisruption(pod)) return false
  const budgets = snapshot.objects.podDisruptionBudget.filter(
    (budget) => namespaceOf(budget) === namespaceOf(pod) && selects(budget.selector, pod.labels),
  )
  if (budgets.length > 1) return true
  return budgets.some(({ disruptionsAllowed }) => disruptionsAllowed === 0)
}

function isProtected({ annotations, deletedAt, startedAt }: Pod, now: number): boolean {
  const wish = annotations[ANNOTATION.doNotDisrupt]
  if (wish === undefined || deletedAt !== undefined) return false
  const duration = parseDuration(wish)
  if (wish === 'true') return true
  return duration.ok && duration.value > 0 && (startedAt === undefined || now < startedAt + duration.value)
}

function toleratesDisruption({ tolerations }: Pod): boolean {
  return untolerated([{ key: TAINT_KEY.disrupted, effect: 'NoSchedule' }], tolerations).length === 0
}

function isDaemon({ owner }: Pod): boolean {
  return owner?.kind === 'DaemonSet' || owner?.kind === 'Node'
}

function evictionCost({ annotations, priority }: Pod): number {
  const written = Number(annotations[POD_ANNOTATION.disruptionCost] ?? annotations[POD_ANNOTATION.deletionCost] ?? 0)
  const cost = 1 + (Number.isFinite(written) ? written : 0) / 2 ** 27 + priority / 2 ** 25
  return Math.min(10, Math.max(-10, cost))
}
