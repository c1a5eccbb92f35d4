import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { pod } from '../../../test/builders/pod.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import type { Condition } from '../../model/condition.ts'
import { ANNOTATION, FINALIZER, LABEL } from '../../model/labels.ts'
import { durationMs } from '../../model/units.ts'
import { stepTermination } from './termination.ts'

const UP = [condition('Launched'), condition('Registered'), condition('Initialized')]
const begun = (ms: number): readonly Condition[] => [...UP, condition('Drained', { status: 'Unknown', lastTransitionAt: ago(ms) })]
const DRAINED = [...UP, condition('Drained')]
const closed = node({ meta: { deletedAt: ago(SECOND) } })

function ending(conditions: readonly Condition[], more: Partial<ClaimObservation> = {}, shape: NodeClaimShape = {}): ClaimObservation {
  const claim = nodeClaim({ ...shape, meta: { deletedAt: ago(SECOND), ...shape.meta }, status: { conditions } })
  return observation({ claim, nodes: [closed], instance: instance(), ...more })
}

function step(...given: Parameters<typeof ending>): ClaimStep {
  return stepTermination(ending(...given))
}

/** The conditions that the first step after the drain leaves. */
const TERMINATING = applied(ending(DRAINED), step(DRAINED).actions).claim.status.conditions

/** What is done beside closing the node. */
const deeds = ({ actions }: ClaimStep) => kindsOf(actions).filter((kind) => kind !== 'patchNode' && kind !== 'deleteNode')

describe('a drain', () => {
  it('that begins is told by the condition, and looks again when the node may count as drained', () => {
    const app = pod({ nodeName: node().name })
    const first = step(UP, { pods: [app] })
    expect(deeds(first)).toEqual(['patchStatus', 'evictPod'])
    expect(first).toMatchObject({ reasons: [], wakeAt: hence(5 * SECOND) })
    expect(first.dueAt).toBeUndefined()
  })

  it('that goes on leaves what there is to say to the answers of the evictions', () => {
    expect(deeds(step(begun(SECOND), { pods: [pod({ nodeName: node().name })] }))).toEqual(['evictPod'])
  })

  it('without pods to take says how many it waits for', () => {
    const held = pod({ nodeName: node().name, annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })
    const waits = step(begun(MINUTE), { pods: [held] })
    expect(deeds(waits)).toEqual(['patchStatus'])
    expect(waits.wakeAt).toBe(hence(SECOND))
  })

  it.each([
    [4_999, false],
    [5_000, true],
  ])('NT-26 that has been quiet for %d ms is over: %j', (quiet, isOver) => {
    const next = step(begun(quiet))
    expect(writtenCondition(next.actions, 'Drained')?.status).toBe(isOver ? 'True' : 'Unknown')
    expect(next).toMatchObject({ reasons: [], wakeAt: isOver ? NOW : hence(5_000 - quiet) })
  })

  it.each<[sentence: string, conditions: readonly Condition[], more: Partial<ClaimObservation>, isDrained: boolean]>([
    ['is of no node that did not register', UP.slice(0, 1), { nodes: [node({ meta: { labels: { [LABEL.registered]: '' } } })] }, false],
    ['is of a node that was registered though its claim does not say so', UP.slice(0, 1), {}, true],
    ['is of no node that is gone', UP, { nodes: [] }, false],
    ['is not done twice', DRAINED, {}, false],
    ['is of no node that runs nothing, its machine being gone', UP, { instance: undefined, nodes: [node({ ready: false })] }, false],
    ['is of a node that is not ready, while its machine is there', UP, { nodes: [node({ ready: false })] }, true],
    [
      'is of a node that is not ready, while nobody asked for its machine',
      UP,
      { instance: 'unseen', nodes: [node({ ready: false })] },
      true,
    ],
    ['is of nodes one of which is ready', UP, { instance: undefined, nodes: [node({ ready: false }), node()] }, true],
  ])('%s', (_sentence, conditions, more, isDrained) => {
    expect(kindsOf(step(conditions, more).actions).includes('terminateInstance')).toBe(!isDrained)
  })
})

describe('the end of a machine', () => {
  it.each<
    [sentence: string, conditions: readonly Condition[], seen: ClaimObservation['instance'], want: readonly string[], wakeAt: number]
  >([
    ['is asked for and written', DRAINED, instance(), ['terminateInstance', 'patchStatus'], hence(2 * SECOND)],
    ['is asked for again while Azure does not say that it ends', TERMINATING, instance(), ['terminateInstance'], hence(2 * SECOND)],
    ['is asked for again while nobody saw it', TERMINATING, 'unseen', ['terminateInstance'], hence(2 * SECOND)],
    ['CT-06 is waited for', TERMINATING, instance({ state: { kind: 'deleting' } }), [], hence(2 * SECOND)],
    [
      'that ends by itself is asked for once',
      DRAINED,
      instance({ state: { kind: 'deleting' } }),
      ['terminateInstance', 'patchStatus'],
      hence(2 * SECOND),
    ],
    ['that is gone is asked for once, for what it left', DRAINED, undefined, ['terminateInstance', 'patchStatus'], NOW],
  ])('%s', (_sentence, conditions, seen, want, wakeAt) => {
    const next = step(conditions, { instance: seen })
    expect(kindsOf(next.actions)).toEqual(want)
    expect(next).toMatchObject({ reasons: [], wakeAt })
    if (want.includes('patchStatus')) expect(writtenCondition(next.actions, 'InstanceTerminating')?.status).toBe('True')
  })
})

