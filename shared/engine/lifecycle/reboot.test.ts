import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation as observationOf, writtenCondition } from '../../../test/builders/observation.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import type { Condition } from '../../model/condition.ts'
import { ANNOTATION, LABEL, type Labels } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { problem } from '../../model/problem.ts'
import { isFenced, REBOOT_FENCE, rebootedAt, rebootRequestsOf, whyNoReboot, withRefusal } from '../../model/reboot.ts'
import type { EpochMs } from '../../model/units.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const HOST = 'joiner-default-aaaaa'
const BOOTED = { bootId: 'boot 1' }
const STAGES = ['Launched', 'Registered', 'ConsistentStateFound'].map((type) => condition(type))

const rebooting = (reason: string, at: EpochMs): Condition =>
  condition('Rebooting', { reason, message: 'rebooting for Ready/KubeletStuck', lastTransitionAt: at })

/** A claim whose reboot was requested. */
function requested(at: EpochMs, annotations: Labels = {}): NodeClaim {
  return nodeClaim({
    meta: { annotations },
    status: { conditions: [...STAGES, condition('Initialized'), rebooting('RebootRequested', at)] },
  })
}

/** A claim whose machine restarts since `at`. */
function issued(at: EpochMs, annotations: Labels = {}): NodeClaim {
  const open = condition('Initialized', { status: 'Unknown', reason: 'Rebooting', lastTransitionAt: at })
  const record = { [ANNOTATION.rebootPreBootId]: 'boot 1', [ANNOTATION.reboots]: String(at) }
  return nodeClaim({
    meta: { annotations: { ...record, ...annotations } },
    status: { conditions: [...STAGES, open, rebooting('RebootIssued', (at - MINUTE) as EpochMs)] },
  })
}

const here = (name: string, shape: PodShape = {}) => pod({ name, ...shape, nodeName: HOST })

function observation(claim: NodeClaim, overrides: Partial<ClaimObservation> = {}): ClaimObservation {
  const nodes = [node({ ready: false, ...BOOTED })]
  return observationOf({ claim, nodes, instance: instance(), instanceTypes: [], ...overrides })
}

const step = (claim: NodeClaim, overrides: Partial<ClaimObservation> = {}) => stepNodeClaim(observation(claim, overrides))
const kinds = (claim: NodeClaim, overrides: Partial<ClaimObservation> = {}) => kindsOf(step(claim, overrides).actions)
const fenced = (shape: Parameters<typeof node>[0] = {}): Node => node({ ready: false, ...BOOTED, taints: [REBOOT_FENCE], ...shape })

