import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, writtenCondition } from '../../../test/builders/observation.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { reportFailedStep } from './launch.ts'

const FORBIDDEN = problem('AZURE.FORBIDDEN', 'the identity of the app gives no token')

const told = (shape: NodeClaimShape, failed: Problem = FORBIDDEN) =>
  reportFailedStep({ claim: nodeClaim(shape), now: NOW, settings: settings() }, failed)

const stuck = (type: string) =>
  condition(type, { status: 'Unknown', reason: 'AzureForbidden', message: FORBIDDEN.message, lastTransitionAt: ago(SECOND) })

describe('a step that failed as a whole', () => {
  it.each<[stage: string, event: string, shape: NodeClaimShape]>([
    ['Launched', 'LaunchFailed', { stage: 'created' }],
    ['Registered', 'StepFailed', { stage: 'launched' }],
    ['Initialized', 'StepFailed', { stage: 'registered' }],
    ['InstanceTerminating', 'StepFailed', { meta: { deletedAt: NOW } }],
  ])('is told by %s, which is open, and by one Event', (stage, event, shape) => {
    const actions = told(shape)
    expect(writtenCondition(actions, stage)).toMatchObject({ status: 'Unknown', reason: 'AzureForbidden', message: FORBIDDEN.message })
    expect(kindsOf(actions)).toEqual(['patchStatus', `publish ${event}`])
  })

  it('is cut to what fits', () => {
    const long = problem('AZURE.FAILED', 'x'.repeat(1_000))
    expect(writtenCondition(told({ stage: 'created' }, long), 'Launched')).toMatchObject({
      reason: 'CreateInstanceFailed',
      message: 'x'.repeat(300),
    })
  })

  it.each<[sentence: string, shape: NodeClaimShape]>([
    ['is ready', {}],
    ['is ending without our finalizer', { meta: { deletedAt: NOW, finalizers: [] } }],
    ['is ending, and Azure was asked', { meta: { deletedAt: NOW }, status: { conditions: [condition('InstanceTerminating')] } }],
  ])('is not told by a claim that %s', (_sentence, shape) => expect(told(shape)).toEqual([]))

  it('is told once', () => {
    const actions = told({ stage: 'created' })
    const [written] = actions.flatMap((action) => (action.kind === 'patchStatus' ? [action.status] : []))
    expect(written?.conditions).toContainEqual(
      expect.objectContaining({ ...stuck('Launched'), lastTransitionAt: expect.anything(), observedGeneration: expect.anything() }),
    )
    expect(told({ stage: 'created', status: written ?? {} })).toEqual([])
  })
})
