import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type ClaimStage, type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import type { ClaimAction, NodePatch } from '../../model/claimStep.ts'
import { ANNOTATION, FINALIZER, LABEL, LONGEST_BOOT_LABEL_KEY, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Taint } from '../../model/taint.ts'
import { claimNeedsReconcile, nodeNeedsReconcile, stepRegistration } from './registration.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const UNREGISTERED: Taint = { key: TAINT_KEY.unregistered, effect: 'NoExecute' }
const JOINED: NodeShape = { taints: [UNREGISTERED], meta: { labels: { [LABEL.registered]: '' }, finalizers: [] } }

function step(shape: NodeClaimShape, ...nodes: readonly NodeShape[]) {
  const claim = nodeClaim({ stage: 'launched', ...shape })
  return stepRegistration(observation({ claim, nodes: nodes.map((each) => node(each)) }))
}

function patchOf(shape: NodeClaimShape, joined: NodeShape): NodePatch {
  const patch = step(shape, joined)?.actions.find(({ kind }) => kind === 'patchNode')
  return patch?.kind === 'patchNode' ? patch.patch : expect.fail('the node is not taken in')
}

describe('a node that joined', () => {
  it('RG-01 RG-05 is taken in, and the claim knows its name and says that it joined and that it is ready', () => {
    const actions = step({}, JOINED)?.actions ?? []
    const said = ['publish Registered', 'publish Initialized']
    expect(kindsOf(actions)).toEqual(['patchNode', 'deleteBootstrapToken', 'patchStatus', ...said])
    expect(patchOf({}, JOINED)).toMatchObject({ labels: { [LABEL.registered]: 'true' }, taints: [] })
    expect(actions.find(({ kind }) => kind === 'patchStatus')).toMatchObject({ status: { nodeName: 'joiner-default-aaaaa' } })
    expect(writtenCondition(actions, 'Registered')).toMatchObject({ status: 'True', reason: 'Registered' })
    expect(actions.slice(3)).toMatchObject([{ event: { subject: { kind: 'nodeClaim' } } }, { event: { subject: { kind: 'nodeClaim' } } }])
  })

  it.each<[sentence: string, claim: NodeClaimShape, joined: NodeShape]>([
    ['is not ready', {}, { ready: false }],
    ['has a taint of one that starts', {}, { taints: [UNREGISTERED, { key: TAINT_KEY.notReady, effect: 'NoSchedule' }] }],
    ['gets a startup taint', { spec: { startupTaints: [{ key: 's', effect: 'NoSchedule' }] } }, {}],
    ['has not what the claim asks for', { spec: { requests: { 'nvidia.com/gpu': 1 } } }, {}],
  ])('waits for its initialization when it %s, and takes both steps in one otherwise', (_sentence, claim, joined) => {
    const taken = (shape: NodeClaimShape, more: NodeShape) => {
      const { actions } =
        step(shape, { ...JOINED, initialized: false, ...more, meta: { labels: {}, finalizers: [] } }) ?? expect.fail('no step')
      const patch = actions.find(({ kind }) => kind === 'patchNode')
      const label = patch?.kind === 'patchNode' ? patch.patch.labels?.[LABEL.initialized] : undefined
      return {
        label,
        status: writtenCondition(actions, 'Initialized')?.status,
        writes: actions.filter(({ kind }) => kind.startsWith('patch')).length,
      }
    }
    expect(taken({}, {})).toEqual({ label: 'true', status: 'True', writes: 2 })
    expect(taken(claim, joined)).toMatchObject({ label: undefined, writes: 2 })
    expect(taken(claim, joined).status).not.toBe('True')
  })

  it('gets the label of its class from its claim, where it joined without', () => {
    const nodes = [withoutLabel(node(JOINED), LABEL.nodeClass)]
    const { actions } = stepRegistration(observation({ claim: nodeClaim({ stage: 'launched' }), nodes })) ?? expect.fail('no step')
    expect(actions[0]).toMatchObject({ kind: 'patchNode', patch: { labels: { [LABEL.nodeClass]: 'default' } } })
  })

  it('RG-07 RG-08 keeps its labels, annotations and finalizers, and the claim wins over them', () => {
    const patch = patchOf(
      { meta: { labels: { team: 'claim' }, annotations: { note: 'claim' } } },
      {
        ...JOINED,
        meta: { labels: { team: 'node', own: 'yes' }, annotations: { note: 'node', kept: 'yes' }, finalizers: ['other', FINALIZER] },
      },
    )
    expect(patch.labels).toMatchObject({ team: 'claim', own: 'yes', [LABEL.registered]: 'true' })
    expect(patch.annotations).toEqual({ note: 'claim', kept: 'yes' })
    expect(patch.finalizers).toEqual(['other', FINALIZER])
  })

  it('gets the taints of its claim that it has not, and loses the one it joined with, whatever its effect', () => {
    const [own, startup]: readonly Taint[] = [
      { key: 't', value: 'claim', effect: 'NoSchedule' },
      { key: 's', effect: 'NoExecute' },
    ]
    const spec = { taints: [own ?? UNREGISTERED], startupTaints: [startup ?? UNREGISTERED] }
    const present: Taint = { key: 't', value: 'node', effect: 'NoExecute' }
    const patch = patchOf({ spec }, { ...JOINED, taints: [{ ...UNREGISTERED, effect: 'NoSchedule' }, UNREGISTERED, present] })
    expect(patch.taints).toEqual([present, own, startup])
  })

  it.each<[sentence: string, value: string | undefined, isSynced: boolean]>([
    ['RG-09 RG-13 that does not speak of taints', undefined, true],
    ['RG-10 RG-14 that says nothing that counts', 'false', true],
    ['RG-11 RG-12 that keeps its own', 'true', false],
  ])('%s: it loses the taint it joined with, and gets the taints of its claim: %j', (_sentence, value, isSynced) => {
    const [own, taint, startup] = ['own', 'taint', 'startup'].map((key): Taint => ({ key, effect: 'NoSchedule' }))
    if (own === undefined || taint === undefined || startup === undefined) expect.fail('three taints')
    const labels = value === undefined ? {} : { [LABEL.doNotSyncTaints]: value }
    const joined = { ...JOINED, taints: [UNREGISTERED, own], meta: { labels } }
    const { taints } = patchOf({ spec: { taints: [taint], startupTaints: [startup] } }, joined)
    expect(taints).toEqual(isSynced ? [own, taint, startup] : [own])
  })

  it.each<[sentence: string, shape: NodeShape, isWarned: boolean]>([
    ['with its taint', JOINED, false],
    ['without it', { ...JOINED, taints: [{ key: 'other', effect: 'NoExecute' }] }, true],
    ['and was taken in before', { ...JOINED, taints: [], meta: { labels: { [LABEL.registered]: 'true' } } }, false],
  ])('%s: that pods may have run too early is said: %j', (_sentence, shape, isWarned) => {
    const [first] = step({}, shape)?.actions ?? []
    expect(kindsOf(first === undefined ? [] : [first])).toEqual([isWarned ? 'publish UnregisteredTaintMissing' : 'patchNode'])
    if (isWarned) expect(first).toMatchObject({ event: { type: 'Warning', message: expect.stringContaining('joiner-default-aaaaa') } })
  })
})

