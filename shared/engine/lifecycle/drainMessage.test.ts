import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { observation, writtenCondition } from '../../../test/builders/observation.ts'
import { pod } from '../../../test/builders/pod.ts'
import type { HeldPod } from '../../model/claimStep.ts'
import { objectKey } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { beginDrain, drainReports } from './drainMessage.ts'

const claim = nodeClaim({ meta: { deletedAt: ago(SECOND) } })
const ANNOTATED = `annotation ${ANNOTATION.doNotDisrupt}`

function draining(names: readonly string[], annotated: readonly string[] = []) {
  const annotations = (name: string) => (annotated.includes(name) ? { [ANNOTATION.doNotDisrupt]: 'true' } : {})
  const pods = names.map((name) => pod({ name, nodeName: node().name, annotations: annotations(name) }))
  return observation({ claim, nodes: [node()], pods })
}

const heldBy = (by: string, ...names: readonly string[]): readonly HeldPod[] =>
  names.map((name) => ({ pod: objectKey('default', name), by }))
const messageOf = (actions: Parameters<typeof writtenCondition>[0]) => writtenCondition(actions, 'Drained')

describe('a drain says how many pods it waits for', () => {
  it.each<[names: readonly string[], words: string]>([
    [[], 'waiting for late pods'],
    [['a'], '1 pod is waiting to be evicted'],
    [['a', 'b'], '2 pods are waiting to be evicted'],
  ])('%j', (names, words) => {
    expect(messageOf(drainReports(draining(names), []))).toMatchObject({ status: 'Unknown', reason: 'Draining', message: words })
  })
})

describe('a drain names who holds pods', () => {
  it('each with its pods, in the order of names', () => {
    const held = [...heldBy('poddisruptionbudget b', 'z', 'a'), ...heldBy('poddisruptionbudget a', 'c')]
    const actions = drainReports(draining(['a', 'c', 'held', 'z'], ['held']), held)
    const words = [
      `${ANNOTATED} holds pod default/held`,
      'poddisruptionbudget a holds pod default/c',
      'poddisruptionbudget b holds pods default/a, default/z',
    ]
    expect(messageOf(actions)?.message).toBe(['4 pods are waiting to be evicted', ...words].join('; '))
    const events = actions.flatMap((action) => (action.kind === 'publish' ? [action.event] : []))
    expect(events.map(({ subject, type, reason, message }) => [subject.kind, type, reason, message.split('; ')[0]])).toEqual(
      words.flatMap((each) => [
        ['nodeClaim', 'Warning', 'FailedDraining', each],
        ['node', 'Warning', 'FailedDraining', each],
      ]),
    )
    expect(new Set(events.map(({ key }) => key)).size).toBe(3)
  })

  it('as the same event while their pods change, so that the event counts', () => {
    const keyOf = (...names: readonly string[]) =>
      drainReports(draining(names), heldBy('x', ...names)).flatMap((action) => (action.kind === 'publish' ? [action.event.key] : []))
    expect(keyOf('a', 'b')).toEqual(keyOf('b'))
  })

  it.each([
    [3, 'pods default/p0, default/p1, default/p2'],
    [4, 'pods default/p0, default/p1, default/p2 and 1 more'],
    [9, 'pods default/p0, default/p1, default/p2 and 6 more'],
  ])('%d pods: at most three of them', (count, words) => {
    const names = Array.from({ length: count }, (_, at) => `p${at}`)
    expect(messageOf(drainReports(draining(names), heldBy('x', ...names)))?.message.endsWith(`x holds ${words}`)).toBe(true)
  })
})

describe('what a drain says', () => {
  it('at its beginning names the pods that users hold, and tells nobody else', () => {
    const actions = beginDrain(draining(['held', 'web'], ['held']), draining(['held', 'web'], ['held']).pods)
    expect(actions).toHaveLength(1)
    expect(messageOf(actions)?.message).toBe(`2 pods are waiting to be evicted; ${ANNOTATED} holds pod default/held`)
  })

  it('is not written again while it is the same', () => {
    const [written] = drainReports(draining(['a']), [])
    if (written?.kind !== 'patchStatus') expect.fail('nothing is written')
    const before = { ...draining(['a']), claim: { ...claim, status: written.status } }
    expect(drainReports(before, [])).toEqual([])
    expect(written.status.conditions).toContainEqual(
      expect.objectContaining(condition('Launched', { observedGeneration: claim.meta.generation })),
    )
  })
})
