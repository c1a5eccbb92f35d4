import type { Deployment, ReplicaSet } from '../client/objects.ts'

/** A ReplicaSet and its next number of replicas. */
export type SetSize = { readonly set: ReplicaSet; readonly replicas: number }

export type RolloutLimits = { readonly desired: number; readonly maxSurge: number; readonly maxUnavailable: number }

/** Returns the limits of a rolling update. If both are zero, one pod may be missing, as in the real controller, or nothing would move. */
export function limitsOf(deployment: Deployment): RolloutLimits {
  const desired = deployment.spec.replicas ?? 1
  const rolling = deployment.spec.strategy?.rollingUpdate
  const maxSurge = resolve(rolling?.maxSurge ?? '25%', desired, Math.ceil)
  const maxUnavailable = resolve(rolling?.maxUnavailable ?? '25%', desired, Math.floor)
  return { desired, maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : Math.min(maxUnavailable, desired) }
}

function resolve(value: number | string, total: number, round: (value: number) => number): number {
  const text = String(value)
  const number = Number.parseInt(text, 10) || 0
  return text.endsWith('%') ? round((number * total) / 100) : number
}

/** How many replicas the new set may have now. */
export function newSetReplicas(limits: RolloutLimits, newSet: ReplicaSet, all: readonly ReplicaSet[]): number {
  const current = wanted(newSet)
  if (current >= limits.desired) return limits.desired
  const room = limits.desired + limits.maxSurge - sum(all, wanted)
  return room <= 0 ? current : Math.min(limits.desired, current + room)
}

/** Returns the old sets whose size may change now. Unavailable pods go first, then as many pods as may be missing. */
export function oldSetReplicas(limits: RolloutLimits, newSet: ReplicaSet, old: readonly ReplicaSet[]): readonly SetSize[] {
  const live = old.filter((set) => wanted(set) > 0).sort(byAge)
  const total = sum([newSet, ...live], wanted)
  const minAvailable = limits.desired - limits.maxUnavailable
  const newUnavailable = wanted(newSet) - available(newSet)
  let budget = total - minAvailable - newUnavailable
  if (budget <= 0) return []
  const sizes = new Map(live.map((set) => [set, wanted(set)]))
  const shrink = (set: ReplicaSet, by: number) => sizes.set(set, (sizes.get(set) ?? 0) - by)
  for (const set of live) {
    const broken = Math.max(0, Math.min(budget, wanted(set) - available(set)))
    shrink(set, broken)
    budget -= broken
  }
  let spare = sum([newSet, ...live], available) - minAvailable
  for (const set of live) {
    const by = Math.max(0, Math.min(spare, sizes.get(set) ?? 0))
    shrink(set, by)
    spare -= by
  }
  return live.flatMap((set) => (sizes.get(set) === wanted(set) ? [] : [{ set, replicas: sizes.get(set) ?? 0 }]))
}

export function wanted(set: ReplicaSet): number {
  return set.spec.replicas ?? 1
}

export function available(set: ReplicaSet): number {
  return set.status?.availableReplicas ?? 0
}

export function sum<Item>(items: readonly Item[], amount: (item: Item) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}

export function byAge(first: ReplicaSet, second: ReplicaSet): number {
  const byTime = Date.parse(first.metadata.creationTimestamp) - Date.parse(second.metadata.creationTimestamp)
  return byTime || (first.metadata.name < second.metadata.name ? -1 : 1)
}
