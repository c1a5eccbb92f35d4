import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation as observationOf, observation as observed, writtenCondition } from '../../../test/builders/observation.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod } from '../../../test/builders/pod.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { nodeName, objectKey, uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { formatTimestamp } from '../../model/time.ts'
import { durationMs, epochMs, later } from '../../model/units.ts'
import type { PersistentVolumeClaim, VolumeAttachment } from '../../model/workloads.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'
import { attachmentsToAwait, stepTermination } from './termination.ts'

const HOST = 'joiner-default-aaaaa'

function deleting(shape: NodeClaimShape = {}) {
  return nodeClaim({ ...shape, meta: { deletedAt: ago(SECOND), generation: 2, ...shape.meta } })
}

/** An observation of a claim that is being deleted, with its machine and its node. */
function observation(overrides: Partial<ClaimObservation> = {}): ClaimObservation {
  return observationOf({ claim: deleting(), nodes: [node()], instance: instance(), instanceTypes: [], ...overrides })
}

function here(name: string, shape: PodShape = {}): Pod {
  return pod({ name, ...shape, nodeName: HOST })
}

function words(actions: readonly ClaimAction[]): readonly string[] {
  return actions.map((action) => {
    if (action.kind === 'evictPod') return `evict ${action.pod.key.split('/')[1]}`
    if (action.kind === 'deletePod') return `delete ${action.pod.key.split('/')[1]} ${action.gracePeriodSeconds}s`
    return action.kind === 'publish' ? `publish ${action.event.reason}` : action.kind
  })
}

/** An observation of a claim whose node is closed and whose drain began `since` milliseconds ago. */
function draining(since: number, overrides: Partial<ClaimObservation> = {}): ClaimObservation {
  const started = applied(observation(overrides), stepNodeClaim(observation({ ...overrides, pods: [] })).actions)
  return { ...started, now: later(NOW, durationMs(since)) }
}

describe('the end of a claim', () => {
  it('closes the node, waits five quiet seconds, ends the machine, then removes what is left', () => {
    let now = observation()
    const seen: string[][] = []
    for (let turn = 0; turn < 12 && now.claim.meta.finalizers.length > 0; turn++) {
      const step = stepNodeClaim(now)
      seen.push([...words(step.actions)])
      now = { ...applied(now, step.actions), now: step.wakeAt ?? now.now }
      // Azure needs two looks.
      if (seen.filter((each) => each.includes('terminateInstance')).length > 0 && step.actions.length === 0)
        now = { ...now, instance: undefined }
    }
    expect(seen).toEqual([
      ['patchNode', 'deleteNode', 'patchStatus'],
      ['patchStatus'],
      ['terminateInstance', 'patchStatus'],
      [],
      ['removeNodeFinalizer', 'removeFinalizer'],
    ])
    expect(stepNodeClaim(now)).toEqual({ actions: [], reasons: [] })
  })

  it('NT-07 taints the node and takes it out of load balancers, beside what is there', () => {
    const [action] = stepNodeClaim(observation({ nodes: [node({ taints: [{ key: 'own', effect: 'NoSchedule' }] })] })).actions
    expect(action).toMatchObject({
      kind: 'patchNode',
      patch: {
        taints: [
          { key: 'own', effect: 'NoSchedule' },
          { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' },
        ],
        labels: { [LABEL.excludeFromLoadBalancers]: 'karpenter', [LABEL.nodePool]: 'default' },
      },
    })
  })

  it('of a claim that never launched asks once for what may be left of its machine', () => {
    const claim = deleting({ stage: 'created' })
    const before = observation({ claim, nodes: [], instance: undefined })
    const first = stepNodeClaim(before)
    expect([words(first.actions), first.wakeAt]).toEqual([['terminateInstance', 'patchStatus'], NOW])
    expect(words(stepNodeClaim(applied(before, first.actions)).actions)).toEqual(['deleteBootstrapToken', 'removeFinalizer'])
  })

  it('does not drain a node that never registered', () => {
    const claim = deleting({ stage: 'launched' })
    const nodes = [node({ meta: { labels: { [LABEL.registered]: '' } } })]
    expect(words(stepNodeClaim(observation({ claim, nodes, pods: [here('p')] })).actions)).toEqual(['terminateInstance', 'patchStatus'])
  })

  it('NT-18 does not drain when the machine is gone and the node is not ready', () => {
    const before = observation({ nodes: [node({ ready: false })], instance: undefined, pods: [here('p')] })
    const first = stepNodeClaim(before)
    expect(words(first.actions)).toEqual(['terminateInstance', 'patchStatus'])
    expect(words(stepNodeClaim(applied(before, first.actions)).actions)).toEqual(['deleteNode', 'removeNodeFinalizer', 'removeFinalizer'])
  })

  it('NT-19 drains when the machine seems gone but the node is ready', () => {
    expect(words(stepNodeClaim(observation({ instance: undefined, pods: [here('p')] })).actions)).toContain('evict p')
  })

  it('without its finalizer is over', () => {
    expect(stepNodeClaim(observation({ claim: deleting({ meta: { finalizers: [] } }) }))).toEqual({ actions: [], reasons: [] })
  })
})

const web = here('web')
const agent = here('agent', { owner: DAEMON_SET })
const critical = here('critical', { priorityClassName: 'system-cluster-critical' })
const criticalAgent = here('critical-agent', { owner: DAEMON_SET, priorityClassName: 'system-node-critical' })
const protectedPod = here('held', { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })

const TEN_SECONDS = { annotations: { [ANNOTATION.doNotDisrupt]: '10s' } }
const TWENTY_SECONDS = { annotations: { [ANNOTATION.doNotDisrupt]: '20s' } }

type Drain = { readonly pods: readonly Pod[]; readonly want: readonly string[]; readonly restsUntilQuiet?: true }

/** `restsUntilQuiet`: every pod was asked to leave, and nothing is to be done before the node may count as drained. */
const DRAINS: { readonly [sentence: string]: Drain } = {
  'ordinary pods go first': { pods: [criticalAgent, critical, agent, web], want: ['evict web'] },
  'then daemons': { pods: [criticalAgent, critical, agent], want: ['evict agent'] },
  'then critical pods': { pods: [criticalAgent, critical], want: ['evict critical'] },
  'critical daemons last': { pods: [criticalAgent], want: ['evict critical-agent'], restsUntilQuiet: true },
  'NT-14 a pod that is ending still holds its tier': { pods: [{ ...web, deletedAt: hence(10 * SECOND) }, agent], want: [] },
  'NT-20 a pod stuck in ending for a minute holds nothing': {
    pods: [{ ...web, deletedAt: ago(61 * SECOND) }, agent],
    want: ['evict agent'],
    restsUntilQuiet: true,
  },
  'pods that all end are waited for': { pods: [{ ...web, deletedAt: hence(10 * SECOND) }], want: [], restsUntilQuiet: true },
  'E2E-14 a pod that must not be disrupted is waited for': { pods: [protectedPod], want: [] },
  'a pod that must not be disrupted for a time is evicted after it': {
    pods: [here('held', { ...TEN_SECONDS, startedAt: ago(10 * SECOND) })],
    want: ['evict held'],
    restsUntilQuiet: true,
  },
  'E2E-14 of two such pods the one with the shorter time goes first': {
    pods: [
      here('short', { ...TEN_SECONDS, startedAt: ago(15 * SECOND) }),
      here('long', { ...TWENTY_SECONDS, startedAt: ago(15 * SECOND) }),
    ],
    want: ['evict short'],
  },
  'E2E-14 and the other one after it': {
    pods: [here('long', { ...TWENTY_SECONDS, startedAt: ago(20 * SECOND) })],
    want: ['evict long'],
    restsUntilQuiet: true,
  },
  'that time runs from its start, however long it waited before': {
    pods: [here('held', { ...TEN_SECONDS, createdAt: ago(60 * SECOND), startedAt: ago(8 * SECOND) })],
    want: [],
  },
  'a pod that must not be disrupted for a time and has not started is waited for': {
    pods: [here('held', { ...TEN_SECONDS, createdAt: ago(60 * SECOND) })],
    want: [],
  },
  'a time of nothing protects from nothing': {
    pods: [here('held', { annotations: { [ANNOTATION.doNotDisrupt]: '0s' } })],
    want: ['evict held'],
    restsUntilQuiet: true,
  },
}

describe('a drain', () => {
  for (const [sentence, { pods, want, restsUntilQuiet = false }] of Object.entries(DRAINS)) {
    it(sentence, () => {
      const step = stepNodeClaim(draining(SECOND, { pods: [...pods] }))
      expect(words(step.actions).filter((word) => word !== 'patchStatus')).toEqual(want)
      expect(step.wakeAt).toBe(hence((restsUntilQuiet ? 5 : 2) * SECOND))
    })
  }

  it('is over while only pods remain that stay with the node', () => {
    const pods = [
      here('static', { owner: NODE_OWNER }),
      here('tolerant', { tolerations: [{ operator: 'Exists' }] }),
      here('done', { phase: 'Succeeded' }),
    ]
    const [action] = stepNodeClaim(draining(5 * SECOND, { pods })).actions
    expect(action).toMatchObject({
      kind: 'patchStatus',
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'Drained', status: 'True' })]) },
    })
  })

  it('says how many pods it waits for and what holds them, and says it once', () => {
    const HELD = '1 pod is waiting to be evicted; annotation karpenter.sh/do-not-disrupt holds pod default/held'
    const before = draining(SECOND, { pods: [protectedPod] })
    const step = stepNodeClaim(before)
    expect(step.actions).toMatchObject([
      {
        kind: 'patchStatus',
        status: { conditions: expect.arrayContaining([expect.objectContaining({ message: HELD })]) },
      },
    ])
    expect(stepNodeClaim(applied(before, step.actions)).actions).toEqual([])
  })
})