describe('what is left once the machine is gone', () => {
  it.each<[sentence: string, shape: NodeShape, want: readonly string[]]>([
    ['a node', {}, ['deleteNode', 'removeNodeFinalizer']],
    ['a node that is deleted', { meta: { deletedAt: ago(SECOND) } }, ['removeNodeFinalizer']],
  ])('%s goes, then the claim; the token went as the node joined', (_sentence, shape, want) => {
    const last = step(TERMINATING, { instance: undefined, nodes: [node(shape)] })
    expect(kindsOf(last.actions)).toEqual([...want, 'removeFinalizer'])
    expect(last.reasons).toEqual([])
    expect(last.wakeAt).toBeUndefined()
  })
})

describe('a node that others hold', () => {
  const others = { meta: { finalizers: ['example.com/f', FINALIZER, 'example.com/g'] } }

  it.each<[sentence: string, shape: NodeShape, want: readonly string[]]>([
    ['is deleted', others, ['deleteNode', 'removeNodeFinalizer']],
    ['is left to them once it is deleted', { meta: { finalizers: ['example.com/f'], deletedAt: ago(SECOND) } }, []],
  ])('%s, and keeps the claim', (_sentence, shape, want) => {
    const last = step(TERMINATING, { instance: undefined, nodes: [node(shape)] })
    expect(kindsOf(last.actions)).toEqual([...want, 'publish AwaitingNodeDeletion'])
    expect(last.wakeAt).toBe(hence(15 * SECOND))
  })

  it('is named with them', () => {
    const last = step(TERMINATING, { instance: undefined, nodes: [node(others)] })
    expect(last.actions.at(-1)).toMatchObject({
      event: { message: 'node joiner-default-aaaaa has the finalizers example.com/f, example.com/g' },
    })
  })

  it('does not keep a claim that never registered: its node goes with the machine', () => {
    const conditions = [condition('Launched'), condition('InstanceTerminating')]
    const last = step(conditions, {
      instance: undefined,
      nodes: [node({ meta: { labels: { [LABEL.registered]: '' }, finalizers: ['example.com/f'] } })],
    })
    expect(kindsOf(last.actions)).toEqual(['deleteNode', 'deleteBootstrapToken', 'removeFinalizer'])
  })
})

describe('two nodes of one machine', () => {
  it('CT-07 both are closed and deleted as the end begins, and go with the claim', () => {
    const twin = node({ name: 'twin', providerId: providerIdOf('default-aaaaa'), meta: { finalizers: [FINALIZER] } })
    const named = ({ actions }: ClaimStep, kind: 'deleteNode' | 'patchNode' | 'removeNodeFinalizer') =>
      actions.flatMap((action) => (action.kind === kind ? [action.node.name] : []))
    const nodes = [node(), twin]
    const both = nodes.map(({ name }) => name)
    const first = step(UP, { nodes })
    expect([named(first, 'patchNode'), named(first, 'deleteNode')]).toEqual([both, both])
    const last = step(TERMINATING, { instance: undefined, nodes })
    expect([named(last, 'deleteNode'), named(last, 'removeNodeFinalizer')]).toEqual([both, both])
    expect(last.actions.at(-1)?.kind).toBe('removeFinalizer')
  })
})

describe('what is left of a machine that never joined', () => {
  it('goes as well: its node, and the token that it did not use', () => {
    const conditions = [condition('Launched'), condition('InstanceTerminating')]
    const left = node({ meta: { labels: { [LABEL.registered]: '' }, finalizers: [] } })
    const last = step(conditions, { instance: undefined, nodes: [left] })
    expect(kindsOf(last.actions)).toEqual(['deleteNode', 'deleteBootstrapToken', 'removeFinalizer'])
  })
})

describe('a deadline', () => {
  const spec = { terminationGracePeriod: durationMs(2 * MINUTE) }

  it('is written before anything else, beside what is there, and said', () => {
    const meta = { annotations: { own: 'yes' } }
    const first = step(UP, {}, { spec, meta })
    expect(kindsOf(first.actions)).toEqual(['patchClaim', 'publish TerminationGracePeriodExpiring'])
    expect(first.actions).toMatchObject([
      { annotations: { own: 'yes', [ANNOTATION.terminationTimestamp]: '2026-01-01T00:01:59Z' }, labels: nodeClaim().meta.labels },
      { event: { type: 'Warning', subject: { kind: 'nodeClaim' }, message: expect.stringContaining('2026-01-01T00:01:59Z') } },
    ])
    expect(first).toMatchObject({ reasons: [], wakeAt: NOW })
  })

  it('CT-13 that somebody else chose stands', () => {
    const meta = { annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-01T09:00:00Z' } }
    expect(kindsOf(step(UP, {}, { spec, meta }).actions)).not.toContain('patchClaim')
  })

  it('CT-11 is not written where no claim asks for one', () => {
    expect(kindsOf(step(UP).actions)).not.toContain('patchClaim')
  })
})
