/** What must hold at any time of a day, whatever happens in it. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { emptyLedger } from '../../../shared/flows/ledger/intents.ts'
import { TAINT_KEY } from '../../../shared/model/labels.ts'
import type { Ledger } from '../../../shared/model/ledger.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'
import { type Calm, createCalm } from './calm.ts'
import { createDecisions, type Taken } from './decisions.ts'
import { left, ownerless } from './leftovers.ts'
import { createRepairs, type Repairs } from './repairs.ts'
import { createSince } from './since.ts'

const NEVER = new AbortController().signal
/** No mark may stand for longer without a move that it belongs to. */
const SWEPT_WITHIN_MS = 60_000
/** A machine is left alone in its first five minutes; then it takes two sweeps, two minutes apart, and one may be struck. */
const ORPHAN_MS = 11 * 60_000
/** With pods on its node it is drained first: garbage collection does so for half an hour, and then looks twice more. */
const ORPHAN_DRAINED_MS = 34 * 60_000
/** Every budget of pods lets one pod go at a time, and some nodes drain beside each other. */
const ENDED_WITHIN_MS = 15 * 60_000
/** Ends that no budget holds. */
const FORCED: ReadonlySet<string> = new Set(['Expired', 'Unhealthy', 'ScaledDown'])

export type Judge = {
  /** Every few seconds. */
  look(): Promise<void>
  /** When nothing has been wanted for a while. */
  atTheEnd(): Promise<void>
  readonly calm: Calm
  readonly repairs: Repairs['counts']
  /** What was not as it must be, with its time; each thing once. */
  wrong(): readonly string[]
  readonly longest: { pendingMs: number; endingMs: number; orphanMs: number; idleOrphanMs: number; markedMs: number; disrupted: number }
  /** How many machines went, by the reason. */
  readonly ends: ReadonlyMap<string, number>
}

export type Bounds = { readonly pendingMs: number; readonly budget: number }

export function createJudge(world: MemoryWorld, bounds: Bounds): Judge {
  const { objects, clock } = world
  const startedAt = clock.now()
  const wrong = new Map<string, string>()
  const longest = { pendingMs: 0, endingMs: 0, orphanMs: 0, idleOrphanMs: 0, markedMs: 0, disrupted: 0 }
  const orphans = createSince(() => clock.now())
  const idleOrphans = createSince(() => clock.now())
  const marked = createSince(() => clock.now())
  const hour = (): string => `${((clock.now() - startedAt) / 3_600_000).toFixed(3)} h`
  const say = (what: string, how: string): void => void (wrong.has(what) || wrong.set(what, `${hour()}: ${what} ${how}`))
  const decisions = createDecisions(world)
  const calm = createCalm(world, say)
  const repairs = createRepairs(world, say)
  const ends = new Map<string, number>()
  const disrupting = new Set<string>()

  const ledger = async (): Promise<Ledger> => {
    const loaded = await world.ports.ledger.load(NEVER)
    return (loaded.ok ? loaded.value?.value : undefined) ?? emptyLedger(world.cluster)
  }

  function lookAtPods(): void {
    for (const { key, nodeName, deletedAt, createdAt } of objects.all('pod')) {
      if (nodeName !== undefined || deletedAt !== undefined) continue
      const waits = clock.now() - createdAt
      longest.pendingMs = Math.max(longest.pendingMs, waits)
      if (waits > bounds.pendingMs) say(`pod ${key}`, `has no node for more than ${bounds.pendingMs / 1_000} s`)
    }
  }

  function lookAtEnds(): void {
    for (const { name, meta } of objects.all('nodeClaim')) {
      if (meta.deletedAt === undefined) continue
      const ends = clock.now() - meta.deletedAt
      longest.endingMs = Math.max(longest.endingMs, ends)
      if (ends > ENDED_WITHIN_MS) say(`nodeclaim ${name}`, `ends for more than ${ENDED_WITHIN_MS / 60_000} minutes`)
    }
  }

  function lookAtMarks({ commands }: Ledger): void {
    const live = new Set<string>(commands.flatMap(({ candidates }) => candidates.map(({ node }) => node)))
    // The node of a claim that is ending keeps its mark, and so does one that belongs to nobody: garbage collection drains it.
    const staying = objects.all('nodeClaim').filter(({ meta }) => meta.deletedAt === undefined)
    const open = new Set<string>(staying.map(({ name }) => nodeNameOf(name)))
    const closed = objects.all('node').filter(({ taints }) => taints.some(({ key }) => key === TAINT_KEY.disrupted))
    for (const [name, ms] of marked(closed.flatMap(({ name: node }) => (open.has(node) && !live.has(node) ? [node] : [])))) {
      longest.markedMs = Math.max(longest.markedMs, ms)
      if (ms > SWEPT_WITHIN_MS) say(`node ${name}`, 'is marked for nobody')
    }
  }

  function lookAtOrphans(): void {
    const all = ownerless(world)
    for (const [name, ms] of orphans(all.map(({ name }) => name))) {
      longest.orphanMs = Math.max(longest.orphanMs, ms)
      if (ms > ORPHAN_DRAINED_MS) say(name, 'has no owner')
    }
    for (const [name, ms] of idleOrphans(all.flatMap(({ name, isIdle }) => (isIdle ? [name] : [])))) {
      longest.idleOrphanMs = Math.max(longest.idleOrphanMs, ms)
      if (ms > ORPHAN_MS) say(name, 'has neither owner nor pods')
    }
  }

  /** Machines that moves take away, until Azure is told. */
  function lookAtBudget(taken: readonly Taken[]): void {
    for (const { claim, because } of taken) {
      ends.set(because, (ends.get(because) ?? 0) + 1)
      if (!FORCED.has(because)) disrupting.add(claim)
    }
    for (const name of disrupting) {
      const conditions = objects.get('nodeClaim', name)?.status.conditions
      if (conditions?.every(({ type }) => type !== 'InstanceTerminating') !== true) disrupting.delete(name)
    }
    longest.disrupted = Math.max(longest.disrupted, disrupting.size)
    if (disrupting.size > bounds.budget) say('the budget', `is overdrawn: ${disrupting.size} of ${bounds.budget}`)
  }

  return {
    wrong: () => [...wrong.values()],
    longest,
    calm,
    repairs: repairs.counts,
    ends,
    async look() {
      const decided = decisions()
      lookAtPods()
      lookAtEnds()
      lookAtMarks(await ledger())
      lookAtBudget(decided.taken)
      repairs.look(decided.taken)
      calm.look(decided)
      lookAtOrphans()
    },
    async atTheEnd() {
      for (const each of left(world, await ledger())) say(each, 'is left over')
    },
  }
}