describe('a requested reboot', () => {
  it('fences the node, and waits at least five seconds for pods that the scheduler has bound before it saw the fence', () => {
    const first = step(requested(NOW))
    expect(first.actions).toMatchObject([
      { kind: 'patchNode', patch: { taints: [{ key: 'karpenter.sh/rebooting', effect: 'NoSchedule' }] } },
    ])
    expect(first.wakeAt).toBe(hence(5 * SECOND))
    expect(kinds(requested(ago(4 * SECOND)), { nodes: [fenced()] })).toEqual([])
    expect(kinds(requested(ago(5 * SECOND)), { nodes: [fenced()] })).toEqual(['patchClaim', 'restartMachine'])
  })

  it('evicts pods until its bound is over, deletes none by force, and leaves the rest on the node', () => {
    const bound = { [ANNOTATION.rebootGracePeriod]: '2m' }
    const pods = [here('web'), here('kept', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]
    const during = step(requested(ago(MINUTE), bound), { nodes: [fenced()], pods })
    expect(during.actions).toMatchObject([{ kind: 'evictPod', pod: { key: 'default/web' } }])
    expect(during.dueAt).toBe(hence(MINUTE))
    expect(kinds(requested(ago(2 * MINUTE), bound), { nodes: [fenced()], pods })).toEqual(['patchClaim', 'restartMachine'])
  })

  it('waits for pods without end if it has no bound, and for those that terminate for a minute at most', () => {
    const stays = here('kept', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })
    expect(kinds(requested(ago(9 * HOUR)), { nodes: [fenced()], pods: [stays] })).toEqual([])
    // A kubelet that is dead confirms no end.
    expect(kinds(requested(ago(MINUTE)), { nodes: [fenced()], pods: [here('gone', { deletedAt: ago(61 * SECOND) })] })).toEqual([
      'patchClaim',
      'restartMachine',
    ])
  })

  it('does not drain a node whose bound is 0, and lasts at least five seconds with any other bound', () => {
    const pods = [here('web')]
    const none = { [ANNOTATION.rebootGracePeriod]: '0s' }
    expect(kinds(requested(NOW, none), { pods })).toEqual(['patchNode', 'patchClaim', 'restartMachine'])
    const short = { [ANNOTATION.rebootGracePeriod]: '1s' }
    expect(kinds(requested(ago(2 * SECOND), short), { nodes: [fenced()], pods })).toEqual(['evictPod'])
    expect(kinds(requested(ago(5 * SECOND), short), { nodes: [fenced()], pods })).toEqual(['patchClaim', 'restartMachine'])
  })

  it('records boot and time on the claim before Azure is asked, and forgets reboots that are older than a day', () => {
    const before = `${ago(25 * HOUR)},${ago(2 * HOUR)}`
    const next = applied(...withActions(requested(ago(MINUTE), { [ANNOTATION.reboots]: before }), { nodes: [fenced()] }))
    expect(next.claim.meta.annotations).toMatchObject({
      [ANNOTATION.rebootPreBootId]: 'boot 1',
      [ANNOTATION.reboots]: `${ago(2 * HOUR)},${NOW}`,
    })
  })

  it.each(['soon', '-5m'])('fails before its drain if its bound is %s', (said) => {
    const { actions } = step(requested(NOW, { [ANNOTATION.rebootGracePeriod]: said }), { pods: [here('web')] })
    expect(kindsOf(actions)).toEqual(['patchStatus', 'patchClaim', 'publish RebootFailed'])
    expect(actions[0]).toMatchObject({ reboot: { result: 'invalid_request' } })
  })

  it('fails before its drain if the right to restart machines is missing', () => {
    const restartProblem = problem('AZURE.FORBIDDEN', 'AuthorizationFailed: no right')
    const { actions } = step(requested(NOW), { pods: [here('web')], restartProblem })
    expect(kindsOf(actions)).toEqual(['patchStatus', 'publish RebootFailed'])
    expect(actions[0]).toMatchObject({ reboot: { result: 'provider_error' } })
    expect(writtenCondition(actions, 'Rebooting')).toMatchObject({
      status: 'False',
      reason: 'RebootFailed',
      message: 'AuthorizationFailed: no right',
    })
    expect(writtenCondition(actions, 'Initialized')).toMatchObject({ status: 'True' })
  })

  it('fails before its drain if the node reports no boot id', () => {
    expect(kinds(requested(NOW), { nodes: [node({ ready: false })] })).toEqual(['patchStatus', 'publish RebootFailed'])
  })

  it('waits five minutes for a node without an object', () => {
    expect(kinds(requested(ago(4 * MINUTE)), { nodes: [] })).toEqual([])
    expect(kinds(requested(ago(5 * MINUTE)), { nodes: [] })).toEqual(['patchStatus', 'publish RebootFailed'])
  })
})

/** The observation of a claim with the actions of its step. */
function withActions(claim: NodeClaim, overrides: Partial<ClaimObservation> = {}) {
  const seen = observation(claim, overrides)
  return [seen, stepNodeClaim(seen).actions] as const
}

