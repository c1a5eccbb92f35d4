import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim } from '../../shared/model/decision.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { NodeClaimSpec } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { DaemonSet } from '../../shared/model/workloads.ts'
import { isOfDaemonSet, runsOn, toleratesAll } from './kubernetesRules.ts'
import { allocatable, type Outcome, outcomesOf } from './outcomes.ts'

/** One new claim: whichever machine it becomes, its pods must run there, and its first choice must be the cheapest there is. */
export function checkClaim(snapshot: ClusterSnapshot, create: CreateClaim, pods: readonly Pod[]): readonly string[] {
  const { draft, choice } = create
  const says = (rule: string): string => `claim ${draft.name}: ${rule}`
  const outcomes = outcomesOf(snapshot, draft.spec, draft.labels)
  const named = draft.spec.requirements.find((each) => each.key === 'node.kubernetes.io/instance-type')?.values ?? []
  const sold = outcomes.filter((each) => each.isForSale)
  const chosen = sold.find(
    ({ type, offering }) => type.name === choice.size && offering.zone === choice.zone && offering.capacityType === choice.capacityType,
  )
  const prices = sold.map(({ offering }) => offering.price).filter((price) => price !== undefined)
  return [
    ...(pods.length === create.pods.length && pods.length > 0 ? [] : [says('it has no pods, or pods that do not exist')]),
    ...checkPool(snapshot, create).map(says),
    ...(named.length > snapshot.settings.maxInstanceTypes ? [says(`it names ${named.length} sizes`)] : []),
    ...named.filter((size) => !outcomes.some(({ type }) => type.name === size)).map((size) => says(`${size} cannot serve`)),
    ...(chosen === undefined ? [says('its choice is not for sale')] : []),
    ...(chosen !== undefined && chosen.offering.price !== choice.price ? [says('its choice has another price')] : []),
    ...(prices.length > 0 && (choice.price === undefined || Math.min(...prices) < choice.price)
      ? [says('its choice is not the cheapest')]
      : []),
    ...checkOutcomes(snapshot, draft.spec, outcomes, pods).map(says),
  ]
}

/** The pods against every machine the claim may end as. */
export function checkOutcomes(
  { objects }: ClusterSnapshot,
  spec: NodeClaimSpec,
  outcomes: readonly Outcome[],
  pods: readonly Pod[],
): readonly string[] {
  const problems = new Set<string>()
  for (const pod of pods) {
    if (!toleratesAll(pod.tolerations, spec.taints)) problems.add(`pod ${pod.key} does not tolerate its taints`)
  }
  for (const { type, labels } of outcomes) {
    const daemons = objects.daemonSet.filter((set) => daemonRuns(set, labels, spec.taints)).map((set) => newestOf(set, objects.pod))
    const free = allocatable(type)
    const asked = totalOf([...pods, ...daemons])
    for (const [name, amount] of asked) {
      if (amount > (free[name] ?? 0)) problems.add(`${type.name} has ${free[name] ?? 0} ${name}, its pods ask for ${amount}`)
    }
    for (const pod of pods)
      if (!runsOn(pod, labels)) problems.add(`pod ${pod.key} must not run on ${type.name} with ${JSON.stringify(labels)}`)
  }
  return [...problems].slice(0, 5)
}

export function totalOf(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const pod of pods) for (const [name, amount] of Object.entries(pod.requests)) total.set(name, (total.get(name) ?? 0) + amount)
  return total
}

export function daemonRuns(set: DaemonSet, labels: Labels, taints: readonly Taint[]): boolean {
  return runsOn(set.pod, labels) && toleratesAll(set.pod.tolerations, taints)
}

export function newestOf(set: DaemonSet, pods: readonly Pod[]): Pod {
  const own = pods.filter((pod) => isOfDaemonSet(pod) && pod.owner?.uid === set.uid)
  return own.reduce((newest, pod) => (pod.createdAt > newest.createdAt || newest === set.pod ? pod : newest), set.pod)
}

function checkPool({ objects }: ClusterSnapshot, { draft }: CreateClaim): readonly string[] {
  const pool = objects.nodePool.find((each) => each.name === draft.nodePool)
  if (pool === undefined) return [`nodepool ${draft.nodePool} does not exist`]
  const isReady = pool.status.conditions.some((each) => each.type === 'Ready' && each.status === 'True')
  const isSame = JSON.stringify(pool.template.taints) === JSON.stringify(draft.spec.taints)
  return [
    ...(isReady && pool.meta.deletedAt === undefined && pool.replicas === undefined ? [] : ['its nodepool makes no claims now']),
    ...(isSame ? [] : ['its taints are not those of its nodepool']),
    ...(draft.labels['karpenter.sh/nodepool'] === pool.name ? [] : ['it does not carry the label of its nodepool']),
  ]
}
