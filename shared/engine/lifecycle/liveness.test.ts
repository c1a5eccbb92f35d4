import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { DEFAULT_SIZE, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import type { Condition } from '../../model/condition.ts'
import { zoneName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { durationMs } from '../../model/units.ts'
import { stepLiveness, stepLoss } from './liveness.ts'

const TIMEOUTS = settings({ launchTimeout: durationMs(90 * SECOND), registrationTimeout: durationMs(10 * MINUTE) })

function step(conditions: readonly Condition[], createdAt: number, more: Partial<ClaimObservation> = {}) {
  const claim = nodeClaim({ stage: 'created', meta: { createdAt: ago(createdAt) }, status: { conditions } })
  return stepLiveness(observation({ claim, settings: TIMEOUTS, ...more }))
}

const messageOf = (given: ReturnType<typeof step>) => given?.reasons[0]?.message
const launched = condition('Launched')
const registeredFor = (ms: number) => condition('Registered', { lastTransitionAt: ago(ms) })
const unready = node({ initialized: false, ready: false })

describe('a claim is given up', () => {
  it.each<[code: string, at: number, give: (age: number) => ReturnType<typeof step>]>([
    ['CLAIM.LAUNCH_TIMEOUT', 90 * SECOND, (age) => step([], age)],
    ['CLAIM.REGISTRATION_TIMEOUT', 10 * MINUTE, (age) => step([launched], age)],
    ['CLAIM.INITIALIZATION_TIMEOUT', 10 * MINUTE, (age) => step([launched, registeredFor(age)], 60 * MINUTE, { nodes: [unready] })],
  ])('%s: after %d ms, not a moment sooner', (code, at, give) => {
    expect(give(at - 1)).toBeUndefined()
    expect(give(at)).toMatchObject({ reasons: [{ code, subject: { kind: 'nodeClaim', name: 'default-aaaaa' } }], wakeAt: NOW })
    expect(kindsOf(give(at)?.actions ?? []).map((kind) => kind.split(' ')[0])).toEqual(['patchStatus', 'publish', 'deleteClaim'])
  })

  it('with the time that was given in its words', () => {
    expect(messageOf(step([], 90 * SECOND))).toContain('within 90 seconds')
    expect(messageOf(step([launched], 10 * MINUTE))).toContain('within 10 minutes')
    const late = step([launched, registeredFor(10 * MINUTE)], 60 * MINUTE, { nodes: [unready] })
    expect(messageOf(late)).toContain('10 minutes after it joined')
  })

  it.each<[sentence: string, code: string, at: number, give: (since: (type: string) => Condition) => ReturnType<typeof step>]>([
    ['LV-07 a launch', 'CLAIM.LAUNCH_TIMEOUT', 90 * SECOND, (open) => step([open('Launched'), open('Registered')], 60 * MINUTE)],
    ['LV-08 a registration', 'CLAIM.REGISTRATION_TIMEOUT', 10 * MINUTE, (open) => step([launched, open('Registered')], 60 * MINUTE)],
  ])('%s: counted from when the stage was last open', (_sentence, code, at, give) => {
    const open = (ms: number) => (type: string) => condition(type, { status: 'Unknown', lastTransitionAt: ago(ms) })
    expect(give(open(at - 1))).toBeUndefined()
    expect(give(open(at))?.reasons).toMatchObject([{ code }])
  })
})

describe('a claim that was never launched', () => {
  it.each<[sentence: string, said: Condition | undefined, isNamed: boolean]>([
    ['names what kept it', condition('Launched', { status: 'Unknown', reason: 'AzureQuota', message: 'no quota' }), true],
    [
      'names nothing where nobody tried',
      condition('Launched', { status: 'Unknown', reason: 'AwaitingReconciliation', message: 'no quota' }),
      false,
    ],
    ['does not say its own words twice', condition('Launched', { status: 'Unknown', reason: 'LaunchTimeout', message: 'no quota' }), false],
    ['names nothing where nothing is said', condition('Launched', { status: 'Unknown', reason: 'AzureQuota', message: '' }), false],
    ['names nothing where nothing was written', undefined, false],
  ])('%s', (_sentence, said, isNamed) => {
    const conditions = said === undefined ? [] : [{ ...said, lastTransitionAt: ago(MINUTE * 5) }]
    const given = step(conditions, 5 * MINUTE)
    expect(messageOf(given)).toBe(`nodeclaim default-aaaaa was not launched within 90 seconds${isNamed ? ': no quota' : ''}`)
    expect(writtenCondition(given?.actions ?? [], 'Launched')?.message).toBe(messageOf(given))
  })
})

describe('a node that joined', () => {
  const long = [launched, registeredFor(60 * MINUTE)]

  it('SV-15: and is not ready is given up with what its kubelet says', () => {
    const says = (message: string) => ({
      ...unready,
      conditions: [condition('MemoryPressure', { message: 'other' }), condition('Ready', { status: 'False', message })],
    })
    expect(messageOf(step(long, 60 * MINUTE, { nodes: [says('cni plugin not initialized')] }))).toMatch(
      /after it joined: cni plugin not initialized$/,
    )
    expect(messageOf(step(long, 60 * MINUTE, { nodes: [says('')] }))).toMatch(/after it joined$/)
    expect(messageOf(step(long, 60 * MINUTE, { nodes: [{ ...unready, conditions: [] }] }))).toMatch(/after it joined$/)
  })

  it.each<[sentence: string, conditions: readonly Condition[], more: Partial<ClaimObservation>]>([
    ['is ready', long, { nodes: [unready, node({ initialized: false })] }],
    ['is gone', long, { nodes: [] }],
    ['was ready once', [...long, condition('Initialized', { status: 'True' })], { nodes: [unready] }],
  ])('and %s is left to others', (_sentence, conditions, more) => {
    expect(step(conditions, 60 * MINUTE, more)).toBeUndefined()
  })
})

describe('F36: a node that is ready and never initialized', () => {
  const TAINT = { key: 'example.com/agent', effect: 'NoSchedule' } as const
  const TWENTY = settings({ initializationTimeout: durationMs(20 * MINUTE) })
  const waiting = (age: number, said?: string, limits = TWENTY) => {
    const annotations = said === undefined ? {} : { [ANNOTATION.initializationTimeout]: said }
    const conditions = [launched, registeredFor(age)]
    const claim = nodeClaim({ stage: 'registered', meta: { annotations }, spec: { startupTaints: [TAINT] }, status: { conditions } })
    return stepLiveness(observation({ claim, settings: limits, nodes: [node({ initialized: false, taints: [TAINT] })] }))
  }

  it('is ended when its time is over, not a moment sooner, and what is missing is named', () => {
    expect(waiting(20 * MINUTE - 1)).toBeUndefined()
    const given = waiting(20 * MINUTE)
    const says = 'was ready but not initialized 20 minutes after it joined: startup taint example.com/agent:NoSchedule is still on the node'
    expect(messageOf(given)).toBe(`the node of nodeclaim default-aaaaa ${says}`)
    expect(kindsOf(given?.actions ?? []).map((kind) => kind.split(' ')[0])).toEqual(['patchStatus', 'publish', 'deleteClaim'])
  })

  it.each<[sentence: string, said: string, isEndedAtFive: boolean, isEndedAtTwenty: boolean]>([
    ['shorter', '5m', true, true],
    ['longer', '1h', false, false],
    ['without end', 'Never', false, false],
    ['something that nobody can read', 'soon', false, true],
  ])('has the time that its pool says: %s', (_sentence, said, atFive, atTwenty) => {
    expect([waiting(5 * MINUTE, said) !== undefined, waiting(20 * MINUTE, said) !== undefined]).toEqual([atFive, atTwenty])
  })

  it('is left to others where no time is set, and where nothing is missing', () => {
    expect(waiting(600 * MINUTE, undefined, TIMEOUTS)).toBeUndefined()
    expect(
      step([launched, registeredFor(60 * MINUTE)], 60 * MINUTE, { nodes: [node({ initialized: false })], settings: TWENTY }),
    ).toBeUndefined()
  })
})

describe('time-outs of a pool', () => {
  const of = (annotations: Labels, conditions: readonly Condition[], age: number) =>
    stepLiveness(
      observation({
        claim: nodeClaim({ stage: 'created', meta: { createdAt: ago(age), annotations }, status: { conditions } }),
        settings: TIMEOUTS,
      }),
    )

  it.each<[sentence: string, annotations: Labels, conditions: readonly Condition[], before: number, code: string]>([
    ['to launch, longer', { [ANNOTATION.launchTimeout]: '8m' }, [], 8 * MINUTE, 'CLAIM.LAUNCH_TIMEOUT'],
    ['LV-06 to launch, shorter', { [ANNOTATION.launchTimeout]: '45s' }, [], 45 * SECOND, 'CLAIM.LAUNCH_TIMEOUT'],
    ['to launch, that nobody can read', { [ANNOTATION.launchTimeout]: 'soon' }, [], 90 * SECOND, 'CLAIM.LAUNCH_TIMEOUT'],
    ['to launch, without end', { [ANNOTATION.launchTimeout]: 'Never' }, [], 90 * SECOND, 'CLAIM.LAUNCH_TIMEOUT'],
    ['to join, longer', { [ANNOTATION.registrationTimeout]: '30m' }, [launched], 30 * MINUTE, 'CLAIM.REGISTRATION_TIMEOUT'],
    [
      'to join, longer than a token may live',
      { [ANNOTATION.registrationTimeout]: '25h' },
      [launched],
      10 * MINUTE,
      'CLAIM.REGISTRATION_TIMEOUT',
    ],
  ])('%s', (_sentence, annotations, conditions, at, code) => {
    expect(of(annotations, conditions, at - 1)).toBeUndefined()
    expect(of(annotations, conditions, at)?.reasons).toMatchObject([{ code }])
  })
})

describe('a claim whose time is not over', () => {
  it('is left alone at every stage', () => {
    expect(step([], SECOND)).toBeUndefined()
    expect(stepLiveness(observation({ claim: nodeClaim({ meta: { createdAt: ago(600 * MINUTE) } }), now: hence(MINUTE) }))).toBeUndefined()
  })
})

const refusal: LaunchRefusal = { problem: { code: 'AZURE.ALLOCATION.ZONE', message: 'no room' }, unavailable: [], then: 'next' }
const failed = instance({ state: { kind: 'failed', refusal } })
const gone = node({ meta: { deletedAt: ago(SECOND) } })
const launchedFor = (ms: number) =>
  nodeClaim({ stage: 'launched', status: { conditions: [condition('Launched', { lastTransitionAt: ago(ms) })] } })
const running = { claim: nodeClaim(), instance: instance(), nodes: [node()] }

const CASES: { readonly [sentence: string]: readonly [given: Partial<ClaimObservation>, code: ProblemCode | undefined, words?: string] } = {
  'a claim whose machine and node are well is not lost': [running, undefined],
  'a node that somebody deletes takes its claim along': [{ ...running, nodes: [gone] }, 'CLAIM.NODE_DELETED', 'joiner-default-aaaaa'],
  'a node that somebody deletes and that others hold does not': [
    { ...running, nodes: [{ ...gone, meta: { ...gone.meta, finalizers: ['x'] } }] },
    undefined,
  ],
  'a node that is gone takes its claim along': [{ ...running, nodes: [] }, 'CLAIM.NODE_DELETED', 'nodeclaim default-aaaaa'],
  'a node that is gone does so though nobody asked for its machine': [{ ...running, nodes: [], instance: 'unseen' }, 'CLAIM.NODE_DELETED'],
  'a node that has not come yet is not gone': [{ ...running, claim: launchedFor(MINUTE), nodes: [] }, undefined],
  'a machine that Azure failed to make ends its claim': [
    { claim: launchedFor(MINUTE), instance: failed },
    'AZURE.ALLOCATION.ZONE',
    'failed: no room',
  ],
  'a machine that failed under a node that joined is left to its node': [{ ...running, instance: failed }, undefined],
  'a machine that is being made is none that failed': [
    { claim: launchedFor(MINUTE), instance: instance({ state: { kind: 'creating' } }) },
    undefined,
  ],
  'a machine that is gone ends its claim': [{ claim: launchedFor(30 * SECOND) }, 'CLAIM.INSTANCE_GONE', 'nodeclaim default-aaaaa'],
  'a machine that Azure may not show yet is not gone': [{ claim: launchedFor(30 * SECOND - 1) }, undefined],
  'a machine that nobody asked for is not gone': [{ claim: launchedFor(MINUTE), instance: 'unseen' }, undefined],
  'a machine that nobody launched is not gone': [{ claim: nodeClaim({ stage: 'created' }) }, undefined],
  'a machine is not gone while one of its nodes is ready': [{ claim: nodeClaim(), nodes: [node({ ready: false }), node()] }, undefined],
  'a machine is gone when none of its nodes is ready': [{ claim: nodeClaim(), nodes: [node({ ready: false })] }, 'CLAIM.INSTANCE_GONE'],
}

describe('what a claim has lost', () => {
  it.each(Object.entries(CASES))('%s', (_sentence, [given, code, words = '']) => {
    const step = stepLoss(observation(given))
    if (code === undefined) return expect(step).toBeUndefined()
    expect(step).toMatchObject({
      reasons: [{ code, subject: { kind: 'nodeClaim', name: 'default-aaaaa' }, message: expect.stringContaining(words) }],
      wakeAt: NOW,
    })
    expect(step?.actions.at(-1)).toMatchObject({ kind: 'deleteClaim', code })
    expect(step?.actions.at(-2)).toMatchObject({ event: { type: 'Warning', message: step?.reasons[0]?.message } })
  })

  it('keeps others from the offerings that failed, and its NodeClass from the size where Azure named none', () => {
    const unavailable: LaunchRefusal['unavailable'] = [
      { scope: { kind: 'capacityType', capacityType: 'spot' }, until: NOW, code: 'AZURE.ALLOCATION.ZONE', message: '' },
    ]
    const marked = instance({ state: { kind: 'failed', refusal: { ...refusal, unavailable } } })
    const actions = (machine: typeof failed) => stepLoss(observation({ claim: launchedFor(MINUTE), instance: machine }))?.actions ?? []
    for (const [machine, offerings, reported] of [
      [marked, unavailable, []],
      [failed, [{ scope: { kind: 'offering', size: DEFAULT_SIZE, nodeClass: { name: 'default' } } }], ['reportSize']],
    ] as const) {
      expect(actions(machine)[0]).toMatchObject({ kind: 'markUnavailable', offerings })
      const then = ['patchStatus', 'publish AsyncProvisioningError', 'deleteClaim']
      expect(kindsOf(actions(machine))).toEqual(['markUnavailable', ...reported, ...then])
    }
  })

  it.each<[sentence: string, capacityType: string, avoided: readonly string[], scopes: readonly object[] | undefined]>([
    ['F20 of a spot machine keeps others from its size in its zone', 'spot', [], [{ zone: 'eastus-1' }]],
    ['F20 and in all zones where it was lost in another one before', 'spot', ['eastus-2'], [{ zone: 'eastus-1' }, {}]],
    ['of an on-demand machine keeps nobody from anything', 'on-demand', ['eastus-2'], undefined],
  ])('%s', (_sentence, capacityType, avoided, scopes) => {
    const offering = { kind: 'offering', size: DEFAULT_SIZE, capacityType: 'spot' } as const
    const unavailable = avoided.map((zone) => {
      const scope = { ...offering, zone: zoneName(zone) }
      return { scope, until: hence(MINUTE), code: 'AZURE.ALLOCATION.ZONE', message: '' } as const
    })
    const claim = nodeClaim({ capacityType, status: { conditions: [condition('Launched', { lastTransitionAt: ago(MINUTE) })] } })
    const actions = stepLoss(observation({ claim, unavailable }))?.actions ?? []
    const marked = actions.flatMap((action) => (action.kind === 'markUnavailable' ? action.offerings : []))
    expect(marked.map(({ scope }) => scope)).toEqual((scopes ?? []).map((each) => ({ ...offering, ...each })))
    expect(marked.every(({ until }) => until === hence(10 * MINUTE))).toBe(true)
    expect(actions.filter(({ kind }) => kind === 'reportSize')).toEqual(
      scopes === undefined ? [] : [{ kind: 'reportSize', failure: 'evicted' }],
    )
  })
})
