import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { kindsOf, observation } from '../../../test/builders/observation.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import { ANNOTATION, FINALIZER, LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Taint } from '../../model/taint.ts'
import { planLaunch } from '../launch/planLaunch.ts'
import { afterLaunch, afterRefusal } from './launch.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const UNREGISTERED: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' }

const launched = nodeClaim({ stage: 'launched' })
/** The events of a node that is ready as it joins. */
const JOINED_SAYS = ['publish Registered', 'publish Initialized']
const joined = node({
  initialized: false,
  taints: [UNREGISTERED],
  meta: { labels: { [LABEL.registered]: '', [LABEL.initialized]: '' }, finalizers: [] },
})

const STARTING: Taint = { key: 'example.com/starting', effect: 'NoSchedule' }

function joinedFor(minutes: number): NodeClaim {
  const conditions = [condition('Launched'), condition('Registered', { lastTransitionAt: ago(minutes * MINUTE) })]
  return nodeClaim({ stage: 'registered', status: { conditions } })
}

const REFUSED: LaunchRefusal = {
  problem: { code: 'AZURE.ALLOCATION.ZONE', message: 'no room in zone 1' },
  unavailable: [
    {
      scope: { kind: 'offering', size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1') },
      until: hence(60 * MINUTE),
      code: 'AZURE.ALLOCATION.ZONE',
      message: '',
    },
  ],
  then: 'next',
}

type Case = {
  readonly given: Partial<ClaimObservation>
  readonly want: readonly string[]
  readonly wantCode?: string
  readonly wantWakeAt?: number
}

const STEPS: { readonly [sentence: string]: Case } = {
  'LC-01 a claim without its finalizer gets it before anything else': {
    given: { claim: nodeClaim({ stage: 'created', meta: { finalizers: [] } }) },
    want: ['addFinalizer'],
    wantWakeAt: NOW,
  },
  'a new claim is launched': { given: {}, want: ['launch'] },
  'a claim whose machine is there already is not launched again': {
    given: { instance: instance() },
    want: ['patchClaim', 'patchStatus', 'publish Launched'],
  },
  'a claim nothing can serve is given up': {
    given: { unavailable: [{ ...REFUSED.unavailable[0], scope: { kind: 'offering', size: vmSizeName('Standard_D4as_v6') } }] as never },
    want: ['publish InsufficientCapacityError', 'deleteClaim'],
    wantCode: 'CLAIM.INSUFFICIENT_CAPACITY',
  },
  'while no sizes are known it waits': { given: { instanceTypes: [] }, want: ['patchStatus'], wantWakeAt: hence(2 * SECOND) },
  'without its class it is given up': {
    given: { nodeClass: undefined },
    want: ['publish NodeClassResolutionError', 'deleteClaim'],
    wantCode: 'NODECLASS.NOT_FOUND',
  },
  'LA-05 with a class that is not ready it is given up': {
    given: { nodeClass: nodeClass({ status: { conditions: [condition('Ready', { status: 'False' })], images: [] } }) },
    want: ['publish NodeClassNotReady', 'deleteClaim'],
    wantCode: 'NODECLASS.NOT_READY',
  },
  'a launch that takes five minutes is given up': {
    given: { claim: nodeClaim({ stage: 'created', meta: { createdAt: ago(5 * MINUTE) } }) },
    want: ['patchStatus', 'publish LaunchTimeout', 'deleteClaim'],
    wantCode: 'CLAIM.LAUNCH_TIMEOUT',
  },
  'LV-05 a launch that takes less is tried on': {
    given: { claim: nodeClaim({ stage: 'created', meta: { createdAt: ago(5 * MINUTE - 1) } }) },
    want: ['launch'],
  },
  'a machine that failed after Azure took it': {
    given: { claim: launched, instance: instance({ state: { kind: 'failed', refusal: REFUSED } }) },
    want: ['markUnavailable', 'patchStatus', 'publish AsyncProvisioningError', 'deleteClaim'],
    wantCode: 'AZURE.ALLOCATION.ZONE',
  },
  'a launched claim waits for its node': {
    given: { claim: nodeClaim({ stage: 'launched', meta: { createdAt: ago(MINUTE) } }), instance: instance() },
    want: ['patchStatus'],
  },
  'a node that is not ready fifteen minutes after it joined is given up, and said why': {
    given: { claim: joinedFor(15), nodes: [node({ initialized: false, ready: false })], instance: instance() },
    want: ['markUnavailable', 'reportSize', 'patchStatus', 'publish InitializationTimeout', 'deleteClaim'],
    wantCode: 'CLAIM.INITIALIZATION_TIMEOUT',
  },
  'a node that is not ready for less is waited for': {
    given: { claim: joinedFor(14), nodes: [node({ initialized: false, ready: false })], instance: instance() },
    want: ['patchStatus'],
  },
  'a ready node that waits for its startup taint is left alone, however long it takes': {
    given: {
      claim: nodeClaim({
        stage: 'registered',
        meta: { createdAt: ago(60 * MINUTE) },
        status: { conditions: joinedFor(60).status.conditions },
        spec: { startupTaints: [STARTING] },
      }),
      nodes: [node({ initialized: false, taints: [STARTING] })],
    },
    want: ['patchStatus'],
  },
  'a node with less than its size promised is told of': {
    given: { claim: nodeClaim(), nodes: [node({ capacity: { ...node().capacity, memory: 8 * 1024 ** 3 } })] },
    want: ['patchStatus', 'publish FailedConsistencyCheck'],
  },
  'a node that has what its size promised is consistent': {
    given: {
      claim: nodeClaim({ status: { conditions: joinedFor(1).status.conditions.concat(condition('Initialized')) } }),
      nodes: [node()],
    },
    want: ['patchStatus'],
  },
  'a node that takes fifteen minutes is given up': {
    given: { claim: nodeClaim({ stage: 'launched', meta: { createdAt: ago(15 * MINUTE) } }), instance: instance() },
    want: ['markUnavailable', 'reportSize', 'patchStatus', 'publish RegistrationTimeout', 'deleteClaim'],
    wantCode: 'CLAIM.REGISTRATION_TIMEOUT',
  },
  'a node that joined is taken in': {
    given: { claim: launched, instance: instance(), nodes: [joined] },
    want: ['patchNode', 'deleteBootstrapToken', 'patchStatus', ...JOINED_SAYS],
    wantWakeAt: NOW,
  },
  'RG-06 a node that joined without the taint is taken in with a warning': {
    given: { claim: launched, instance: instance(), nodes: [{ ...joined, taints: [] }] },
    want: ['publish UnregisteredTaintMissing', 'patchNode', 'deleteBootstrapToken', 'patchStatus', ...JOINED_SAYS],
  },
  'two nodes of one machine are an error': {
    given: { claim: launched, instance: instance(), nodes: [joined, joined] },
    want: ['patchStatus', 'publish MultipleNodesFound'],
  },
  'a registered node that is not ready is waited for': {
    given: { claim: nodeClaim({ stage: 'registered' }), instance: instance(), nodes: [node({ initialized: false, ready: false })] },
    want: ['patchStatus'],
  },
  'a startup taint is waited for': {
    given: {
      claim: nodeClaim({ stage: 'registered', spec: { startupTaints: [{ key: 's', effect: 'NoSchedule' }] } }),
      instance: instance(),
      nodes: [node({ initialized: false, taints: [{ key: 's', value: 'any', effect: 'NoSchedule' }] })],
    },
    want: ['patchStatus'],
  },
  'a taint that will go by itself is waited for': {
    given: {
      claim: nodeClaim({ stage: 'registered' }),
      instance: instance(),
      nodes: [node({ initialized: false, taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }] })],
    },
    want: ['patchStatus'],
  },
  'a resource the claim asked for is waited for': {
    given: {
      claim: nodeClaim({ stage: 'registered', spec: { requests: { 'example.com/gpu': 1 } } }),
      instance: instance(),
      nodes: [node({ initialized: false })],
    },
    want: ['patchStatus'],
  },
  'a ready node is initialized': {
    given: { claim: nodeClaim({ stage: 'registered' }), instance: instance(), nodes: [node({ initialized: false })] },
    want: ['patchNode', 'patchStatus', 'publish Initialized'],
  },
  'an initialized claim is left alone': { given: { claim: nodeClaim(), instance: instance(), nodes: [node()] }, want: [] },
  'NT-05 a node somebody deleted ends its claim': {
    given: { claim: nodeClaim(), instance: instance(), nodes: [node({ meta: { deletedAt: NOW } })] },
    want: ['publish NodeDeleted', 'deleteClaim'],
    wantCode: 'CLAIM.NODE_DELETED',
  },
  'a node that is gone ends its claim, though the machine runs': {
    given: { claim: nodeClaim(), instance: instance(), nodes: [] },
    want: ['publish NodeDeleted', 'deleteClaim'],
    wantCode: 'CLAIM.NODE_DELETED',
  },
  'GC-01 a machine that vanished under a node that is not ready ends its claim': {
    given: { claim: nodeClaim(), instance: undefined, nodes: [node({ ready: false })] },
    want: ['publish InstanceGone', 'deleteClaim'],
    wantCode: 'CLAIM.INSTANCE_GONE',
  },
  'GC-02 a machine that seems gone under a ready node is not given up yet': { given: { claim: nodeClaim(), nodes: [node()] }, want: [] },
  'nothing is concluded about a machine nobody asked for': {
    given: { claim: nodeClaim(), instance: 'unseen', nodes: [node({ ready: false })] },
    want: [],
  },
}

