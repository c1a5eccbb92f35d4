/** Checks of node repair: broken nodes are repaired, few at a time, and none while too many are broken. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'
import type { Taken } from './decisions.ts'
import { createSince } from './since.ts'
import { isWell } from './troubles.ts'

/** The limits of the circuit breaker, as shares of the nodes, rounded up: the most broken nodes that still allow repairs, and the most repairs at once. */
const MOST_UNHEALTHY_SHARE = 0.2
const AT_ONCE_SHARE = 0.05
/** A decision may use a state this old, because a message was late or the host was killed. */
const STALE_MS = 60_000
/** A broken node is tolerated for ten minutes and looked at within five more. Its turn may come after others'. */
const REPAIRED_WITHIN_MS = 30 * 60_000

type Say = (what: string, how: string) => void
type Observation = { readonly at: number; readonly sick: ReadonlySet<string>; readonly ending: ReadonlySet<string>; readonly total: number }

export type Repairs = {
  look(taken: readonly Taken[]): void
  readonly counts: { repairs: number; longestSickMs: number; mostAtOnce: number; brokenMs: number }
}

export function createRepairs({ objects, clock }: MemoryWorld, say: Say): Repairs {
  const counts = { repairs: 0, longestSickMs: 0, mostAtOnce: 0, brokenMs: 0 }
  const waiting = createSince(() => clock.now())
  const under = new Set<string>()
  let observations: readonly Observation[] = []

  function see(): Observation {
    const up = objects.all('node').filter(({ meta }) => meta.labels[LABEL.initialized] === 'true')
    const ending = objects.all('nodeClaim').filter(({ meta }) => meta.deletedAt !== undefined)
    return {
      at: clock.now(),
      total: up.length,
      sick: new Set(up.filter((node) => !isWell(node)).map(({ name }): string => name)),
      ending: new Set(ending.map(({ name }): string => name)),
    }
  }

  function judge(claim: string, before: readonly Observation[]): void {
    counts.repairs++
    const node = nodeNameOf(claim)
    if (!before.some(({ sick }) => sick.has(node))) say(`nodeclaim ${claim}`, 'is repaired though its node is well')
    const sick = Math.min(...observations.map((each) => each.sick.size))
    const most = Math.ceil(MOST_UNHEALTHY_SHARE * Math.max(...observations.map(({ total }) => total)))
    if (sick > most) say(`nodeclaim ${claim}`, `is repaired though ${sick} nodes are broken, more than ${most}`)
    // The claim of a repair that is draining already only gets a deadline.
    if (!before.at(-1)?.ending.has(claim)) under.add(claim)
  }

  /** A cluster that shrinks has more repairs under way than it may begin. */
  function lookAtTurns(hasBegun: boolean): void {
    for (const claim of under) if (objects.get('nodeClaim', claim) === undefined) under.delete(claim)
    counts.mostAtOnce = Math.max(counts.mostAtOnce, under.size)
    const most = Math.max(1, Math.ceil(AT_ONCE_SHARE * Math.max(...observations.map(({ total }) => total))))
    if (hasBegun && under.size > most) say('too many repairs', `${under.size} at once where ${most} are let`)
  }

  function lookAtSick({ sick, total, at }: Observation, elapsed: number): void {
    const isBroken = sick.size > Math.ceil(MOST_UNHEALTHY_SHARE * total)
    if (isBroken) counts.brokenMs += elapsed
    for (const [name, ms] of waiting(isBroken ? [] : [...sick])) {
      counts.longestSickMs = Math.max(counts.longestSickMs, ms)
      if (ms > REPAIRED_WITHIN_MS) say(`node ${name}`, `is broken for ${Math.round(ms / 60_000)} minutes at ${at}, and nobody repairs it`)
    }
  }

  return {
    counts,
    look(taken) {
      const now = see()
      const before = observations
      observations = [...before.filter(({ at }) => now.at - at <= STALE_MS), now]
      const repaired = taken.filter(({ because }) => because === 'Unhealthy')
      for (const { claim } of repaired) judge(claim, before)
      lookAtTurns(repaired.length > 0)
      lookAtSick(now, now.at - (before.at(-1)?.at ?? now.at))
    },
  }
}