describe('a node that joined and cannot run pods yet', () => {
  const starting = (age: number): NodeShape => ({ ...JOINED, ready: false, meta: { ...JOINED.meta, createdAt: ago(age) } })
  const madeBefore = (age: number): NodeClaimShape => ({ meta: { createdAt: ago(age) } })

  it('is not touched for ten seconds', () => {
    expect(step({}, starting(4 * SECOND))).toEqual({ actions: [], reasons: [], wakeAt: hence(6 * SECOND) })
    expect(kindsOf(step({}, starting(10 * SECOND))?.actions ?? [])).toContain('patchNode')
  })

  it('is registered as soon as it can run pods', () => {
    expect(kindsOf(step({}, { ...starting(SECOND), ready: true })?.actions ?? [])).toContain('patchNode')
  })

  it('is registered at once in the last ten seconds before its claim is given up', () => {
    const untilGivenUp = (left: number) => step(madeBefore(15 * MINUTE - left), starting(0))
    expect(untilGivenUp(15 * SECOND)).toEqual({ actions: [], reasons: [], wakeAt: hence(5 * SECOND) })
    expect(kindsOf(untilGivenUp(10 * SECOND)?.actions ?? [])).toContain('patchNode')
  })
})

describe('labels that requirements fix', () => {
  const key = (length: number) => 'k'.repeat(length)
  it.each<[sentence: string, key: string, operator: 'In' | 'NotIn', values: readonly string[], isWritten: boolean]>([
    ['with a key too long for the boot', key(LONGEST_BOOT_LABEL_KEY + 1), 'In', ['a'], true],
    ['not with one that the boot takes', key(LONGEST_BOOT_LABEL_KEY), 'In', ['a'], false],
    ['not with several values', key(LONGEST_BOOT_LABEL_KEY + 1), 'In', ['a', 'b'], false],
    ['not with a value that is excluded', key(LONGEST_BOOT_LABEL_KEY + 1), 'NotIn', ['a'], false],
    ['not without a value', key(LONGEST_BOOT_LABEL_KEY + 1), 'In', [], false],
  ])('are written %s', (_sentence, label, operator, values, isWritten) => {
    const { labels = {} } = patchOf({ spec: { requirements: [{ key: label, operator, values }] } }, JOINED)
    expect(Object.entries(labels).filter(([name]) => name === label)).toEqual(isWritten ? [[label, 'a']] : [])
  })
})

