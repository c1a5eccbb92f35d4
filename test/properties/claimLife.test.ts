/** Random lives of a claim. After each event, the claim is stepped until a step has nothing more to write. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../shared/base/json.ts'
import { afterLaunch } from '../../shared/engine/lifecycle/launch.ts'
import { stepNodeClaim } from '../../shared/engine/lifecycle/stepNodeClaim.ts'
import { DISRUPTED_TAINT, isDoNotDisrupt } from '../../shared/engine/pod/podPredicates.ts'
import type { ClaimAction, ClaimObservation } from '../../shared/model/claimStep.ts'
import { isTrue } from '../../shared/model/condition.ts'
import { ANNOTATION, LABEL, TAINT_KEY } from '../../shared/model/labels.ts'
import { deadlineOf } from '../../shared/model/nodeClaim.ts'
import { formatTimestamp } from '../../shared/model/time.ts'
import { type DurationMs, durationMs, later } from '../../shared/model/units.ts'
import { applied } from '../builders/applied.ts'
import { MINUTE, NOW, SECOND } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { instance } from '../builders/instance.ts'
import { withoutLabel } from '../builders/meta.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { observation } from '../builders/observation.ts'
import { pod } from '../builders/pod.ts'
import { casesOf } from './cases.ts'

const RUNS = casesOf(300)
const HOST = node().name
/** The largest number of steps after one event. A whole life has fewer writes. */
const MOST_STEPS = 12
const STAGES = ['Launched', 'Registered', 'Initialized', 'Drained', 'InstanceTerminating'] as const

type Happening =
  | { readonly what: 'time'; readonly ms: DurationMs }
  | { readonly what: 'pod'; readonly protection: string | undefined; readonly grace: number | undefined; readonly isDaemon: boolean }
  | { readonly what: 'deadline'; readonly said: number | 'soon' }
  | {
      readonly what:
        | 'join'
        | 'unready'
        | 'ready'
        | 'taint'
        | 'untaint'
        | 'podsGone'
        | 'nodeGone'
        | 'machineFailed'
        | 'machineGone'
        | 'delete'
    }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('time' as const),
      ms: fc.constantFrom(1, 900, 2 * SECOND, 10 * SECOND, MINUTE, 10 * MINUTE).map(durationMs),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('pod' as const),
      protection: fc.constantFrom(undefined, 'true', '30s', 'maybe'),
      grace: fc.constantFrom(undefined, 0, 5, 30, 600),
      isDaemon: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('deadline' as const), said: fc.constantFrom<(number | 'soon')[]>(-10, 5, 40, 900, 'soon') }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constantFrom<Exclude<Happening['what'], 'time' | 'pod' | 'deadline'>[]>(
        'join',
        'join',
        'ready',
        'unready',
        'taint',
        'untaint',
        'podsGone',
        'podsGone',
        'nodeGone',
        'machineFailed',
        'machineGone',
        'delete',
      ),
    }),
  },
)

const life = fc.record({ grace: fc.constantFrom(undefined, 0, 30, 300), happenings: fc.array(happening, { minLength: 5, maxLength: 30 }) })

