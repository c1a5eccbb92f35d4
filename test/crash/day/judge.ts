/** Checks that hold at every time of a day. */
import type { MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { emptyLedger } from '../../../shared/flows/ledger/nextLedger.ts'
import { TAINT_KEY } from '../../../shared/model/labels.ts'
import type { Ledger } from '../../../shared/model/ledger.ts'
import { nodeNameOf } from '../../builders/nodeClaim.ts'
import { type CycleJudge, createCycleJudge } from './cycleJudge.ts'
import { createDecisions, type Taken } from './decisions.ts'
import { left, ownerless } from './leftovers.ts'
import { createRepairs, type Repairs } from './repairs.ts'
import { createSince } from './since.ts'
import { createWaits, type Wait } from './waits.ts'

const NEVER = new AbortController().signal
/** A disruption taint may stay on a node no longer than this without a move. */
const SWEPT_WITHIN_MS = 60_000
/** Garbage collection spares the first five minutes of a machine. Then it takes two sweeps, two minutes apart, and a strike may spoil one sweep. */
const ORPHAN_MS = 11 * 60_000
/** A machine with pods on its node is drained first: for half an hour at most, and then with two more sweeps. */
const ORPHAN_DRAINED_MS = 34 * 60_000
/** Each PodDisruptionBudget allows one eviction at a time, and several nodes drain in parallel. */
const ENDED_WITHIN_MS = 15 * 60_000
/** Reasons of disruptions that no budget of a pool limits. */
const FORCED: ReadonlySet<string> = new Set(['Expired', 'ScaledDown'])

export type Judge = {
  /** Called every few seconds. */
  look(): Promise<void>
  /** Called at each full hour. */
  atTheHour(): void
  /** Called at the end, when no load has been wanted for a while. */
  atTheEnd(): Promise<void>
  readonly calm: CycleJudge
  readonly repairs: Repairs['counts']
  /** Each violation once, with the time of its first sight. */
  wrong(): readonly string[]
  readonly longest: { pendingMs: number; endingMs: number; orphanMs: number; idleOrphanMs: number; markedMs: number; disrupted: number }
  /** The pods that waited for a node, and the nodes that came late: a pod of theirs waited longer than `pendingMs`. A pod deleted so late counts as one. */
  readonly pods: { waited: number; late: number }
  /** The number of disrupted machines by reason. */
  readonly ends: ReadonlyMap<string, number>
}

export type Bounds = {
  /** The longest time without a node of the pods that have none at a full hour. */
  readonly pendingMs: number
  /** The longest time at any time: two troubles may meet. */
  readonly struckMs: number
  readonly budget: number
}

export function createJudge(world: MemoryWorld, bounds: Bounds): Judge {
  const { objects, clock } = world
  const startedAt = clock.now()
  const wrong = new Map<string, string>()
  const longest = { pendingMs: 0, endingMs: 0, orphanMs: 0, idleOrphanMs: 0, markedMs: 0, disrupted: 0 }
  const orphans = createSince(() => clock.now())
  const idleOrphans = createSince(() => clock.now())
  const marked = createSince(() => clock.now())
  const waits = createWaits(world)
  const pods = { waited: 0, late: 0 }
  const late = new Set<string>()
  const hour = (): string => `${((clock.now() - startedAt) / 3_600_000).toFixed(3)} h`
  const say = (what: string, how: string): void => void (wrong.has(what) || wrong.set(what, `${hour()}: ${what} ${how}`))
  const decisions = createDecisions(world)
  const calm = createCycleJudge(world, say)
  const repairs = createRepairs(world, say)
  const ends = new Map<string, number>()
  const disrupting = new Set<string>()

  const ledger = async (): Promise<Ledger> => {
    const loaded = await world.ports.ledger.load(NEVER)
    return (loaded.ok ? loaded.value?.value : undefined) ?? emptyLedger(world.cluster)
  }

  function judgeWaits(all: readonly Wait[], limitMs: number): void {
    for (const { pod, ms } of all) {
      longest.pendingMs = Math.max(longest.pendingMs, ms)
      if (ms > limitMs) say(`pod ${pod}`, `has no node for ${ms / 1_000} s, more than ${limitMs / 1_000} s`)
    }
  }

  function lookAtPods(): void {
    const ended = waits.ended()
    pods.waited += ended.length
    for (const { pod, ms, node } of ended) if (ms > bounds.pendingMs) late.add(node ?? pod)
    pods.late = late.size
    judgeWaits([...ended, ...waits.now()], bounds.struckMs)
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
    // The taint may stay on the node of a claim that is ending, and on a node without a claim: garbage collection drains that node.
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

  /** Machines of moves count against the budget until Azure was asked to delete them. */
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
    pods,
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
    atTheHour() {
      judgeWaits(waits.now(), bounds.pendingMs)
    },
    async atTheEnd() {
      for (const each of left(world, await ledger())) say(each, 'is left over')
    },
  }
}