describe('a step', () => {
  for (const [sentence, { given, want, wantCode, wantWakeAt }] of Object.entries(STEPS)) {
    it(sentence, () => {
      const before = observation(given)
      const step = stepNodeClaim(before)
      expect(kindsOf(step.actions)).toEqual(want)
      expect(step.reasons.map((each) => each.code)).toEqual(wantCode === undefined ? [] : [wantCode])
      if (wantWakeAt !== undefined) expect(step.wakeAt).toBe(wantWakeAt)
    })

    it(`${sentence}; what is written is not written again`, () => {
      const after = applied(observation(given), stepNodeClaim(observation(given)).actions)
      const written = new Set(['patchClaim', 'patchStatus', 'patchNode', 'addFinalizer'])
      const first = stepNodeClaim(observation(given)).actions.filter((action) => written.has(action.kind))
      for (const action of stepNodeClaim(after).actions.filter((each) => written.has(each.kind))) expect(first).not.toContainEqual(action)
      const settled = applied(after, stepNodeClaim(after).actions)
      const last = applied(settled, stepNodeClaim(settled).actions)
      expect(stepNodeClaim(last).actions.filter((each) => written.has(each.kind))).toEqual([])
    })
  }
})

describe('a node that never came', () => {
  it('is named on the claim as it ends, and a step that was cut off there is taken again', () => {
    const claim = nodeClaim({ stage: 'launched', meta: { createdAt: ago(15 * MINUTE) } })
    const before = observation({ claim, instance: instance() })
    const after = applied(before, stepNodeClaim(before).actions.slice(0, 3))
    expect(after.claim.status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Registered',
        status: 'Unknown',
        reason: 'RegistrationTimeout',
        message: expect.stringContaining('15 minutes'),
      }),
    )
    expect(kindsOf(stepNodeClaim(after).actions)).toEqual(['markUnavailable', 'reportSize', 'publish RegistrationTimeout', 'deleteClaim'])
  })
})