/** The world right after an event, before any step. */
function after(world: ClaimObservation, event: Happening, number: number): ClaimObservation {
  const { claim, nodes, now } = world
  const change = (conditions: (typeof nodes)[number]['conditions'], taints = nodes[0]?.taints ?? []): ClaimObservation => ({
    ...world,
    nodes: nodes.map((each) => ({ ...each, conditions, taints })),
  })
  const conditions = nodes[0]?.conditions ?? []
  switch (event.what) {
    case 'time':
      return { ...world, now: later(now, event.ms) }
    case 'join':
      return nodes.length > 0 || typeof world.instance !== 'object' ? world : { ...world, nodes: [joined()] }
    case 'ready':
      return change([condition('Ready')])
    case 'unready':
      return change([condition('Ready', { status: 'False' })])
    case 'taint':
      return change(conditions, [...(nodes[0]?.taints ?? []).filter(({ key }) => key !== 'own'), { key: 'own', effect: 'NoSchedule' }])
    case 'untaint':
      return change(
        conditions,
        (nodes[0]?.taints ?? []).filter(({ key }) => key !== 'own'),
      )
    case 'pod':
      return nodes.length === 0 ? world : { ...world, pods: [...world.pods, podOf(event, number)] }
    case 'podsGone':
      return { ...world, pods: world.pods.filter(({ deletedAt }) => deletedAt === undefined) }
    case 'nodeGone':
      return { ...world, nodes: [], pods: [] }
    case 'machineFailed': {
      const refusal = { problem: { code: 'AZURE.FAILED', message: 'it failed' }, unavailable: [], then: 'stop' } as const
      return typeof world.instance === 'object' ? { ...world, instance: { ...world.instance, state: { kind: 'failed', refusal } } } : world
    }
    case 'machineGone':
      return { ...world, instance: undefined }
    case 'delete':
      return claim.meta.deletedAt === undefined ? { ...world, claim: { ...claim, meta: { ...claim.meta, deletedAt: now } } } : world
    case 'deadline': {
      const said = event.said === 'soon' ? 'soon' : formatTimestamp(later(now, durationMs(event.said * SECOND)))
      const annotations = { ...claim.meta.annotations, [ANNOTATION.terminationTimestamp]: said }
      // An earlier deadline is kept.
      return deadlineOf(claim) === undefined ? { ...world, claim: { ...claim, meta: { ...claim.meta, annotations } } } : world
    }
  }
}

function joined() {
  const taints = [{ key: TAINT_KEY.unregistered, effect: 'NoExecute' }] as const
  return withoutLabel(node({ initialized: false, ready: false, taints, meta: { finalizers: [] } }), LABEL.registered)
}

function podOf({ protection, grace, isDaemon }: Extract<Happening, { readonly what: 'pod' }>, number: number) {
  const annotations = protection === undefined ? {} : { [ANNOTATION.doNotDisrupt]: protection }
  const owner = isDaemon ? { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: pod().uid } } : {}
  const seconds = grace === undefined ? {} : { terminationGracePeriodSeconds: grace }
  return pod({ name: `pod-${number}`, nodeName: HOST, phase: 'Running', annotations, startedAt: NOW, ...owner, ...seconds })
}

/** Actions on pods and machines, and messages, may be repeated. A write of an object counts as progress. */
const REPEATED: ReadonlySet<ClaimAction['kind']> = new Set([
  'evictPod',
  'deletePod',
  'terminateInstance',
  'publish',
  'deleteBootstrapToken',
  'markUnavailable',
])

/** Steps the claim until nothing more is written, and judges each step. Returns the final world. */
function settle(before: ClaimObservation): ClaimObservation {
  let world = before
  for (let step = 0; step < MOST_STEPS; step++) {
    const { actions } = stepNodeClaim(world)
    for (const action of actions) judge(world, action)
    const next = launchedOf(applied(world, actions), actions)
    neverBack(world, next)
    const isSettled = actions.every(({ kind }) => REPEATED.has(kind)) && canonicalJson(next.pods) === canonicalJson(world.pods)
    world = next
    if (isSettled) return world
  }
  throw new Error(`a claim is not settled after ${MOST_STEPS} steps: ${JSON.stringify(stepNodeClaim(world).actions)}`)
}

function launchedOf(world: ClaimObservation, actions: readonly ClaimAction[]): ClaimObservation {
  const launch = actions.find((action) => action.kind === 'launch')
  const [candidate] = launch?.plan.candidates ?? []
  if (candidate === undefined) return world
  const made = instance({ size: candidate.choice.size, zone: candidate.choice.zone, createdAt: world.now })
  return { ...applied(world, afterLaunch(world, candidate, made).actions), instance: made }
}

