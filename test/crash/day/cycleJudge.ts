/** Machines come and go for a cause. A machine made or disrupted without a cause is the beginning of a cycle. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import type { Taken } from './decisions.ts'

/** After a cause, moves come in waves. Each wave waits for machines to boot and for nodes to be quiet, and jobs can delay quiet. */
const SETTLED_AFTER_MS = 90 * 60_000
/** Reasons of disruptions that save money. */
const TO_SAVE: ReadonlySet<string> = new Set(['Empty', 'Underutilized'])

/** A move takes the result of another move if the machine was made within this time of the other move. */
const LINKED_MS = 5 * 60_000
/** A move may improve the result of the last one, and moves come in waves. Longer chains of moves are a cycle. */
const LONGEST_CHAIN = 2

type Say = (what: string, how: string) => void
type Moved = { readonly at: number; readonly chain: number }

export type CycleJudge = {
  /** Notes a cause: a user changed something or something broke. */
  caused(): void
  look(decided: { readonly taken: readonly Taken[]; readonly made: readonly string[] }): void
  /** The time without a cause in milliseconds, the number of moves that save money, and the longest chain of such moves. */
  readonly counts: { calmMs: number; moves: number; longestChain: number }
}

export function createCycleJudge({ clock, objects }: MemoryWorld, say: Say): CycleJudge {
  const counts = { calmMs: 0, moves: 0, longestChain: 0 }
  let causedAt: number = clock.now()
  let lookedAt: number = clock.now()
  let born = new Map<string, number>()
  let moved: readonly Moved[] = []

  function judge({ claim, because }: Taken, isSettled: boolean): Moved {
    const bornAt = born.get(claim) ?? 0
    const before = moved.filter(({ at }) => Math.abs(at - bornAt) <= LINKED_MS)
    const chain = 1 + Math.max(0, ...before.map((each) => each.chain))
    counts.moves++
    counts.longestChain = Math.max(counts.longestChain, chain)
    if (isSettled) say(`nodeclaim ${claim}`, `is taken away (${because}) though nothing has changed for so long`)
    else if (chain > LONGEST_CHAIN) say(`nodeclaim ${claim}`, `is move ${chain} of a chain since anything changed`)
    return { at: clock.now(), chain }
  }

  function caused(): void {
    causedAt = clock.now()
    moved = []
  }

  return {
    counts,
    caused,
    look({ taken, made }) {
      const now = clock.now()
      if (taken.some(({ because }) => !TO_SAVE.has(because))) caused()
      const isSettled = now - causedAt > SETTLED_AFTER_MS
      moved = [...moved, ...taken.filter(({ because }) => TO_SAVE.has(because)).map((each) => judge(each, isSettled))]
      if (isSettled) for (const name of made) say(`nodeclaim ${name}`, 'is made though nothing has changed for so long')
      if (isSettled) counts.calmMs += now - lookedAt
      lookedAt = now
      born = new Map(objects.all('nodeClaim').map(({ name, meta }) => [name, meta.createdAt]))
    },
  }
}
