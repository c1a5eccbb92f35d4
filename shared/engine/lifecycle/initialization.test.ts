import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { LABEL } from '../../model/labels.ts'
import type { Taint } from '../../model/taint.ts'
import { stepInitialization } from './initialization.ts'

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

describe('a node with a taint that nobody declared', () => {
  it.each([
    ['waits for its end for five minutes', 5 * MINUTE - 1, 'Unknown'],
    ['is what it is from then on', 5 * MINUTE, 'True'],
  ] as const)('%s', (_sentence, joinedFor, want) => {
    expect(writtenCondition(step({}, { taints: [STARTUP] }, joinedFor)?.actions ?? [], 'Initialized')?.status).toBe(want)
  })
})

describe('a node that can run pods', () => {
  it('is labelled whatever its version is by now, and its claim says so once', () => {
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
    ['that is not registered', 'launched'],
    ['that is initialized', 'initialized'],
  ] as const)('%s has nothing to initialize', (_sentence, stage) => {
    expect(stepInitialization(observation({ claim: nodeClaim({ stage }), nodes: [node()] }))).toBeUndefined()
  })
})
