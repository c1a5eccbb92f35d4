/** A pool that has dropped a zone, and a drifted node there, whose pods have one rule about zones. */
import type { Random } from '../agreement/random.ts'
import type { MoveScenario } from '../scenarios/disruption/moveScenario.ts'
import type { PodGiven } from '../scenarios/scenario.ts'

/** `skew`: of a spread. `minDomains` is 1 unless the spread sets it. */
export type ZoneRule = {
  readonly kind: 'none' | 'prefers' | 'apart' | 'near' | 'spread'
  readonly skew: number
  readonly minDomains: number
}

export type NarrowedPool = {
  readonly given: MoveScenario['given']
  readonly rule: ZoneRule
  /** The number of pods on the node of each zone, and on a second node of the dropped zone, which stays and takes no pods. */
  readonly pods: Readonly<Record<'z1' | 'z2' | 'z3', number>>
  readonly beside: number | undefined
  /** How many pods may be away at once. */
  readonly allowed: number
}

export function narrowedPool(random: Random): NarrowedPool {
  const kind = random.pick(['none', 'prefers', 'apart', 'near', 'spread', 'spread', 'spread'] as const)
  const rule: ZoneRule = { kind, skew: 1 + random.int(2), minDomains: random.pick([1, 1, 1, 2, 3]) }
  const isElsewhere = kind !== 'near' || random.chance(0.3)
  const most = kind === 'apart' ? 2 : 4
  const pods = { z1: isElsewhere ? random.int(most) : 0, z2: isElsewhere ? random.int(most) : 0, z3: 1 + random.int(3) }
  const beside = random.chance(0.25) ? random.int(2) : undefined
  const budget = random.chance(0.5) ? 1 + random.int(4) : undefined
  const isGraced = random.chance(0.2)
  const pod = podOf(rule)
  const onEach = { 'n-z1': pods.z1, 'n-z2': pods.z2, 'n-z3': pods.z3, 'n-more': beside ?? 0 }
  const running = Object.entries(onEach).flatMap(([on, count]) => (count > 0 ? [[`p-${on}`, { ...pod, on, count }] as const] : []))
  const more = beside === undefined ? {} : { 'n-more': { labels: 'zone=z3', cordoned: true } }
  return {
    given: {
      pools: { default: { needs: 'zone in z1 z2' } },
      nodes: { 'n-z1': { labels: 'zone=z1' }, 'n-z2': { labels: 'zone=z2' }, 'n-z3': { labels: 'zone=z3' }, ...more },
      pods: Object.fromEntries(running),
      drifted: 'n-z3',
      kept: { 'n-z1': 'true', 'n-z2': 'true', 'n-more': 'true' },
      ...(isGraced ? { graced: 'n-z3' } : {}),
      ...(budget === undefined ? {} : { budgets: { guard: { of: 'app=p', disruptionsAllowed: budget } } }),
    },
    rule,
    pods,
    beside,
    allowed: isGraced ? Number.POSITIVE_INFINITY : (budget ?? Number.POSITIVE_INFINITY),
  }
}

function podOf({ kind, skew, minDomains }: ZoneRule): PodGiven {
  const pod = { labels: 'app=p', asks: { cpu: 0.7 } }
  if (kind === 'prefers') return { ...pod, prefers: 'zone=z3' }
  if (kind === 'apart') return { ...pod, apart: 'app=p over zone' }
  if (kind === 'near') return { ...pod, near: 'app=p over zone' }
  if (kind === 'spread') return { ...pod, spread: [{ over: 'zone', of: 'app=p', skew, ...(minDomains > 1 ? { minDomains } : {}) }] }
  return pod
}