describe('a claim that waits for its node', () => {
  it('says so, and looks again at the pace of its age', () => {
    const wait = step({ status: { conditions: [condition('Launched', { lastTransitionAt: ago(MINUTE) })] } })
    expect(writtenCondition(wait?.actions ?? [], 'Registered')).toMatchObject({ status: 'Unknown', reason: 'NodeNotFound' })
    expect(wait?.wakeAt).toBe(hence(5 * SECOND))
  })

  it('looks again no later than when it is given up', () => {
    expect(step({ meta: { createdAt: ago(15 * MINUTE - SECOND) } })?.wakeAt).toBe(hence(SECOND))
  })

  it('does not choose between two, and tells it once', () => {
    const wait = step({}, JOINED, JOINED)
    expect(kindsOf(wait?.actions ?? [])).toEqual(['patchStatus', 'publish MultipleNodesFound'])
    expect(writtenCondition(wait?.actions ?? [], 'Registered')).toMatchObject({
      status: 'False',
      reason: 'MultipleNodesFound',
      message: expect.stringMatching(/^nodes .* carry spec\.providerID of nodeclaim default-aaaaa, .*delete all but one$/),
    })
  })

  it.each(['created', 'registered'] as const)('does not, while it is %s', (stage) => {
    expect(step({ stage }, JOINED)).toBeUndefined()
    expect(step({}, JOINED)?.wakeAt).toBe(NOW)
  })
})

const CLOSED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }
const STARTING: Taint = { key: 'example.com/agent-not-ready', effect: 'NoSchedule' }
const NOT_READY: Taint = { key: TAINT_KEY.notReady, effect: 'NoExecute' }
const JUST_JOINED: NodeShape = {
  initialized: false,
  taints: [UNREGISTERED],
  meta: { labels: { [LABEL.registered]: '' }, finalizers: [] },
}

const NODES: { readonly [sentence: string]: readonly [shape: NodeShape, isWorthALook: boolean] } = {
  'that is healthy': [{}, false],
  'that is healthy and was labelled, tainted or cordoned by somebody': [
    {
      unschedulable: true,
      taints: [{ key: 'own', effect: 'NoExecute' }],
      meta: { labels: { team: 'a' }, annotations: { 'joiner.dev/x': 'y' } },
    },
    false,
  ],
  'that just joined': [JUST_JOINED, true],
  'that just joined and is not ready': [{ ...JUST_JOINED, ready: false }, true],
  'that joined without its taint': [{ ...JUST_JOINED, taints: [] }, true],
  'that is registered and not ready yet': [{ initialized: false, ready: false }, false],
  'that is registered and waits for a taint that goes by itself': [{ initialized: false, taints: [NOT_READY] }, false],
  'that is registered and may have lost its last startup taint': [{ initialized: false, taints: [STARTING] }, true],
  'that is registered and ready': [{ initialized: false }, true],
  'that is not ready any more': [{ ready: false }, true],
  'that somebody deletes': [{ meta: { deletedAt: ago(SECOND) } }, true],
  'that is deleted and held by others only': [{ meta: { deletedAt: ago(SECOND), finalizers: ['example.com/f'] } }, false],
  'that its claim is taking away': [{ taints: [CLOSED], meta: { deletedAt: ago(SECOND) } }, false],
  'that its claim is taking away, and that is not ready any more': [
    { taints: [CLOSED], ready: false, meta: { deletedAt: ago(SECOND) } },
    false,
  ],
  'of a pool of AKS, whatever it does': [{ name: 'aks-system-12345678-vmss000000', ready: false, meta: { deletedAt: ago(SECOND) } }, false],
}

