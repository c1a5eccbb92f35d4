import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { LABEL, type Labels, TAINT_KEY } from '../../model/labels.ts'
import type { Resources } from '../../model/resources.ts'
import type { Taint } from '../../model/taint.ts'
import { consistencyOf, isConsistencyKnown, stepConsistency, stepInitialization } from './initialization.ts'

const STARTUP: Taint = { key: 'cni', value: 'waiting', effect: 'NoSchedule' }
const OTHER: Taint = { ...STARTUP, effect: 'NoExecute' }
const EPHEMERAL: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const GPU = 'example.com/gpu'

function step(spec: NonNullable<NodeClaimShape['spec']>, shape: NodeShape | undefined, joinedFor = 2 * MINUTE) {
  const conditions = [condition('Launched'), condition('Registered', { lastTransitionAt: ago(joinedFor) })]
  const claim = nodeClaim({ stage: 'registered', spec, status: { conditions } })
  return stepInitialization(observation({ claim, nodes: shape === undefined ? [] : [node({ initialized: false, ...shape })] }))
}

describe('a node that joined waits', () => {
  it.each<[reason: string, words: string, spec: NonNullable<NodeClaimShape['spec']>, shape: NodeShape | undefined]>([
    ['NodeNotFound', 'gone', {}, undefined],
    ['NodeNotReady', 'joiner-default-aaaaa', {}, { ready: false }],
    ['StartupTaintsExist', 'cni=waiting:NoSchedule', { startupTaints: [OTHER, STARTUP] }, { taints: [EPHEMERAL, STARTUP] }],
    ['KnownEphemeralTaintsExist', 'node.kubernetes.io/not-ready:NoSchedule', {}, { taints: [STARTUP, EPHEMERAL] }],
    ['UndeclaredTaintsExist', 'cni=waiting:NoSchedule is on the node and neither', {}, { taints: [STARTUP] }],
    ['UndeclaredTaintsExist', 'cni=waiting:NoExecute', { startupTaints: [STARTUP] }, { taints: [OTHER] }],
    ['ResourceNotRegistered', GPU, { requests: { 'example.com/unused': 0, 'z.example.com/x': 1, [GPU]: 1, cpu: 1 } }, {}],
  ])('%s: the condition says %s, and it is looked at again', (reason, words, spec, shape) => {
    const next = step(spec, shape)
    const written = writtenCondition(next?.actions ?? [], 'Initialized')
    expect(written).toMatchObject({ status: 'Unknown', reason, message: expect.stringContaining(words) })
    expect(next?.wakeAt).toBe(hence(5 * SECOND))
  })

  it.each<[sentence: string, spec: NonNullable<NodeClaimShape['spec']>, shape: NodeShape]>([
    ['a taint that its claim declares', { taints: [STARTUP] }, { taints: [STARTUP] }],
    ['a taint that only asks to be avoided', {}, { taints: [{ ...STARTUP, effect: 'PreferNoSchedule' }] }],
    ['a cordon', {}, { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }],
    ['taints of a node that has its own', {}, { taints: [STARTUP], meta: { labels: { [LABEL.doNotSyncTaints]: 'true' } } }],
    ['a resource that nobody asked for', { requests: { [GPU]: 0 } }, {}],
  ])('not for %s', (_sentence, spec, shape) => {
    const next = step(spec, shape)
    expect(kindsOf(next?.actions ?? [])).toEqual(['patchNode', 'patchStatus', 'publish Initialized'])
    expect(next?.wakeAt).toBe(NOW)
  })
})

const taint = (key: string, effect: Taint['effect'] = 'NoSchedule'): NodeShape => ({ taints: [{ key, effect }] })
const offering = (count: number): NodeShape => ({ allocatable: { ...node().allocatable, [GPU]: count } })
type Held = [sentence: string, reason: string, spec: NonNullable<NodeClaimShape['spec']>, shape: NodeShape, after?: NodeShape]

