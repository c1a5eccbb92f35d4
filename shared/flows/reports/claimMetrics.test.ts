import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { endClaim } from '../../engine/lifecycle/claimStatus.ts'
import { stepLoss } from '../../engine/lifecycle/liveness.ts'
import type { ClaimAction, ClaimObservation } from '../../model/claimStep.ts'
import { clusterId } from '../../model/ids.ts'
import { type ProblemCode, problem } from '../../model/problem.ts'
import { applyClaimAction, type PlainClaimAction } from '../lifecycle/applyClaimAction.ts'
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
    const fields = { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason }
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
