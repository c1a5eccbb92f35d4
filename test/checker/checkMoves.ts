/** Checks which machines a decision takes away, by the rules alone and without the engine's code. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Budget, NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { isAwaited } from './awaitedPods.ts'

/** A machine that a decision takes away, not for its age and not by hand. `with`: the number of replacements in its move. */
export type Deleting = {
  readonly claim: NodeClaim
  readonly node: Node
  readonly reason: string
  readonly pods: readonly Pod[]
  readonly with: number
}

/** The machines that the decision takes away. */
export function deletingBy({ objects }: ClusterSnapshot, { actions }: Decision): readonly Deleting[] {
  const claims = new Map(objects.nodeClaim.map((claim) => [claim.name, claim]))
  const nodes = new Map(objects.node.map((node) => [node.providerId, node]))
  const named = actions.flatMap((action) => {
    if (action.kind === 'deleteClaim') return [{ name: action.claim, uid: action.uid, reason: action.because, with: 0 }]
    if (action.kind !== 'startCommand') return []
    const { candidates, reason, replacements } = action.command
    return candidates.map(({ claim, uid }) => ({ name: claim, uid, reason, with: replacements.length }))
  })
  return named.flatMap(({ name, uid, reason, with: coming }) => {
    const claim = claims.get(name)
    const node = nodes.get(claim?.status.providerId)
    if (claim === undefined || node === undefined || claim.meta.uid !== uid) throw new Error(`${name} is no machine of the cluster`)
    const pods = objects.pod.filter((pod) => pod.nodeName === node.name && pod.phase !== 'Succeeded' && pod.phase !== 'Failed')
    return [{ claim, node, reason, pods, with: coming }]
  })
}

/** Every rule that the moves of a decision break, in words. */
export function problemsOfDeleting(snapshot: ClusterSnapshot, deleting: readonly Deleting[]): readonly string[] {
  return [
    ...deleting.flatMap((each) => problemsOfOne(snapshot, each)),
    ...snapshot.objects.nodePool.flatMap((pool) => problemsOfPool(snapshot, pool, deleting)),
    ...problemsOfPodBudgets(snapshot, deleting),
    ...twice(deleting),
  ]
}

function twice(deleting: readonly Deleting[]): readonly string[] {
  return deleting
    .filter(({ claim }, at) => deleting.findIndex((each) => each.claim === claim) !== at)
    .map(({ claim }) => `${claim.name} goes twice`)
}

function problemsOfOne(snapshot: ClusterSnapshot, { claim, node, reason, pods }: Deleting): readonly string[] {
  const { objects, nominations, takenAt } = snapshot
  const problems: string[] = []
  const says = (rule: string): void => void problems.push(`${claim.name} goes as ${reason} though ${rule}`)
  const isForced = reason === 'Drifted' && claim.spec.terminationGracePeriod !== undefined
  if (node.meta.labels['karpenter.sh/initialized'] !== 'true') says('it is not initialized')
  if (claim.meta.deletedAt !== undefined) says('it is ending')
  if (node.meta.annotations['karpenter.sh/do-not-disrupt'] === 'true') says('its node must not be disrupted')
  if (nominations.some((each) => each.claim === claim.name && each.until > takenAt)) says('a pod was promised to it')
  for (const pod of objects.pod) {
    if (pod.nominatedNodeName === node.name && needsAPlace(pod) && isAwaited(pod, snapshot))
      says(`pod ${pod.key} is about to be bound there`)
  }
  for (const pod of isForced ? [] : pods) {
    if (pod.deletedAt !== undefined) continue
    if (pod.annotations['karpenter.sh/do-not-disrupt'] === 'true') says(`pod ${pod.key} must not be disrupted`)
  }
  if (reason === 'Empty' && pods.some(needsAPlace)) says('a pod on it needs a place')
  const pool = objects.nodePool.find(({ name }) => name === node.meta.labels['karpenter.sh/nodepool'])
  if (reason === 'Underutilized' && pool?.disruption.consolidationPolicy === 'WhenEmpty') says('its pool takes empty nodes alone')
  if (pool?.replicas !== undefined) says('its pool has a fixed number of nodes')
  return problems
}

export function needsAPlace({ owner, deletedAt }: Pod): boolean {
  if (owner?.kind === 'DaemonSet' || owner?.kind === 'Node') return false
  return deletedAt === undefined || owner?.kind === 'StatefulSet'
}

/** Checks the budgets of a pool that have no schedule. */
function problemsOfPool({ objects }: ClusterSnapshot, { name, disruption }: NodePool, deleting: readonly Deleting[]): readonly string[] {
  const own = objects.nodeClaim.flatMap((claim) => {
    const node = objects.node.find(({ providerId }) => providerId === claim.status.providerId && providerId !== undefined)
    if (node?.meta.labels['karpenter.sh/nodepool'] !== name || node.meta.labels['karpenter.sh/initialized'] !== 'true') return []
    return claim.status.conditions.some(({ type, status }) => type === 'InstanceTerminating' && status === 'True') ? [] : [{ claim, node }]
  })
  const away = own.filter(
    ({ claim, node }) =>
      claim.meta.deletedAt !== undefined || !node.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  )
  const taken = deleting.filter(({ node }) => node.meta.labels['karpenter.sh/nodepool'] === name)
  return ['Empty', 'Underutilized', 'Drifted'].flatMap((reason) => {
    if (!taken.some((each) => each.reason === reason)) return []
    const limits = disruption.budgets
      .filter((budget) => budget.schedule === undefined && isAbout(budget, reason))
      .map((budget) => mostOf(budget, own.length))
    const most = Math.min(Number.POSITIVE_INFINITY, ...limits)
    const isOver = taken.length > Math.max(0, most - away.length)
    return isOver ? [`pool ${name}: ${taken.length} go while ${away.length} are away, and ${most} may for ${reason}`] : []
  })
}

function isAbout({ reasons }: Budget, reason: string): boolean {
  return reasons === undefined || reasons.some((each) => each === reason)
}

function mostOf({ nodes }: Budget, total: number): number {
  return nodes.endsWith('%') ? Math.ceil((total * Number.parseInt(nodes, 10)) / 100) : Number.parseInt(nodes, 10)
}

/** Checks PodDisruptionBudgets. If several machines have pods of a budget, all but the fullest must have fewer of them than may be disrupted. */
function problemsOfPodBudgets({ objects }: ClusterSnapshot, deleting: readonly Deleting[]): readonly string[] {
  return objects.podDisruptionBudget.flatMap(({ key, selector, disruptionsAllowed }) => {
    const [namespace] = key.split('/')
    const counts = deleting
      .filter(({ reason, claim }) => !(reason === 'Drifted' && claim.spec.terminationGracePeriod !== undefined))
      .map(
        ({ pods }) =>
          pods.filter((pod) => isEvictedFrom(pod) && pod.key.startsWith(`${namespace}/`) && selects(selector, pod.labels)).length,
      )
      .filter((count) => count > 0)
    const total = counts.reduce((sum, count) => sum + count, 0)
    if (counts.length < 2 || total - Math.max(...counts) < disruptionsAllowed) return []
    return [`budget ${key} allows ${disruptionsAllowed}, and ${total} of its pods go with ${counts.length} machines`]
  })
}

function isEvictedFrom({ phase, deletedAt, owner, tolerations }: Pod): boolean {
  if (phase !== 'Running' || deletedAt !== undefined || owner?.kind === 'Node') return false
  return !tolerations.some(
    ({ key, effect }) => (key === undefined || key === 'karpenter.sh/disrupted') && (effect === undefined || effect === 'NoSchedule'),
  )
}