describe('a node that joined is initialized once it', () => {
  it.each<Held>([
    ['IN-05 is ready', 'NodeNotReady', {}, { ready: false }],
    ['IN-06 IN-07 offers what it did not', 'ResourceNotRegistered', { requests: { [GPU]: 1 } }, {}, offering(1)],
    ['IN-06 IN-07 offers some of what it had none', 'ResourceNotRegistered', { requests: { [GPU]: 1 } }, offering(0), offering(1)],
    ['IN-08 IN-09 loses its first startup taint', 'StartupTaintsExist', { startupTaints: [OTHER, STARTUP] }, { taints: [OTHER] }],
    ['IN-08 IN-09 loses its last startup taint', 'StartupTaintsExist', { startupTaints: [OTHER, STARTUP] }, { taints: [STARTUP] }],
    ['IN-10 IN-11 loses not-ready', 'KnownEphemeralTaintsExist', {}, taint(TAINT_KEY.notReady)],
    ['IN-10 IN-11 loses not-ready, NoExecute', 'KnownEphemeralTaintsExist', {}, taint(TAINT_KEY.notReady, 'NoExecute')],
    ['IN-10 IN-11 loses unreachable', 'KnownEphemeralTaintsExist', {}, taint(TAINT_KEY.unreachable)],
    ['IN-10 IN-11 loses uninitialized', 'KnownEphemeralTaintsExist', {}, taint(TAINT_KEY.cloudProviderUninitialized)],
    ['IN-12 passes its readiness gate', 'KnownEphemeralTaintsExist', {}, taint('readiness.k8s.io/network')],
    ['IN-12 passes its readiness gate, NoExecute', 'KnownEphemeralTaintsExist', {}, taint('readiness.k8s.io/gpu', 'NoExecute')],
  ])('%s; until then: %s', (_sentence, reason, spec, shape, after = {}) => {
    const held = step(spec, shape)?.actions ?? []
    expect([kindsOf(held), writtenCondition(held, 'Initialized')]).toMatchObject([['patchStatus'], { status: 'Unknown', reason }])
    const done = step(spec, after)?.actions ?? []
    expect([kindsOf(done)[0], writtenCondition(done, 'Initialized')]).toMatchObject(['patchNode', { status: 'True' }])
  })

  it.each<[sentence: string, annotations: Labels]>([
    ['DR-05 is ready, where its claim names no driver', {}],
    ['DR-06 is ready, whatever drivers its claim names', { 'karpenter.sh/requested-dra-drivers': 'gpu.example.com,nic.example.com' }],
  ])('%s', (_sentence, annotations) => {
    const claim = nodeClaim({ stage: 'registered', meta: { annotations } })
    const done = stepInitialization(observation({ claim, nodes: [node({ initialized: false })] }))?.actions ?? []
    expect(writtenCondition(done, 'Initialized')?.status).toBe('True')
  })
})

describe('a node with a taint that nobody declared', () => {
  it.each([
    ['waits for its end for five minutes', 5 * MINUTE - 1, 'Unknown'],
    ['is what it is from then on', 5 * MINUTE, 'True'],
  ] as const)('%s', (_sentence, joinedFor, want) => {
    expect(writtenCondition(step({}, { taints: [STARTUP] }, joinedFor)?.actions ?? [], 'Initialized')?.status).toBe(want)
  })
})

describe('a node that can run pods', () => {
  it('IN-01 IN-04 is labelled whatever its version is by now, and its claim says so once', () => {
    const actions = step({}, {})?.actions ?? []
    expect(actions[0]).toMatchObject({ node: { meta: { resourceVersion: '' } }, patch: { labels: { [LABEL.initialized]: 'true' } } })
    expect(writtenCondition(actions, 'Initialized')?.status).toBe('True')
    expect(writtenCondition(actions, 'ConsistentStateFound')?.status).toBe('True')
    expect(actions.flatMap((action) => (action.kind === 'publish' ? [[action.event.subject.kind, action.event.message]] : []))).toEqual([
      ['nodeClaim', 'node joiner-default-aaaaa is ready for pods'],
    ])
  })

  it('is not labelled again', () => {
    expect(kindsOf(step({}, { initialized: true })?.actions ?? [])).toEqual(['patchStatus', 'publish Initialized'])
  })

  it('and has less than its size promised is told of at once', () => {
    expect(kindsOf(step({}, { capacity: { cpu: 1_000 } })?.actions ?? [])).toContain('publish FailedConsistencyCheck')
  })
})

