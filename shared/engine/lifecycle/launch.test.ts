import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { catalog } from '../../../test/builders/catalog.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { SOME_LINKS } from '../../../test/builders/links.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import type { Condition } from '../../model/condition.ts'
import { splitLink } from '../../model/conditionLinks.ts'
import { nodeClassHash } from '../../model/driftHash.ts'
import type { Instance, LaunchRefusal } from '../../model/instance.ts'
import { ANNOTATION, isLabelValue, LABEL } from '../../model/labels.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { formatPrice } from '../../model/units.ts'
import { planLaunch } from '../launch/planLaunch.ts'
import { afterLaunch, afterRefusal, reportFailedStep, stepLaunch } from './launch.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const ready = (status: 'True' | 'False' | 'Unknown', message = '') =>
  nodeClass({ status: { conditions: [condition('ImagesReady'), condition('Ready', { status, message })], images: [] } })

const refusal: LaunchRefusal = { problem: { code: 'AZURE.ALLOCATION.ZONE', message: 'no room in zone 1' }, unavailable: [], then: 'retry' }

describe('a claim that cannot be launched', () => {
  it.each<[sentence: string, given: Partial<ClaimObservation>, code: string, event: string, words: string]>([
    ['has no class', { nodeClass: undefined }, 'NODECLASS.NOT_FOUND', 'NodeClassResolutionError', 'aksnodeclass default does not exist'],
    [
      'has a class that goes',
      { nodeClass: nodeClass({ meta: { deletedAt: ago(SECOND) } }) },
      'NODECLASS.NOT_FOUND',
      'NodeClassResolutionError',
      'aksnodeclass default is being deleted',
    ],
    [
      'has a class that is not ready',
      { nodeClass: ready('False') },
      'NODECLASS.NOT_READY',
      'NodeClassNotReady',
      'aksnodeclass default is not ready',
    ],
    [
      'has a class that says why it is not ready',
      { nodeClass: ready('False', 'no subnet') },
      'NODECLASS.NOT_READY',
      'NodeClassNotReady',
      'aksnodeclass default is not ready: no subnet',
    ],
  ])('since it %s is given up', (_sentence, given, code, event, message) => {
    const step = stepLaunch(observation(given))
    expect(step).toMatchObject({
      reasons: [{ code, message }],
      actions: [{ event: { reason: event, message } }, { kind: 'deleteClaim', code }],
    })
  })

  it('since nothing it allows can be bought is given up, and named', () => {
    const claim = nodeClaim({ stage: 'created', size: 'Standard_Z1' })
    expect(stepLaunch(observation({ claim }))?.reasons).toMatchObject([
      { code: 'CLAIM.INSUFFICIENT_CAPACITY', message: expect.stringContaining('nodeclaim default-aaaaa') },
    ])
  })

  it.each<[sentence: string, given: Partial<ClaimObservation>, reason: string, words: string]>([
    [
      'whether its class is ready',
      { nodeClass: ready('Unknown', 'asked') },
      'NodeClassReadinessUnknown',
      'aksnodeclass default is not ready: asked',
    ],
    ['what its class says', { nodeClass: nodeClass({ status: { conditions: [], images: [] } }) }, 'NodeClassReadinessUnknown', 'not ready'],
    [
      'NS-10: whether its class is ready after its latest change',
      { nodeClass: nodeClass({ meta: { generation: 2 } }) },
      'NodeClassReadinessUnknown',
      'latest change of aksnodeclass default is not judged yet',
    ],
    [
      'NS-10: the Kubernetes version of its class',
      {
        nodeClass: nodeClass({
          status: {
            conditions: [condition('Ready'), condition('KubernetesVersionReady', { status: 'Unknown', message: 'no answer' })],
            images: [],
          },
        }),
      },
      'NodeClassReadinessUnknown',
      'Kubernetes version of aksnodeclass default is not known: no answer',
    ],
    ['ER-21: the sizes there are', { instanceTypes: [] }, 'InstanceTypeResolutionFailed', 'not known yet'],
    [
      'the size of a machine that is there',
      { instance: instance({ size: 'Standard_Z1', zone: '0' }) },
      'InstanceTypeResolutionFailed',
      'size Standard_Z1 in any zone',
    ],
    ['the place of a machine that is there', { instance: instance({ zone: 'eastus-9' }) }, 'InstanceTypeResolutionFailed', 'zone eastus-9'],
  ])('before somebody knows %s waits, and says so', (_sentence, given, reason, words) => {
    const step = stepLaunch(observation(given))
    expect(kindsOf(step?.actions ?? [])).toEqual(['patchStatus'])
    expect(writtenCondition(step?.actions ?? [], 'Launched')).toMatchObject({
      status: 'Unknown',
      reason,
      message: expect.stringContaining(words),
    })
    expect(step?.wakeAt).toBe(hence(2 * SECOND))
  })

  it('waits no longer than until it is given up', () => {
    const claim = nodeClaim({ stage: 'created', meta: { createdAt: ago(5 * MINUTE - SECOND) } })
    expect(stepLaunch(observation({ claim, instanceTypes: [] }))?.wakeAt).toBe(hence(SECOND))
  })
})