describe('a change of a node', () => {
  for (const [sentence, [shape, want]] of Object.entries(NODES)) {
    it(`${sentence} ${want ? 'has its claim looked at' : 'is no news to its claim'}`, () => {
      expect(nodeNeedsReconcile(node(shape))).toBe(want)
    })
  }
})

const deleted = { deletedAt: ago(SECOND) }
const MADE = { [ANNOTATION.decision]: 'd' }
const CLAIMS: { readonly [sentence: string]: readonly [shape: NodeClaimShape, isWorthALook: boolean] } = {
  'that is ready': [{ status: { conditions: [condition('Ready')] } }, false],
  'that a decision made': [{ stage: 'created', meta: { annotations: MADE } }, false],
  'that somebody made by hand': [{ stage: 'created' }, true],
  'that is being launched, registered or initialized': [{ stage: 'launched' }, false],
  'that is ready, and whose generation moved': [{ meta: { generation: 2 } }, true],
  'that is being launched, and whose generation moved': [{ stage: 'created', meta: { generation: 2, annotations: MADE } }, false],
  'that somebody deletes': [{ meta: deleted }, true],
  'that is deleted before it was launched': [{ stage: 'created', meta: deleted }, true],
  'that is being drained': [{ meta: deleted, status: { conditions: [condition('Drained', { status: 'Unknown' })] } }, false],
  'whose machine is ending': [{ stage: 'created', meta: deleted, status: { conditions: [condition('InstanceTerminating')] } }, false],
}

describe('a change of a claim', () => {
  for (const [sentence, [shape, want]] of Object.entries(CLAIMS)) {
    it(`${sentence} ${want ? 'has it looked at' : 'is no news'}`, () => {
      expect(claimNeedsReconcile(nodeClaim(shape))).toBe(want)
    })
  }
})

/** The node of a claim, in every combination of states that the rules above read. */
function everyNode(): readonly Node[] {
  const taints = [[], [UNREGISTERED], [STARTING], [NOT_READY], [STARTING, NOT_READY]] as const
  return ['', 'true'].flatMap((registered) =>
    ['', 'true'].flatMap((initialized) =>
      [true, false].flatMap((ready) =>
        [undefined, ago(SECOND)].flatMap((deletedAt) =>
          [[], [FINALIZER]].flatMap((finalizers) =>
            taints.map((present) => {
              const labels = { [LABEL.registered]: registered, [LABEL.initialized]: initialized }
              return node({ ready, taints: present, meta: { finalizers, labels, ...(deletedAt === undefined ? {} : { deletedAt }) } })
            }),
          ),
        ),
      ),
    ),
  )
}

/** The effects of a step. A new message about what the step waits for is not worth a look. */
function deeds(claim: NodeClaim, present: Node, before: Node): readonly string[] {
  const stepOn = (each: Node): readonly ClaimAction[] =>
    stepNodeClaim({
      now: NOW,
      settings: settings(),
      claim,
      nodeClass: nodeClass(),
      nodes: [each],
      pods: [],
      instance: instance(),
      instanceTypes: [],
      unavailable: [],
    }).actions
  const left = stepOn(before).filter(isDeed)
  return left.length > 0
    ? []
    : stepOn(present)
        .filter(isDeed)
        .map(({ kind }) => kind)
}

/**
 * Reports whether the node is a stage ahead of its claim. The step that writes the node writes the claim next. A later look mends a crash in between.
 */
function isAhead(present: Node, stage: ClaimStage): boolean {
  const { [LABEL.registered]: registered, [LABEL.initialized]: initialized } = present.meta.labels
  return (stage === 'launched' && registered === 'true') || (stage !== 'initialized' && initialized === 'true')
}

function isDeed({ kind }: ClaimAction): boolean {
  return kind !== 'patchStatus' && kind !== 'publish'
}

describe('whatever a node changes from and to', () => {
  it.each<ClaimStage>(['launched', 'registered', 'initialized'])(
    'the change has a %s claim looked at when a step would do something that it would not have done before',
    (stage) => {
      const claim = nodeClaim({ stage, spec: { startupTaints: [STARTING] }, meta: { createdAt: ago(SECOND) } })
      const nodes = everyNode().filter((each) => !isAhead(each, stage))
      const missed = nodes.flatMap((present) =>
        nodeNeedsReconcile(present)
          ? []
          : nodes.flatMap((before) =>
              deeds(claim, present, before).map((deed) => ({ deed, present: present.meta.labels, taints: present.taints })),
            ),
      )
      expect(missed).toEqual([])
    },
  )
})
