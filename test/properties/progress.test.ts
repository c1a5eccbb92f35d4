/**
 * Progress: decisions whose steps do not suffice for all pods go on where they stopped. So each pod has its turn after a bounded number of decisions,
 * whatever the other pods cost.
 */
import { describe, expect, it } from 'vitest'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot, Nomination } from '../../shared/model/clusterSnapshot.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { WORLDS } from '../adversarial/worlds.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { daemonSnapshot, wideSnapshot } from '../generators/wideSnapshot.ts'
import { withBound } from '../oracle/consolidation/standing.ts'

const PROMISED_MS = 900_000

type Step = {
  /** Pods that got a place, or were refused for a reason of their own. */
  readonly settled: ReadonlySet<string>
  /** Pods that wait for the next decision because the steps did not suffice. */
  readonly waiting: ReadonlySet<string>
  readonly wakeAt: EpochMs | undefined
  /** The cluster as the next decision sees it, before any machine has started. */
  readonly after: ClusterSnapshot
}

function stepOf(given: ClusterSnapshot): Step {
  const planning = loadPlanning(given.objects)
  const { actions, reasons, wakeAt, provisioningCursor } = planning.decide(given)
  const waiting = new Set(reasons.flatMap(({ code, subject }) => (code === 'SCHEDULING.DEADLINE' ? [subject.name] : [])))
  const settled = new Set(reasons.flatMap(({ code, subject }) => (code === 'SCHEDULING.DEADLINE' ? [] : [subject.name])))
  const until = epochMs(given.takenAt + PROMISED_MS)
  const creates = actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
  const promised = creates.flatMap((action) => action.pods.map(({ uid }): Nomination => ({ pod: uid, claim: action.draft.name, until })))
  for (const { pods } of creates) for (const { key } of pods) settled.add(key)
  const bound = new Map<string, string>()
  for (const { pod, existingNode } of planning.plan(given).provisioning?.assigned().onExistingNodes ?? []) {
    settled.add(pod.key)
    if (existingNode.claim === undefined) bound.set(pod.key, existingNode.label)
    else promised.push({ pod: pod.uid, claim: existingNode.claim, until })
  }
  const renewed = new Set(promised.map(({ pod }) => pod))
  const { provisioningCursor: _, ...rest } = withBound(given, bound)
  const after = {
    ...rest,
    takenAt: epochMs(given.takenAt + 1),
    decision: given.decision + 1,
    drafts: [...given.drafts, ...creates.map(({ draft }) => draft)],
    nominations: [...given.nominations.filter(({ pod }) => !renewed.has(pod)), ...promised],
    ...(provisioningCursor === undefined ? {} : { provisioningCursor }),
  }
  return { settled, waiting, wakeAt, after }
}

/** A decision after which the turns begin with the first pod again need not ask for the next one at once. */
const MOST_RESTS = 3

/** The number of decisions until each pod was settled once. Throws if a whole round of turns settles no further pod before. */
function decisionsUntilSettled(given: ClusterSnapshot, maxSteps: number): number {
  let now: ClusterSnapshot = { ...given, settings: { ...given.settings, maxSteps } }
  const settled = new Set<string>()
  let [idle, rests] = [0, 0]
  for (let count = 1; ; count++) {
    const before = settled.size
    const step = stepOf(now)
    for (const key of step.settled) settled.add(key)
    const open = [...step.waiting].filter((key) => !settled.has(key))
    if (open.length === 0) return count
    idle = settled.size === before ? idle + 1 : 0
    if (idle > given.objects.pod.length) throw new Error(`decision ${count}: ${open.length} pods have had no turn: ${open[0]}`)
    if (step.wakeAt !== now.takenAt && ++rests > MOST_RESTS)
      throw new Error(`decision ${count} does not ask for the next one at once; ${open.join()} have had no turn, steps ${maxSteps}`)
    now = step.after
  }
}

/** From steps that hardly suffice for one pod to steps for some dozens. */
const STEPS = [2_000, 30_000, 300_000]

describe('decisions that cannot reach all pods', () => {
  it.each(WORLDS)('come to an end in the world $name', ({ build }) => {
    for (const steps of STEPS) expect(decisionsUntilSettled(build(24), steps)).toBeGreaterThanOrEqual(1)
  })

  it.each([
    ['random', randomSnapshot],
    ['wide', wideSnapshot],
    ['daemon', daemonSnapshot],
  ])('come to an end in %s clusters', (_, build) => {
    for (let seed = 1; seed <= 40; seed++)
      for (const steps of STEPS) expect(decisionsUntilSettled(build(seed), steps), `seed ${seed}`).toBeGreaterThanOrEqual(1)
  })
})