describe('a deadline', () => {
  const spec = { terminationGracePeriod: durationMs(2 * MINUTE) }
  const withDeadline = (deadline: string) => deleting({ spec, meta: { annotations: { [ANNOTATION.terminationTimestamp]: deadline } } })

  it('CT-12 is written once, counted from the deletion', () => {
    const before = observation({ claim: deleting({ spec }) })
    const step = stepNodeClaim(before)
    expect(step.actions).toMatchObject([
      { kind: 'patchClaim', annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-01T00:01:59Z' } },
      { kind: 'publish', event: { reason: 'TerminationGracePeriodExpiring' } },
    ])
    expect(words(stepNodeClaim(applied(before, step.actions)).actions)).not.toContain('patchClaim')
  })

  it('NT-23 deletes pods that would outlast it, whatever protects them and whichever tier they are of', () => {
    const pods = [
      here('slow', { terminationGracePeriodSeconds: 60, annotations: { [ANNOTATION.doNotDisrupt]: 'true' }, owner: DAEMON_SET }),
      here('fast', { terminationGracePeriodSeconds: 10 }),
      here('unspoken'),
    ]
    const claim = withDeadline('2026-01-01T00:00:30Z')
    expect(words(stepNodeClaim(draining(SECOND, { claim, pods })).actions)).toEqual(
      expect.arrayContaining(['delete slow 29s', 'evict fast', 'evict unspoken']),
    )
  })

  it('names when it next asks for a deletion, so that a drain that is looked at rarely keeps it', () => {
    const claim = withDeadline('2026-01-01T00:10:00Z')
    const held = (name: string, seconds: number | undefined) =>
      here(name, {
        annotations: { [ANNOTATION.doNotDisrupt]: 'true' },
        ...(seconds === undefined ? {} : { terminationGracePeriodSeconds: seconds }),
      })
    const before = draining(SECOND, { claim, pods: [held('fast', 10), held('slow', 60), held('unspoken', undefined)] })
    const { dueAt = NOW } = stepNodeClaim(before)
    expect(dueAt).toBe(hence(9 * MINUTE) + 1)
    expect(words(stepNodeClaim({ ...before, now: dueAt }).actions)).toContain('delete slow 59s')
    expect(words(stepNodeClaim({ ...before, now: epochMs(dueAt - 1) }).actions)).not.toContain('delete slow 60s')
    expect(stepNodeClaim(draining(SECOND, { pods: [held('fast', 10)] })).dueAt).toBeUndefined()
  })

  it('leaves a pod alone that is ending in time', () => {
    const claim = withDeadline('2026-01-01T00:00:30Z')
    const pods = [here('ending', { deletedAt: hence(20 * SECOND), terminationGracePeriodSeconds: 60 })]
    expect(words(stepNodeClaim(draining(SECOND, { claim, pods })).actions)).toEqual(['patchStatus'])
  })
})

describe('what a drained claim remembers', () => {
  it('is not asked again', () => {
    const claim = deleting({ status: { conditions: [condition('Launched'), condition('Registered'), condition('Drained')] } })
    expect(words(stepNodeClaim(observation({ claim, pods: [web] })).actions)).toEqual(['terminateInstance', 'patchStatus'])
  })
})

const NODE_NAME = node().name
const TOLERANT: PodShape = { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] }