describe('the whole life', () => {
  it('goes from created to initialized with the happy observations', () => {
    let now = observation()
    const seen: string[] = []
    for (let turn = 0; turn < 8; turn++) {
      const step = stepNodeClaim(now)
      seen.push(...kindsOf(step.actions))
      const [launch] = step.actions
      if (launch?.kind === 'launch') {
        const candidate = launch.plan.candidates[0]
        if (candidate === undefined) throw new Error('no candidate')
        const after = afterLaunch(now, candidate, instance({ size: candidate.choice.size, capacityType: 'spot' }))
        seen.push(...kindsOf(after.actions))
        now = { ...applied(now, after.actions), instance: instance(), nodes: [joined] }
      } else now = applied(now, step.actions)
    }
    expect(seen).toEqual([
      'launch',
      'patchClaim',
      'patchStatus',
      'publish Launched',
      'patchNode',
      'deleteBootstrapToken',
      'patchStatus',
      ...JOINED_SAYS,
    ])
    expect(now.claim.status.conditions.map((each) => [each.type, each.status])).toEqual([
      ['Launched', 'True'],
      ['Registered', 'True'],
      ['Initialized', 'True'],
      ['ConsistentStateFound', 'True'],
      ['Ready', 'True'],
    ])
    expect(now.nodes[0]?.meta.labels).toMatchObject({ [LABEL.registered]: 'true', [LABEL.initialized]: 'true' })
  })
})

