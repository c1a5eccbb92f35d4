import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { instance } from '../../../test/builders/instance.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { endClaim } from '../../engine/lifecycle/claimStatus.ts'
import { stepLoss } from '../../engine/lifecycle/liveness.ts'
import type { ClaimAction, ClaimObservation } from '../../model/claimStep.ts'
import type { Action, DeleteClaim } from '../../model/decision.ts'
import { clusterId, nodePoolName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { DisruptionReason } from '../../model/nodePool.ts'
import { type ProblemCode, problem } from '../../model/problem.ts'
import { durationMs } from '../../model/units.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { applyClaimAction, type PlainClaimAction } from '../lifecycle/applyClaimAction.ts'
import { measureDecided, measureDisrupted, measureEnded, measureFailed } from './claimMetrics.ts'
import { reportReached } from './reportClaim.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaim()

function world() {
  const { ports, telemetry, objects } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  objects.put('nodeClaim', CLAIM)
  return { deps: { ...ports, settings: settings() }, measures: telemetry.measures }
}

const isPlain = (action: ClaimAction): action is PlainClaimAction =>
  action.kind !== 'launch' && action.kind !== 'evictPod' && action.kind !== 'deletePod'

describe('a claim that came to nothing', () => {
  it.each<[ProblemCode, string]>([
    ['CLAIM.INSUFFICIENT_CAPACITY', 'insufficient_capacity'],
    ['NODECLASS.NOT_READY', 'nodeclass_not_ready'],
    ['NODECLASS.NOT_FOUND', 'nodeclass_not_ready'],
    ['CLAIM.LAUNCH_TIMEOUT', 'launch_timeout'],
    ['CLAIM.REGISTRATION_TIMEOUT', 'registration_timeout'],
    ['CLAIM.INITIALIZATION_TIMEOUT', 'initialization_timeout'],
    ['CLAIM.INSTANCE_GONE', 'garbage_collected'],
  ])('for %s is counted as %s', async (code, reason) => {
    const { deps, measures } = world()
    const observation: ClaimObservation = {
      ...{ now: NOW, settings: deps.settings, claim: CLAIM, nodeClass: undefined, nodes: [], pods: [] },
      ...{ instance: 'unseen', instanceTypes: [], unavailable: [] },
    }
    const { actions } = endClaim(observation, { code, message: 'no', event: 'Ended' })
    // The actions run twice, and the end is counted once.
    for (const action of [...actions, ...actions]) if (isPlain(action)) await applyClaimAction(deps, observation, action, NEVER)
    const fields = { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason, terminationMode: 'graceful' }
    expect(measures).toEqual([{ name: 'karpenter_nodeclaims_disrupted_total', value: 1, fields }])
  })
})

describe('VM-21, ER-33: a machine that fails after Azure took it', () => {
  it('is counted once, as such, with the code of its failure', async () => {
    const { deps, measures } = world()
    const machine = instance({
      state: { kind: 'failed', refusal: { problem: problem('AZURE.ALLOCATION.ZONE', 'no room'), unavailable: [], then: 'next' } },
    })
    const observation: ClaimObservation = {
      ...{ now: NOW, settings: deps.settings, claim: nodeClaim({ stage: 'launched' }), nodeClass: undefined, nodes: [], pods: [] },
      ...{ instance: machine, instanceTypes: [], unavailable: [] },
    }
    const actions = stepLoss(observation)?.actions ?? []
    for (const action of [...actions, ...actions]) if (isPlain(action)) await applyClaimAction(deps, observation, action, NEVER)
    const fields = { cluster: 'test', capacityType: 'on-demand', phase: 'async', errorCode: 'AZURE.ALLOCATION.ZONE' }
    expect(measures.filter(({ name }) => name === 'karpenter_instance_vm_create_failure_total')).toEqual([
      { name: 'karpenter_instance_vm_create_failure_total', value: 1, fields },
    ])
  })
})

describe('a node that is drained', () => {
  it('is counted once', () => {
    const { deps, measures } = world()
    const drained = { ...CLAIM, status: { ...CLAIM.status, conditions: [...CLAIM.status.conditions, condition('Drained')] } }
    reportReached(deps, CLAIM, drained, undefined)
    reportReached(deps, drained, drained, undefined)
    expect(measures).toEqual([{ name: 'karpenter_nodes_drained_total', value: 1, fields: { cluster: 'test' } }])
  })
})

const DISRUPTED = nodeClaim({ name: 'default-a' })
const ENDED: DeleteClaim = { kind: 'deleteClaim', claim: DISRUPTED.name, uid: DISRUPTED.meta.uid, because: 'Empty' }
const COMMAND = disruptionCommand([DISRUPTED])
const OTHER = nodeClaim({ name: 'default-b' })

function starts(claims: readonly NodeClaim[], reason: DisruptionReason): Action {
  return { kind: 'startCommand', command: disruptionCommand(claims, { reason }) }
}

function measured(measure: (deps: ClusterDeps) => void): readonly (readonly unknown[])[] {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  measure({ ...world.ports, settings: settings() })
  return world.telemetry.measures.map(({ name, value, fields }) => [name, value, fields])
}

describe('metrics of moves', () => {
  it('count the moves that a decision begins, and no step of a move under way', () => {
    const actions = [ENDED, { ...ENDED, command: '6-0' }, { kind: 'startCommand', command: COMMAND }] as const
    const name = 'karpenter_voluntary_disruption_decisions_total'
    expect(measured((deps) => measureDecided(deps, actions))).toEqual([
      [name, 1, { cluster: 'test', reason: 'empty', decision: 'delete' }],
      [name, 1, { cluster: 'test', reason: 'drifted', decision: 'replace' }],
    ])
  })

  it.each<[sentence: string, actions: readonly Action[], want: readonly (readonly [value: number, reason: string, decision: string])[]]>([
    ['an empty node', [ENDED], [[1, 'empty', 'delete']]],
    [
      'two empty nodes',
      [ENDED, ENDED],
      [
        [1, 'empty', 'delete'],
        [1, 'empty', 'delete'],
      ],
    ],
    ['a drifted node that goes', [{ ...ENDED, because: 'Drifted' }], [[1, 'drifted', 'delete']]],
    ['a drifted node that is replaced', [starts([DISRUPTED], 'Drifted')], [[1, 'drifted', 'replace']]],
    ['a node that is not used enough', [{ ...ENDED, because: 'Underutilized' }], [[1, 'underutilized', 'delete']]],
    [
      'a node that goes before another comes in its place',
      [{ ...ENDED, because: 'Drifted', terminatesFirst: { pool: nodePoolName('default'), why: 'static-at-limit' } }],
      [[1, 'drifted', 'terminate-first']],
    ],
    ['two nodes that are replaced together', [starts([DISRUPTED, OTHER], 'Underutilized')], [[1, 'underutilized', 'replace']]],
  ])(
    'count a move for each node that goes without a replacement, and one for nodes that are replaced together: %s',
    (_sentence, actions, want) => {
      const got = measured((deps) => measureDecided(deps, actions))
      expect(got.filter(([name]) => name === 'karpenter_voluntary_disruption_decisions_total')).toEqual(
        want.map(([value, reason, decision]) => [
          'karpenter_voluntary_disruption_decisions_total',
          value,
          { cluster: 'test', reason, decision },
        ]),
      )
    },
  )

  it('count why a node goes before another comes in its place', () => {
    const first = { ...ENDED, because: 'Drifted', terminatesFirst: { pool: nodePoolName('default'), why: 'static-at-limit' } } as const
    expect(measured((deps) => measureDecided(deps, [first, ENDED]))).toContainEqual([
      'karpenter_voluntary_disruption_terminate_first_decisions_total',
      1,
      { cluster: 'test', nodePool: 'default', reason: 'drifted', terminateFirstReason: 'static-at-limit' },
    ])
  })

  it.each([
    [undefined, 'graceful'],
    [durationMs(60_000), 'eventual'],
    [durationMs(0), 'forceful'],
  ])('MX-02 say how a claim with the grace period %s ends: %s', (terminationGracePeriod, terminationMode) => {
    const claim = nodeClaim({ spec: terminationGracePeriod === undefined ? {} : { terminationGracePeriod } })
    const name = 'karpenter_nodeclaims_disrupted_total'
    const fields = { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason: 'expired', terminationMode }
    expect(measured((deps) => measureEnded(deps, claim, 'expired'))).toEqual([[name, 1, fields]])
  })

  it('count machines and pods of what is taken', () => {
    expect(measured((deps) => measureDisrupted(deps, DISRUPTED, { because: 'Underutilized', pods: 3 }))).toEqual([
      [
        'karpenter_nodeclaims_disrupted_total',
        1,
        { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason: 'underutilized', terminationMode: 'graceful' },
      ],
      ['karpenter_pods_disruption_initiated_total', 3, { cluster: 'test', reason: 'underutilized' }],
    ])
  })

  it('count what came to nothing', () => {
    expect(measured((deps) => measureFailed(deps, COMMAND))).toEqual([
      ['karpenter_voluntary_disruption_queue_failures_total', 1, { cluster: 'test', reason: 'drifted', decision: 'replace' }],
    ])
  })
})
