import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type ClaimStage, type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import type { ClaimAction } from '../../model/claimStep.ts'
import { ANNOTATION, FINALIZER, LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Taint } from '../../model/taint.ts'
import { claimNeedsReconcile, nodeNeedsReconcile } from './registration.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

const UNREGISTERED: Taint = { key: TAINT_KEY.unregistered, effect: 'NoExecute' }
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
