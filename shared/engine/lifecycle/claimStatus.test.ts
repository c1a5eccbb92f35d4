import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { pod } from '../../../test/builders/pod.ts'
import type { ClaimAction } from '../../model/claimStep.ts'
import { withRoot } from '../../model/condition.ts'
import { nodeName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { formatTimestamp } from '../../model/time.ts'
import { durationMs, later } from '../../model/units.ts'
import { becomes, CLAIM_STAGES, isOpen, isTrue, nextRequeue, since, statusActions, staysOpen } from './claimStatus.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const claim = nodeClaim({ stage: 'launched', meta: { createdAt: ago(MINUTE), generation: 3 } })
const statusOf = (before: ReturnType<typeof observation>, ...changes: Parameters<typeof statusActions>[1]) =>
  statusActions(before, changes)[0]?.status

describe('a stage', () => {
  it.each([
    ['True', true, false],
    ['False', false, false],
    ['Unknown', false, true],
  ] as const)('that is %s is true: %j, and still to be decided: %j', (status, wantTrue, wantOpen) => {
    const seen = nodeClaim({ status: { conditions: [condition('Registered', { status }), condition('Drained')] } })
    expect([isTrue(seen, 'Registered'), isOpen(seen, 'Registered')]).toEqual([wantTrue, wantOpen])
    expect(since(seen, 'Registered')).toBe(ago(5 * MINUTE))
  })

  it('that nobody wrote is open since the claim was made', () => {
    expect([isTrue(claim, 'Registered'), isOpen(claim, 'Registered'), since(claim, 'Registered')]).toEqual([false, true, ago(MINUTE)])
  })
})

describe('the status of a claim', () => {
  it('is written with the stages that nobody wrote, open since the claim was made, and of its generation', () => {
    const stages = statusOf(observation({ claim }), staysOpen('Registered', 'NodeNotFound', 'no node'))?.conditions
    expect(stages?.find(({ type }) => type === 'Registered')).toEqual({
      type: 'Registered',
      status: 'Unknown',
      reason: 'NodeNotFound',
      message: 'no node',
      lastTransitionAt: ago(MINUTE),
      observedGeneration: 3,
    })
    expect(stages?.find(({ type }) => type === 'Initialized')).toMatchObject({ status: 'Unknown', lastTransitionAt: ago(MINUTE) })
    expect(stages?.at(-1)).toMatchObject({ type: 'Ready', status: 'Unknown' })
  })

  it('says that a stage was reached when it was, with its name as the reason', () => {
    expect(statusOf(observation({ claim }), becomes('Registered'))?.conditions).toContainEqual({
      type: 'Registered',
      status: 'True',
      reason: 'Registered',
      message: '',
      lastTransitionAt: NOW,
      observedGeneration: 3,
    })
  })

  it('is written with other members, and keeps those that are not named', () => {
    const [action] = statusActions(observation({ claim }), [], { nodeName: nodeName('n') })
    expect(action?.status).toMatchObject({ nodeName: 'n', providerId: claim.status.providerId, capacity: claim.status.capacity })
  })

  it('is not written again while it says the same, in whichever order', () => {
    const before = observation({ claim })
    const changes = [becomes('Registered'), becomes('Initialized')]
    const after = applied(before, statusActions(before, changes))
    const { status } = after.claim
    const turned = { ...after, claim: { ...after.claim, status: { ...status, conditions: [...status.conditions].reverse() } } }
    expect(statusActions(turned, changes)).toEqual([])
    expect(statusActions(turned, [staysOpen('Initialized', 'x', '')])).toHaveLength(1)
  })

  it('LC-03 of a claim that ends is restamped as a whole, so that Ready does not look stale', () => {
    const ending = { ...claim, meta: { ...claim.meta, deletedAt: NOW } }
    const generations = statusOf(observation({ claim: ending }), becomes('Drained'))?.conditions.map((each) => each.observedGeneration)
    expect(new Set(generations)).toEqual(new Set([3]))
    const standing = statusOf(observation({ claim }), becomes('Drained'))?.conditions
    expect(standing?.find(({ type }) => type === 'Launched')?.observedGeneration).toBe(1)
  })
})

describe('Ready', () => {
  const STATUSES = ['True', 'False', 'Unknown'] as const
  const everyStages = STATUSES.flatMap((launched) =>
    STATUSES.flatMap((registered) => STATUSES.map((initialized) => [launched, registered, initialized] as const)),
  )
  const CHANGES = [becomes('Launched'), staysOpen('Registered', 'x', ''), becomes('Initialized'), becomes('InstanceTerminating')]

  it.each([
    ['stands', 1, undefined],
    ['has a new generation', 2, undefined],
    ['ends', 2, NOW],
  ] as const)(
    'of a claim that %s moves its time with its status, and only then, whatever is written',
    (_sentence, generation, deletedAt) => {
      for (const stages of everyStages) {
        const said = stages.map((status, index) => condition(['Launched', 'Registered', 'Initialized'][index] ?? '', { status }))
        const conditions = withRoot(said, CLAIM_STAGES, { generation: 1, createdAt: ago(10 * MINUTE) }, ago(MINUTE))
        const meta = deletedAt === undefined ? { generation } : { generation, deletedAt }
        for (const change of [...CHANGES.map((each) => [each]), CHANGES]) {
          const before = conditions.at(-1)
          const after =
            statusOf(observation({ claim: nodeClaim({ meta, status: { conditions } }) }), ...change)?.conditions.at(-1) ?? before
          const want = after?.status === before?.status ? before?.lastTransitionAt : NOW
          expect([stages, change, after?.type, after?.lastTransitionAt]).toEqual([stages, change, 'Ready', want])
        }
      }
    },
  )
})

describe('the next look at what began', () => {
  it.each([
    [0, 2],
    [59.999, 2],
    [60, 5],
    [299.999, 5],
    [300, 15],
    [86_400, 15],
  ])('%d seconds ago is %d seconds off', (age, seconds) => {
    expect(nextRequeue(ago(age * 1_000), NOW)).toBe(hence(seconds * SECOND))
  })
})

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