function attachment(volumeName: string | undefined = 'disk', on = NODE_NAME): VolumeAttachment {
  const name = `csi-${volumeName ?? 'inline'}`
  return { name, uid: uid(name), node: on, ...(volumeName === undefined ? {} : { volumeName }) }
}

function bound(name: string, volumeName: string): PersistentVolumeClaim {
  return { key: objectKey('default', name), uid: uid(name), volumeName, deleted: false }
}

/** The attachments that are awaited if a pod of this shape mounts the claim `data` of the volume `disk`. */
function awaited(shape: PodShape, attached: readonly VolumeAttachment[] = [attachment()]): readonly string[] {
  const mounts = pod({ name: 'app', nodeName: NODE_NAME, phase: 'Running', volumes: [{ kind: 'claim', claimName: 'data' }], ...shape })
  const objects = { pod: [mounts], persistentVolumeClaim: [bound('data', 'disk')], volumeAttachment: attached }
  return attachmentsToAwait(objects, [node()], NOW).map(({ name }) => name)
}

describe('volumes that the end of a machine waits for', () => {
  it.each<[string, PodShape, readonly string[]]>([
    ['of a pod that a drain takes away', {}, ['csi-disk']],
    ['of a pod that has ended by itself', { phase: 'Succeeded' }, ['csi-disk']],
    ['NT-28 of a pod that tolerates disruption', TOLERANT, []],
    ['NT-28 of a static pod', { owner: NODE_OWNER }, []],
    ['of a pod that is stuck', { deletedAt: ago(61 * SECOND) }, []],
    ['of a pod that stays on another node', { ...TOLERANT, nodeName: nodeName('other') }, ['csi-disk']],
    [
      'of a pod that tolerates disruption and mounts another claim',
      { ...TOLERANT, volumes: [{ kind: 'claim', claimName: 'b' }] },
      ['csi-disk'],
    ],
  ])('%s', (_sentence, shape, want) => expect(awaited(shape)).toEqual(want))

  it('are those of its node that have a PersistentVolume, by name', () => {
    const attached = [
      attachment('z'),
      attachment('far', nodeName('other')),
      { ...attachment('inline'), volumeName: undefined },
      attachment('a'),
    ]
    expect(awaited({}, attached as readonly VolumeAttachment[])).toEqual(['csi-a', 'csi-z'])
  })
})