describe('registration', () => {
  const claim = nodeClaim({
    stage: 'launched',
    meta: { labels: { team: 'a' }, annotations: { note: 'x' } },
    spec: { taints: [{ key: 't', value: 'claim', effect: 'NoSchedule' }], startupTaints: [{ key: 's', effect: 'NoExecute' }] },
  })

  it('writes labels, annotations, taints, finalizer and owner onto the node, whose own taint of a key wins', () => {
    const own: Taint = { key: 't', value: 'node', effect: 'NoSchedule' }
    const [action] = stepNodeClaim(
      observation({ claim, instance: instance(), nodes: [{ ...joined, taints: [UNREGISTERED, own] }] }),
    ).actions
    expect(action).toMatchObject({
      kind: 'patchNode',
      patch: {
        labels: { team: 'a', [LABEL.registered]: 'true' },
        annotations: { note: 'x' },
        taints: [own, { key: 's', effect: 'NoExecute' }],
        finalizers: [FINALIZER],
        ownerClaim: { name: claim.name, uid: claim.meta.uid },
      },
    })
  })

  it('RG-15 never gives back a startup taint that somebody took off', () => {
    const before = observation({ claim, instance: instance(), nodes: [joined] })
    const taken = applied(before, stepNodeClaim(before).actions)
    expect(taken.nodes[0]?.taints).toContainEqual({ key: 's', effect: 'NoExecute' })
    let now: ClaimObservation = { ...taken, nodes: taken.nodes.map((each) => ({ ...each, taints: claim.spec.taints })) }
    for (let look = 0; look < 3; look++) now = applied(now, stepNodeClaim(now).actions)
    expect(now.nodes[0]?.taints).toEqual(claim.spec.taints)
    expect(now.claim.status.conditions).toContainEqual(expect.objectContaining({ type: 'Initialized', status: 'True' }))
  })

  it('leaves the taints to a node that brought them', () => {
    const brought = { ...joined, meta: { ...joined.meta, labels: { [LABEL.doNotSyncTaints]: 'true' } } }
    const [action] = stepNodeClaim(observation({ claim, instance: instance(), nodes: [brought] })).actions
    expect(action).toMatchObject({ kind: 'patchNode', patch: { taints: [] } })
  })
})

describe('after Azure answered', () => {
  it('writes what the machine could not be told at its boot: labels that requirements fix, with long keys', () => {
    const long = `team.example.com/${'a'.repeat(60)}`
    const requirements = [
      { key: long, operator: 'In', values: ['b'] },
      { key: `${long}x`, operator: 'In', values: ['b', 'c'] },
      { key: 'short.example.com/kind', operator: 'In', values: ['d'] },
    ] as const
    const claim = nodeClaim({ stage: 'launched', spec: { requirements } })
    const { actions } = stepNodeClaim(observation({ claim, nodes: [joined] }))
    const written = actions.flatMap((action) => (action.kind === 'patchNode' ? Object.entries(action.patch.labels ?? {}) : []))
    expect(written.filter(([key]) => key.includes('example.com'))).toEqual([[long, 'b']])
  })

  it('a launch writes what was made, and the claim’s own labels win', () => {
    const before = observation({
      claim: nodeClaim({ stage: 'created', meta: { labels: { [LABEL.arch]: 'mine' }, createdAt: ago(SECOND) } }),
    })
    const [candidate] = planLaunch(before.claim, before.instanceTypes, [], NOW).candidates
    if (candidate === undefined) throw new Error('no candidate')
    const { actions } = afterLaunch(before, candidate, instance({ imageId: 'image-1' }))
    expect(actions[0]).toMatchObject({
      kind: 'patchClaim',
      labels: {
        [LABEL.arch]: 'mine',
        [LABEL.instanceType]: 'Standard_D4as_v6',
        [LABEL.capacityType]: 'spot',
        [LABEL.zone]: candidate.choice.zone,
        'kubernetes.azure.com/scalesetpriority': 'spot',
        'kubernetes.azure.com/priority': 'spot',
      },
      annotations: { [ANNOTATION.nodeClassHashVersion]: 'joiner-v1' },
    })
    expect(actions[1]).toMatchObject({
      kind: 'patchStatus',
      status: { providerId: instance().providerId, imageId: 'image-1', capacity: { cpu: 4000 }, allocatable: { cpu: 3900 } },
    })
    expect(afterLaunch(applied(before, actions), candidate, instance({ imageId: 'image-1' })).actions).toEqual([])
  })

  it('a refusal blocks offerings, says so on the claim and tries again soon', () => {
    const before = observation()
    const step = afterRefusal(before, REFUSED)
    expect(kindsOf(step.actions)).toEqual(['markUnavailable', 'patchStatus', 'publish LaunchFailed'])
    expect(step.actions[1]).toMatchObject({
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'Launched', reason: 'ZonalAllocationFailure' })]) },
    })
    expect(step.wakeAt).toBe(hence(SECOND))
    expect(kindsOf(afterRefusal(applied(before, step.actions), REFUSED).actions)).toEqual(['markUnavailable'])
  })

  it('a refusal nothing helps against waits for longer, but not beyond the launch deadline', () => {
    const stop: LaunchRefusal = { ...REFUSED, unavailable: [], then: 'stop' }
    expect(afterRefusal(observation(), stop).wakeAt).toBe(hence(MINUTE))
    const old = observation({ claim: nodeClaim({ stage: 'created', meta: { createdAt: ago(4.5 * MINUTE) } }) })
    expect(afterRefusal(old, stop).wakeAt).toBe(hence(0.5 * MINUTE))
  })
})