describe('a claim that is launched', () => {
  it('is not launched again', () => {
    expect(stepLaunch(observation({ claim: nodeClaim({ stage: 'launched' }) }))).toBeUndefined()
  })

  it('names its class as a label, where a person made it without', () => {
    const made = nodeClaim({ stage: 'created' })
    const mine = { ...made, meta: { ...made.meta, labels: {} } }
    expect(stepLaunch(observation({ claim: mine, instance: instance() }))?.actions[0]).toMatchObject({
      kind: 'patchClaim',
      labels: { [LABEL.nodeClass]: 'default' },
    })
  })

  it('takes over a machine that is there, though its class is gone, as what it is', () => {
    const spot = instance({ zone: 'eastus-2', capacityType: 'spot' })
    const step = stepLaunch(observation({ instance: spot, nodeClass: undefined }))
    expect(kindsOf(step?.actions ?? [])).toEqual(['patchClaim', 'patchStatus', 'publish Launched'])
    expect(step?.actions[0]).toMatchObject({
      labels: { [LABEL.zone]: 'eastus-2', [LABEL.capacityType]: 'spot', [LABEL.nodeClass]: 'default' },
      annotations: {},
    })
    expect(step?.actions[2]).toMatchObject({
      event: {
        type: 'Normal',
        message: expect.stringMatching(/^machine joiner-default-aaaaa: Standard_D4as_v6, spot, zone eastus-2, \$[0-9.]+\/h$/),
      },
    })
  })

  it('has its machine written, and its next stages open', () => {
    const before = observation({
      claim: nodeClaim({ stage: 'created', meta: { annotations: { own: 'yes', [ANNOTATION.nodeClassHash]: 'old' } } }),
    })
    const [candidate = expect.fail('no candidate')] = planLaunch(before.claim, before.instanceTypes, [], NOW).candidates
    const { actions, wakeAt } = afterLaunch(before, candidate, instance())
    expect(wakeAt).toBe(hence(2 * SECOND))
    const [claim] = actions
    if (claim?.kind !== 'patchClaim') expect.fail('the claim is not written')
    expect(claim.annotations['own']).toBe('yes')
    expect(claim.annotations[ANNOTATION.nodeClassHash]).toBe(nodeClassHash(nodeClass()))
    const clusterFacts = { httpProxy: 'b', dnsServiceIp: 'a' }
    const [told] = afterLaunch({ ...before, settings: { ...before.settings, clusterFacts } }, candidate, instance()).actions
    expect(told).toMatchObject({ annotations: { [ANNOTATION.clusterFacts]: 'v1 dnsServiceIp=a httpProxy=b' } })
    for (const type of ['Registered', 'Initialized']) {
      expect(writtenCondition(actions, type)).toMatchObject({
        status: 'Unknown',
        reason: 'NodeNotFound',
        message: 'no node has joined yet',
      })
    }
    expect(writtenCondition(actions, 'Launched')?.status).toBe('True')
    expect(actions.find(({ kind }) => kind === 'patchStatus')).not.toHaveProperty('status.imageId')
  })

  it('has the price of the machine that was bought as a label, whatever it had before', () => {
    for (const before of [undefined, '0.0001', 'cheap']) {
      const labels = before === undefined ? {} : { [LABEL.instancePrice]: before }
      const made = nodeClaim({ stage: 'created', meta: { labels } })
      const { candidates } = planLaunch(made, catalog(), [], NOW)
      expect(candidates.length).toBeGreaterThan(1)
      for (const candidate of candidates) {
        const { size, zone, capacityType, price = expect.fail('no price') } = candidate.choice
        const [patch, , said] = afterLaunch(observation({ claim: made }), candidate, instance({ size, zone, capacityType })).actions
        const label = patch?.kind === 'patchClaim' ? patch.labels[LABEL.instancePrice] : undefined
        expect(Number(label) * 1_000_000).toBeCloseTo(price, 3)
        expect(isLabelValue(label ?? '/')).toBe(true)
        expect(said?.kind === 'publish' && said.event.message.endsWith(formatPrice(price))).toBe(true)
      }
    }
  })

  it('has no label of a price that is not known', () => {
    const made = nodeClaim({ stage: 'created', meta: { labels: { [LABEL.instancePrice]: '1' } } })
    const [candidate = expect.fail('no candidate')] = planLaunch(made, catalog(), [], NOW).candidates
    const { price: _, ...choice } = candidate.choice
    const [patch] = afterLaunch(observation({ claim: made }), { ...candidate, choice }, instance()).actions
    expect(patch?.kind === 'patchClaim' && Object.keys(patch.labels).includes(LABEL.instancePrice)).toBe(false)
  })

  it('names the Kubernetes version that its machine was made for, and no version for a machine that it found', () => {
    const before = observation()
    const [candidate = expect.fail('no candidate')] = planLaunch(before.claim, before.instanceTypes, [], NOW).candidates
    const told = (made: Partial<Instance>) => {
      const patch = afterLaunch(before, candidate, instance(made)).actions.find(({ kind }) => kind === 'patchClaim')
      return patch?.kind === 'patchClaim' ? patch.annotations[ANNOTATION.kubernetesVersion] : expect.fail('the claim is not written')
    }
    expect([told({ kubernetesVersion: '1.34.2' }), told({})]).toEqual(['1.34.2', undefined])
  })
})

