/** What nodes of a scenario were made from, and what new nodes get. Drift compares both. */

import { defined, ownValue } from '../../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Condition } from '../../../shared/model/condition.ts'
import type { Action } from '../../../shared/model/decision.ts'
import { NODE_CLASS_HASH_VERSION, nodeClassHash } from '../../../shared/model/driftHash.ts'
import { ANNOTATION, LABEL } from '../../../shared/model/labels.ts'
import type { Node } from '../../../shared/model/node.ts'
import { DRIFTED, type NodeClaim } from '../../../shared/model/nodeClaim.ts'
import type { NodeClass } from '../../../shared/model/nodeClass.ts'
import type { MadeFrom, MoveScenario } from './moveScenario.ts'

type Making = { readonly [Word in 'newNodes' | 'madeFrom']: MoveScenario['given'][Word] | undefined }

export function withMaking(snapshot: ClusterSnapshot, { newNodes, madeFrom = {} }: Making): ClusterSnapshot {
  const { objects, settings } = snapshot
  const nodeClass = newNodes === undefined ? objects.nodeClass : objects.nodeClass.map((each) => classOf(each, newNodes))
  const node = objects.node.map((each) => nodeOf(each, ownValue(madeFrom, each.name.replace('joiner-', '')) ?? {}))
  const nodeClaim = objects.nodeClaim.map((each) => claimOf(each, madeFrom[each.name], objects.nodeClass[0]))
  const kubeletIdentityClientId = newNodes?.identity
  return {
    ...snapshot,
    settings: { ...settings, ...defined({ kubeletIdentityClientId }) },
    objects: { ...objects, nodeClass, node, nodeClaim },
  }
}

function classOf({ spec, status, ...rest }: NodeClass, { version, image, disk }: MadeFrom): NodeClass {
  const { kubernetesVersion: _, ...others } = status
  const images = image === undefined ? [] : [{ id: `/images/${image}`, requirements: [] }]
  return {
    ...rest,
    spec: { ...spec, ...defined({ osDiskSizeGb: disk }) },
    status: { ...others, ...defined({ kubernetesVersion: version }), images },
  }
}

function nodeOf({ meta, ...rest }: Node, { identity }: MadeFrom): Node {
  return { ...rest, meta: { ...meta, labels: { ...meta.labels, ...defined({ [LABEL.kubeletIdentity]: identity }) } } }
}

function claimOf(claim: NodeClaim, made: MadeFrom | undefined, nodeClass: NodeClass | undefined): NodeClaim {
  if (made === undefined || nodeClass === undefined) return claim
  const { meta, status } = claim
  const hash = nodeClassHash({ ...nodeClass, spec: { ...nodeClass.spec, ...defined({ osDiskSizeGb: made.disk }) } })
  const ofClass = { [ANNOTATION.nodeClassHash]: hash, [ANNOTATION.nodeClassHashVersion]: NODE_CLASS_HASH_VERSION }
  const annotations = { ...meta.annotations, ...ofClass, ...defined({ [ANNOTATION.kubernetesVersion]: made.version }) }
  const imageId = made.image === undefined ? undefined : `/images/${made.image}`
  return { ...claim, meta: { ...meta, annotations }, status: { ...status, ...defined({ imageId }) } }
}

/** The conditions `Drifted` that the decision writes, by claim. */
export function marksIn(actions: readonly Action[]): ReadonlyMap<string, Condition> {
  const marks = actions.flatMap((action) => (action.kind === 'markClaim' ? [action] : []))
  return new Map(
    marks.flatMap(({ claim, conditions = [] }) => conditions.filter(({ type }) => type === DRIFTED).map((each) => [claim, each])),
  )
}