describe('a reboot that Azure was asked for', () => {
  const asked = (at: EpochMs) => requested(ago(HOUR), { [ANNOTATION.rebootPreBootId]: 'boot 1', [ANNOTATION.reboots]: String(at) })

  it('is asked for again after two minutes if the answer was lost, and not before two more', () => {
    const waiting = step(asked(ago(119 * SECOND)), { nodes: [fenced()] })
    expect([waiting.actions, waiting.wakeAt]).toEqual([[], hence(SECOND)])
    const again = step(asked(ago(2 * MINUTE)), { nodes: [fenced()] })
    expect([kindsOf(again.actions), again.wakeAt]).toEqual([['patchClaim', 'restartMachine'], hence(2 * MINUTE)])
    const record = `${ago(HOUR)},${ago(2 * MINUTE)}+${NOW}`
    const before = requested(ago(10 * MINUTE), {
      [ANNOTATION.rebootPreBootId]: 'boot 1',
      [ANNOTATION.reboots]: `${ago(HOUR)},${ago(2 * MINUTE)}`,
    })
    expect(step(before, { nodes: [fenced()] }).actions[0]).toMatchObject({ annotations: { [ANNOTATION.reboots]: record } })
    const recorded = requested(ago(10 * MINUTE), { [ANNOTATION.rebootPreBootId]: 'boot 1', [ANNOTATION.reboots]: record })
    const next = step(recorded, { nodes: [fenced()] })
    expect([next.actions, next.wakeAt]).toEqual([[], hence(2 * MINUTE)])
  })

  it('is asked for again after thirty seconds if Azure refused it', () => {
    const refused = (at: EpochMs) =>
      requested(ago(HOUR), { [ANNOTATION.rebootPreBootId]: 'boot 1', [ANNOTATION.reboots]: withRefusal(asked(at)) })
    expect(refused(NOW).meta.annotations[ANNOTATION.reboots]).toBe(`${NOW}-`)
    expect(step(refused(ago(29 * SECOND)), { nodes: [fenced()] })).toMatchObject({ actions: [], wakeAt: hence(SECOND) })
    const { actions } = step(refused(ago(30 * SECOND)), { nodes: [fenced()] })
    expect(actions[0]).toMatchObject({ annotations: { [ANNOTATION.reboots]: `${ago(30 * SECOND)}+${NOW}` } })
    expect(kindsOf(actions)).toEqual(['patchClaim', 'restartMachine'])
  })

  it('is not asked for again once the node has another boot id', () => {
    const { actions } = step(asked(ago(MINUTE)), { nodes: [fenced({ bootId: 'boot 2' })] })
    expect(kindsOf(actions)).toEqual(['patchStatus'])
    expect(writtenCondition(actions, 'Rebooting')).toMatchObject({ status: 'True', reason: 'RebootIssued' })
  })

  it('has failed if Azure has not taken it within five minutes, by the time on the claim', () => {
    const { actions } = step(asked(ago(5 * MINUTE)), { nodes: [fenced()] })
    expect(kindsOf(actions)).toEqual(['patchNode', 'patchStatus', 'patchClaim', 'publish RebootFailed'])
    expect(actions[1]).toMatchObject({ reboot: { result: 'provider_error', tookMs: HOUR } })
  })

  it('asks for a second reboot of a claim, whatever the first one left behind', () => {
    const again = requested(ago(MINUTE), { [ANNOTATION.reboots]: String(ago(2 * HOUR)) })
    expect(kinds(again, { nodes: [fenced({ bootId: 'boot 2' })] })).toEqual(['patchClaim', 'restartMachine'])
  })
})