describe('a claim that is launched, where people are led to the portal', () => {
  it('says where its machine is seen, once', () => {
    const before = observation({ settings: settings({ links: SOME_LINKS }) })
    const [candidate = expect.fail('no candidate')] = planLaunch(before.claim, before.instanceTypes, [], NOW).candidates
    const { actions } = afterLaunch(before, candidate, instance())
    const said = writtenCondition(actions, 'Launched')
    expect(said).toMatchObject({ status: 'True', message: expect.stringMatching(/\/virtualMachines\/joiner-default-aaaaa$/) })
    expect(kindsOf(afterLaunch(applied(before, actions), candidate, instance()).actions)).toEqual([])
  })
})

describe('a launch that Azure refused', () => {
  it('is said on the claim and in an event, in as many words as they take', () => {
    const long = { ...refusal, problem: { ...refusal.problem, message: 'x'.repeat(1_000) } }
    const { actions, reasons } = afterRefusal(observation(), long)
    expect(writtenCondition(actions, 'Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'ZonalAllocationFailure',
      message: 'x'.repeat(300),
    })
    expect(actions.at(-1)).toMatchObject({ event: { type: 'Warning', reason: 'LaunchFailed', message: 'x'.repeat(500) } })
    expect(reasons).toEqual([
      { code: 'AZURE.ALLOCATION.ZONE', subject: { kind: 'nodeClaim', name: 'default-aaaaa' }, message: 'x'.repeat(1_000) },
    ])
  })

  it('and that names no offerings blocks none, and is told once', () => {
    const before = observation()
    const { actions } = afterRefusal(before, refusal)
    expect(kindsOf(actions)).toEqual(['patchStatus', 'publish LaunchFailed'])
    expect(afterRefusal(applied(before, actions), refusal).actions).toEqual([])
  })

  it.each<[sentence: string, refused: LaunchRefusal, seconds: number]>([
    ['soon', refusal, 1],
    ['soon with the next offering', { ...refusal, then: 'next' }, 1],
    ['after a minute when nothing will help', { ...refusal, then: 'stop' }, 60],
    ['when Azure says', { ...refusal, then: 'stop', problem: { ...refusal.problem, retryAfterMs: 7_000 } }, 7],
  ])('is tried again %s', (_sentence, refused, seconds) => {
    expect(afterRefusal(observation(), refused).wakeAt).toBe(hence(seconds * SECOND))
  })

  it('and for whose machine Azure takes no further request ends its claim, unless the claim belongs to no nodepool', () => {
    const usedUp: LaunchRefusal = { ...refusal, then: 'end', problem: { ...refusal.problem, retryAfterMs: 15_000 } }
    const ended = afterRefusal(observation(), usedUp)
    expect(kindsOf(ended.actions)).toEqual(['publish InsufficientCapacityError', 'deleteClaim'])
    expect(ended).toMatchObject({ reasons: [{ code: 'CLAIM.INSUFFICIENT_CAPACITY' }], wakeAt: NOW })
    const standalone = observation({ claim: withoutLabel(observation().claim, LABEL.nodePool) })
    const kept = afterRefusal(standalone, usedUp)
    expect(kindsOf(kept.actions)).toEqual(['patchStatus', 'publish LaunchFailed'])
    expect(kept.wakeAt).toBe(hence(15 * SECOND))
  })
})