/** Checks that no pod is deleted before the deadline minus its grace period, and that a protected pod is deleted only because of a deadline. */
function judge({ claim, now }: ClaimObservation, action: ClaimAction): void {
  if (action.kind === 'evictPod') expect(isDoNotDisrupt(action.pod, now), `${action.pod.key} is protected and evicted`).toBe(false)
  if (action.kind !== 'deletePod') return
  const deadline = deadlineOf(claim)
  expect(deadline, `${action.pod.key} is deleted without a deadline`).toBeDefined()
  const grace = (action.pod.terminationGracePeriodSeconds ?? 0) * SECOND
  const isEndingLate = action.pod.deletedAt !== undefined && action.pod.deletedAt > (deadline ?? 0)
  expect(isEndingLate || now > (deadline ?? 0) - grace, `${action.pod.key} is deleted too early`).toBe(true)
  expect(action.gracePeriodSeconds).toBeGreaterThan(0)
}

/** Checks that a reached stage stays reached, a disruption taint stays, and a deadline only moves earlier. */
function neverBack(before: ClaimObservation, next: ClaimObservation): void {
  for (const stage of STAGES)
    if (isTrue(before.claim.status.conditions, stage)) expect(isTrue(next.claim.status.conditions, stage), stage).toBe(true)
  if (before.claim.meta.deletedAt !== undefined) expect(next.claim.meta.deletedAt).toBe(before.claim.meta.deletedAt)
  const [first, second] = [deadlineOf(before.claim), deadlineOf(next.claim)]
  if (first !== undefined) expect(second).toBeLessThanOrEqual(first)
  const isClosed = ({ nodes }: ClaimObservation): boolean =>
    nodes.some(({ taints }) => taints.some(({ key }) => key === DISRUPTED_TAINT.key))
  if (isClosed(before) && next.nodes.length > 0) expect(isClosed(next)).toBe(true)
}

function startOf(grace: number | undefined): ClaimObservation {
  const spec = grace === undefined ? {} : { terminationGracePeriod: durationMs(grace * SECOND) }
  return observation({ claim: nodeClaim({ stage: 'created', meta: { createdAt: NOW, finalizers: [] }, spec }) })
}

describe('the life of a claim, whatever happens', () => {
  it('contradicts no earlier step, settles in each moment, and takes pods only as deadlines and protection let it', () => {
    fc.assert(
      fc.property(life, ({ grace, happenings }) => {
        let world = settle(startOf(grace))
        for (const [number, event] of happenings.entries()) world = settle(after(world, event, number))
      }),
      { numRuns: RUNS, seed: 20 },
    )
  })

  it('writes nothing once it is settled', () => {
    fc.assert(
      fc.property(life, ({ grace, happenings }) => {
        const world = happenings.reduce((seen, event, number) => settle(after(seen, event, number)), settle(startOf(grace)))
        const writes = stepNodeClaim(world).actions.filter(({ kind }) => !REPEATED.has(kind))
        expect(writes).toEqual([])
      }),
      { numRuns: RUNS, seed: 21 },
    )
  })

  it('comes to an end when its pods go and Azure ends the machine', () => {
    fc.assert(
      fc.property(life, ({ grace, happenings }) => {
        let world = happenings.reduce((seen, event, number) => settle(after(seen, event, number)), settle(startOf(grace)))
        world = settle(after(world, { what: 'delete' }, 0))
        for (let look = 0; look < 6; look++) {
          const isAsked = typeof world.instance === 'object' && world.instance.state.kind === 'deleting'
          world = settle({
            ...world,
            pods: [],
            now: later(world.now, durationMs(10 * SECOND)),
            instance: isAsked ? undefined : world.instance,
          })
        }
        expect(world.claim.meta.finalizers).toEqual([])
        expect(world.nodes).toEqual([])
      }),
      { numRuns: RUNS, seed: 22 },
    )
  })
})
