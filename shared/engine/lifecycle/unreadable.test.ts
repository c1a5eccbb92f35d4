import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { pod } from '../../../test/builders/pod.ts'
import type { ClaimAction } from '../../model/claimStep.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { formatTimestamp } from '../../model/timestamp.ts'
import { durationMs, later } from '../../model/units.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const SOON = { [ANNOTATION.terminationTimestamp]: 'soon' }
const RULE = `metadata.annotations ${ANNOTATION.terminationTimestamp}: "soon" must be a time such as 2026-01-31T12:00:00Z`

function ending(grace: number | undefined, protection?: string) {
  const meta = { deletedAt: ago(SECOND), annotations: SOON }
  const spec = grace === undefined ? {} : { terminationGracePeriod: durationMs(grace) }
  const annotations = protection === undefined ? {} : { [ANNOTATION.doNotDisrupt]: protection }
  const app = { ...pod({ name: 'app', nodeName: node().name, phase: 'Running' }), annotations }
  return observation({ claim: nodeClaim({ meta, spec }), nodes: [node()], pods: [app], instance: 'unseen', now: NOW })
}

const messages = (actions: readonly ClaimAction[], reason: string): readonly string[] =>
  actions.flatMap((action) => (action.kind === 'publish' && action.event.reason === reason ? [action.event.message] : []))

describe('a termination timestamp that nobody can read', () => {
  it('is replaced by what the grace period gives, and an Event names field and rule', () => {
    const { actions } = stepNodeClaim(ending(10 * MINUTE))
    const deadline = formatTimestamp(later(ago(SECOND), durationMs(10 * MINUTE)))
    expect(messages(actions, 'InvalidTerminationTimestamp')).toEqual([`${RULE}; it is replaced by ${deadline}`])
    expect(actions).toContainEqual(
      expect.objectContaining({ kind: 'patchClaim', annotations: { [ANNOTATION.terminationTimestamp]: deadline } }),
    )
  })

  it('is said by the condition and by an Event where there is no grace period, and the drain goes on', () => {
    const { actions } = stepNodeClaim(ending(undefined))
    expect(kindsOf(actions)).toContain('evictPod')
    expect(writtenCondition(actions, 'Drained')?.message).toBe(`1 pod is waiting to be evicted; there is no deadline: ${RULE}`)
    expect(messages(actions, 'InvalidTerminationTimestamp')).toEqual([`${RULE}; until it is corrected the drain has no deadline`])
  })
})

describe('a do-not-disrupt value', () => {
  it.each<[sentence: string, value: string, isInvalid: boolean, isProtected: boolean]>([
    ['PP-03 that is no duration is told, and protects nothing', 'maybe', true, false],
    ['PP-04 of no time is told, and protects nothing', '0s', true, false],
    ['PP-05 of a negative time is told, and protects nothing', '-1m', true, false],
    ['PP-02 of true protects, and is not told', 'true', false, true],
    ['of false is not told, and protects nothing', 'false', false, false],
    ['of a duration protects, and is not told', '10m', false, true],
  ])('%s', (_sentence, value, isInvalid, isProtected) => {
    const { actions } = stepNodeClaim(ending(undefined, value))
    expect(kindsOf(actions).includes('evictPod')).toBe(!isProtected)
    const rule = 'must be true or a duration above 0, such as 30m; it protects nothing'
    const want = isInvalid ? [`metadata.annotations ${ANNOTATION.doNotDisrupt}: ${JSON.stringify(value)} ${rule}`] : []
    expect(messages(actions, 'InvalidDoNotDisruptAnnotation')).toEqual(want)
  })
})