describe('a claim whose generation moved', () => {
  it('LC-04 has its conditions stamped with the new one, and stays Ready since it was', () => {
    const up = [...nodeClaim().status.conditions, condition('Drifted'), condition('Ready')]
    const before = observation({ claim: nodeClaim({ meta: { generation: 2 }, status: { conditions: up } }), nodes: [node()] })
    const after = applied(before, stepNodeClaim(before).actions)
    const stamped = ['Launched', 'Registered', 'Initialized', 'Ready']
    const want = up.map((each) => ({ ...each, observedGeneration: stamped.includes(each.type) ? 2 : 1 }))
    expect(after.claim.status.conditions).toEqual(expect.arrayContaining(want))
    expect(stepNodeClaim(after).actions).toEqual([])
  })

  it('keeps what a condition says, with one link', () => {
    const linked = { settings: settings({ links: SOME_LINKS }), nodes: [node()] }
    const message = `machine made\n${SOME_LINKS.portal}/#@t/x`
    const up = [condition('Launched', { message }), ...nodeClaim().status.conditions.slice(1)]
    const before = observation({ ...linked, claim: nodeClaim({ meta: { generation: 2 }, status: { conditions: up } }) })
    const said = writtenCondition(stepNodeClaim(before).actions, 'Launched')?.message ?? ''
    expect(splitLink(splitLink(said).text)).toEqual({ text: 'machine made' })
  })

  it('CT-03 and that ends stays Ready since it was while its machine ends, and Unknown where it was', () => {
    const rootAfter = (conditions: readonly Condition[]) => {
      const meta = { generation: 2, deletedAt: ago(SECOND) }
      const before = observation({ claim: nodeClaim({ meta, status: { conditions } }), instance: instance() })
      const after = applied(before, stepNodeClaim(before).actions).claim.status.conditions
      expect(after).toContainEqual(expect.objectContaining({ type: 'InstanceTerminating', status: 'True' }))
      return after.at(-1)
    }
    const up = nodeClaim().status.conditions
    expect(rootAfter([...up, condition('Ready')])).toEqual(condition('Ready', { observedGeneration: 2 }))
    const launched = condition('Launched')
    expect(rootAfter([launched, condition('Ready', { status: 'Unknown' })])).toMatchObject({
      status: 'Unknown',
      lastTransitionAt: launched.lastTransitionAt,
    })
  })
})

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