describe('a claim', () => {
  it.each([
    ['IN-03 that is not registered', 'launched'],
    ['that is initialized', 'initialized'],
  ] as const)('%s has nothing to initialize', (_sentence, stage) => {
    expect(stepInitialization(observation({ claim: nodeClaim({ stage }), nodes: [node()] }))).toBeUndefined()
  })
})

function check(requests: Resources, promised: Resources, had: Resources) {
  return consistencyOf(nodeClaim({ spec: { requests }, status: { capacity: promised } }), node({ capacity: had }))
}

describe('a node', () => {
  it.each<[sentence: string, requests: Resources, promised: Resources, had: Resources, isConsistent: boolean]>([
    ['CS-01 with all that was promised', { cpu: 1 }, { cpu: 1_000 }, { cpu: 1_000 }, true],
    ['with nine tenths of it', { cpu: 1 }, { cpu: 1_000 }, { cpu: 900 }, true],
    ['with less', { cpu: 1 }, { cpu: 1_000 }, { cpu: 899 }, false],
    ['without it', { [GPU]: 1 }, { [GPU]: 1 }, {}, false],
    ['with less of what nobody asked for', { cpu: 0, memory: 1 }, { cpu: 1_000, memory: 1 }, { cpu: 1, memory: 1 }, true],
    ['without what was asked for and never promised', { [GPU]: 1 }, {}, {}, true],
  ])('%s', (_sentence, requests, promised, had, isConsistent) => {
    const { change, events } = check(requests, promised, had)
    expect(change).toMatchObject({ type: 'ConsistentStateFound', status: isConsistent ? 'True' : 'False' })
    expect(kindsOf(events)).toEqual(isConsistent ? [] : ['publish FailedConsistencyCheck'])
  })

  it('CS-03 with half of the memory that was promised is told of, with the share', () => {
    const gib = 1024 ** 3
    const { change, events } = check({ memory: gib }, { memory: 128 * gib }, { memory: 64 * gib })
    const message = 'expected 137438953472 of resource memory, but found 68719476736 (50.0% of expected)'
    expect(change).toEqual({ type: 'ConsistentStateFound', status: 'False', reason: 'ConsistencyCheckFailed', message })
    expect(events).toMatchObject([{ event: { type: 'Warning', reason: 'FailedConsistencyCheck', message } }])
  })

  it('that is short of several is told of by the first by name, with what it has', () => {
    const { change, events } = check({ memory: 1, cpu: 1 }, { memory: 100, cpu: 4_000 }, { memory: 10, cpu: 1_000 })
    const message = 'expected 4000 of resource cpu, but found 1000 (25.0% of expected)'
    expect(change).toMatchObject({ reason: 'ConsistencyCheckFailed', message })
    expect(events).toMatchObject([{ event: { type: 'Warning', message, subject: { kind: 'nodeClaim' } } }])
  })
})

describe('a claim says again whether its node is consistent', () => {
  const wasShort = condition('ConsistentStateFound', { status: 'False' })
  const before = ['Launched', 'Registered', 'Initialized'].map((type) => condition(type))
  const claim = nodeClaim({ status: { conditions: [...before, wasShort] } })

  it('when that changed', () => {
    expect(isConsistencyKnown(claim, node())).toBe(false)
    expect(kindsOf(stepConsistency(observation({ claim, nodes: [node()] }))?.actions ?? [])).toEqual(['patchStatus'])
    expect(isConsistencyKnown(nodeClaim(), node())).toBe(true)
    expect(stepConsistency(observation({ claim: nodeClaim(), nodes: [node()] }))).toBeUndefined()
  })

  it('not before it is ready, and not while it has no node or several', () => {
    const early = nodeClaim({ stage: 'registered', status: { conditions: [...before.slice(0, 2), wasShort] } })
    expect(stepConsistency(observation({ claim: early, nodes: [node()] }))).toBeUndefined()
    expect(stepConsistency(observation({ claim, nodes: [] }))).toBeUndefined()
    expect(stepConsistency(observation({ claim, nodes: [node(), node()] }))).toBeUndefined()
  })
})