const UP = ['Launched', 'Registered', 'Initialized', 'Drained'].map((type) => condition(type))

function drained(more: Partial<ClaimObservation> = {}, deadline?: number): ClaimStep {
  const annotations = deadline === undefined ? {} : { [ANNOTATION.terminationTimestamp]: formatTimestamp(hence(deadline)) }
  const claim = nodeClaim({ meta: { deletedAt: ago(MINUTE), annotations }, status: { conditions: UP } })
  return stepTermination(observed({ claim, nodes: [node()], instance: instance(), ...more }))
}

const said = ({ actions }: ClaimStep): string | undefined => {
  const written = writtenCondition(actions, 'VolumesDetached')
  return written && `${written.status} ${written.reason} ${written.message}`.trim()
}

describe('a drained machine', () => {
  it('NT-27 waits for its volumes, and names some on claim and node', () => {
    const step = drained({ volumeAttachments: ['a', 'b', 'c', 'd'].map((name) => attachment(name)) })
    expect(kindsOf(step.actions)).toEqual(['patchStatus', 'publish AwaitingVolumeDetachment', 'publish AwaitingVolumeDetachment'])
    expect(said(step)).toBe('Unknown AwaitingVolumeDetachment volumes a, b, c and 1 more still attached')
    expect(step).toMatchObject({ wakeAt: hence(SECOND), reasons: [] })
    expect(step.dueAt).toBeUndefined()
  })

  it('waits on for what is attached for too long, and tells that its node no longer counts', () => {
    const drainedFor = (minutes: number) => {
      const conditions = [condition('Drained', { lastTransitionAt: ago(minutes * MINUTE) })]
      const claim = nodeClaim({ meta: { deletedAt: ago(60 * MINUTE) }, status: { conditions } })
      return stepTermination(observed({ claim, nodes: [node()], instance: instance(), volumeAttachments: [attachment()] }))
    }
    expect(said(drainedFor(5))).toBe('Unknown AwaitingVolumeDetachment volume disk still attached')
    const step = drainedFor(6)
    expect(kindsOf(step.actions)).toEqual(['patchStatus', 'publish VolumeDetachmentOverdue', 'publish VolumeDetachmentOverdue'])
    expect(said(step)).toBe(
      'Unknown VolumeDetachmentOverdue volume disk still attached; the node has no pods left and no longer counts in the budgets of its NodePool; delete the VolumeAttachment if the volume is not in use',
    )
    expect(step.wakeAt).toBeDefined()
  })

  it('looks again at its deadline', () => {
    expect(drained({ volumeAttachments: [attachment()] }, MINUTE).dueAt).toBe(hence(MINUTE))
  })

  it.each<[string, Partial<ClaimObservation>, number | undefined, string | undefined]>([
    ['NT-27 once no volume is attached', {}, undefined, 'True VolumesDetached'],
    ['NT-29 at its deadline', { volumeAttachments: [attachment()] }, 0, 'False TerminationGracePeriodElapsed volume disk still attached'],
    ['where Azure has it no more', { volumeAttachments: [attachment()], instance: undefined }, undefined, 'True VolumesDetached'],
  ])('%s it ends', (_sentence, more, deadline, want) => {
    const step = drained(more, deadline)
    expect(kindsOf(step.actions)).toContain('terminateInstance')
    expect(said(step)).toBe(want)
  })

  it('says of its volumes what was known when it began to end', () => {
    const conditions = [...UP, condition('VolumesDetached', { status: 'False' }), condition('InstanceTerminating')]
    const claim = nodeClaim({ meta: { deletedAt: ago(MINUTE) }, status: { conditions } })
    expect(said(drained({ claim }))).toBe('False VolumesDetached')
  })
})