describe('a reboot under way', () => {
  it('takes the label of the node, and its fence once it has a new boot id', () => {
    const [before, first] = withActions(issued(ago(MINUTE)), { nodes: [fenced()] })
    expect(first).toMatchObject([{ kind: 'patchNode', patch: { labelsGone: [LABEL.initialized] } }])
    const booted = { ...applied(before, first), nodes: [fenced({ bootId: 'boot 2', initialized: false })] }
    const then = stepNodeClaim(booted)
    expect(kindsOf(then.actions)).toEqual(['patchNode', 'publish RebootObserved'])
    expect(applied(booted, then.actions).nodes.some(isFenced)).toBe(false)
  })

  it('is over once the node has a new boot id and is ready, and then its initialization begins', () => {
    const [before, actions] = withActions(issued(ago(3 * MINUTE)), { nodes: [node({ initialized: false, bootId: 'boot 2' })] })
    expect(kindsOf(actions)).toEqual(['patchStatus', 'patchClaim'])
    expect(actions[0]).toMatchObject({ reboot: { result: 'succeeded', tookMs: 4 * MINUTE, recoveryMs: 3 * MINUTE } })
    const after = applied(before, actions)
    expect(after.claim.meta.annotations).toEqual({ [ANNOTATION.reboots]: String(ago(3 * MINUTE)) })
    expect(rebootedAt(after.claim)).toBe(NOW)
    expect(kindsOf(stepNodeClaim(after).actions)).toEqual(['patchNode', 'patchStatus', 'publish Initialized'])
  })

  it('is not over while the node is ready by its old boot', () => {
    expect(kinds(issued(ago(MINUTE)), { nodes: [node({ initialized: false, ...BOOTED })] })).toEqual([])
  })

  it('waits for the resources and startup taints of the node again, for as long as after it joined', () => {
    const claim = nodeClaim({
      status: {
        conditions: [
          ...STAGES.map((each) => ({ ...each, lastTransitionAt: ago(300 * HOUR) })),
          condition('Initialized', { status: 'Unknown', reason: 'Rebooting', lastTransitionAt: ago(9 * MINUTE) }),
          condition('Rebooting', { status: 'False', reason: 'RebootSucceeded', lastTransitionAt: ago(MINUTE) }),
        ],
      },
    })
    expect(kinds(claim, { nodes: [node({ initialized: false, ready: false, bootId: 'boot 2' })] })).toEqual(['patchStatus'])
  })

  it('has failed twenty minutes after Azure took it, and leaves the node to the next repair', () => {
    const silent = [fenced({ initialized: false })]
    expect(kinds(issued(ago(19 * MINUTE)), { nodes: silent })).toEqual([])
    expect(step(issued(ago(19 * MINUTE)), { nodes: silent }).dueAt).toBe(hence(MINUTE))
    const [before, actions] = withActions(issued(ago(20 * MINUTE)), { nodes: silent })
    expect(kindsOf(actions)).toEqual(['patchNode', 'patchStatus', 'patchClaim', 'publish RebootFailed'])
    expect(actions[1]).toMatchObject({ reboot: { result: 'recovery_timeout' } })
    const after = applied(before, actions)
    expect(after.nodes.some(isFenced)).toBe(false)
    expect(whyNoReboot(after.claim, NOW)).toContain('its last reboot failed')
    // Nothing ends it at once. The time of a node that does not become ready begins anew.
    expect(kinds(after.claim, { nodes: after.nodes, now: hence(14 * MINUTE) })).not.toContain('deleteClaim')
    expect(kinds(after.claim, { nodes: after.nodes, now: hence(16 * MINUTE) })).toContain('deleteClaim')
  })

  it('waits for a node whose object is gone until then', () => {
    expect(kinds(issued(ago(19 * MINUTE)), { nodes: [] })).toEqual([])
    expect(kinds(issued(ago(20 * MINUTE)), { nodes: [] })).toEqual(['patchStatus', 'patchClaim', 'publish RebootFailed'])
  })

  it('ends with the claim, and a machine that is gone ends the claim', () => {
    const ending = issued(ago(MINUTE))
    const deleted = { ...ending, meta: { ...ending.meta, deletedAt: NOW } }
    expect(kinds(deleted, { nodes: [fenced()] })).toContain('patchNode')
    expect(kinds(deleted, { nodes: [fenced()] })).not.toContain('publish RebootObserved')
    expect(kinds(ending, { instance: undefined, nodes: [fenced()] })).toContain('deleteClaim')
  })

  it('goes on where Karpenter began it', () => {
    const { [ANNOTATION.reboots]: _, ...theirs } = issued(ago(19 * MINUTE)).meta.annotations
    const claim = { ...issued(ago(19 * MINUTE)), meta: { ...issued(NOW).meta, annotations: theirs } }
    expect(kinds(claim, { nodes: [fenced({ initialized: false })] })).toEqual([])
    expect(kinds(claim, { nodes: [fenced({ initialized: false, bootId: 'boot 2', ready: true })] })).toEqual([
      'patchNode',
      'publish RebootObserved',
      'patchStatus',
      'patchClaim',
    ])
  })
})

describe('the history of reboots', () => {
  const at = (...times: readonly EpochMs[]) => nodeClaim({ meta: { annotations: { [ANNOTATION.reboots]: times.join(',') } } })

  it('allows two within 24 hours, and the window slides', () => {
    expect(whyNoReboot(nodeClaim(), NOW)).toBeUndefined()
    expect(whyNoReboot(at(ago(HOUR)), NOW)).toBeUndefined()
    expect(whyNoReboot(at(ago(23 * HOUR), ago(HOUR)), NOW)).toBe('it was rebooted 2 times within 24 hours')
    expect(whyNoReboot(at(ago(24 * HOUR), ago(HOUR)), NOW)).toBeUndefined()
    const askedTwice = nodeClaim({ meta: { annotations: { [ANNOTATION.reboots]: `${ago(HOUR)}+${ago(58 * MINUTE)}` } } })
    expect(whyNoReboot(askedTwice, NOW)).toBeUndefined()
  })

  it('leaves out what cannot be read', () => {
    expect(rebootRequestsOf(nodeClaim({ meta: { annotations: { [ANNOTATION.reboots]: `x,,${NOW},-1,1+,1+2+3` } } }))).toEqual([
      { first: NOW, last: NOW },
    ])
  })

  it('replaces a node whose last reboot failed, for a day', () => {
    const failedAt = (time: EpochMs) =>
      nodeClaim({
        status: {
          conditions: [condition('Rebooting', { status: 'False', reason: 'RebootFailed', message: 'no', lastTransitionAt: time })],
        },
      })
    expect(whyNoReboot(failedAt(ago(23 * HOUR)), NOW)).toBe('its last reboot failed: no')
    expect(whyNoReboot(failedAt(ago(24 * HOUR)), NOW)).toBeUndefined()
    expect(rebootedAt(failedAt(ago(HOUR)))).toBeUndefined()
  })
})
