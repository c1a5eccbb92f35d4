import { defined } from '../../base/values.ts'
import type { NodePatch } from '../../model/claimStep.ts'
import type { Node } from '../../model/node.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { taintsToKube } from '../../wire/kube/print.ts'
import { guardOf, mergePatch, withoutKeys } from './claimCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { itemPath, RESOURCE } from './kubePaths.ts'
import { RANK } from './rank.ts'

type NodeCalls = Pick<ClusterApi, 'getNode' | 'patchNode' | 'deleteNode' | 'getVolumeAttachment'>

export function createNodeCalls(objects: KubeObjects): NodeCalls {
  return {
    getNode: (name, signal) => objects.get('node', itemPath('node', name), signal),
    getVolumeAttachment: (name, signal) => objects.get('volumeAttachment', itemPath('volumeAttachment', name), signal),
    patchNode(node, patch, signal) {
      const path = itemPath('node', node.name)
      return objects.write(
        { kind: 'node', operation: 'patch', object: `node/${node.name}`, rank: RANK.first, ...mergePatch(path, patchBody(node, patch)) },
        signal,
      )
    },
    async deleteNode(name, uid, signal) {
      await objects.remove({ path: itemPath('node', name), object: `node/${name}`, uid }, signal)
    },
  }
}

function patchBody(node: Node, { taints, finalizers, ownerClaim, ...patch }: NodePatch): object {
  const { apiVersion, kind } = RESOURCE.nodeClaim
  // a node has no other owner, so the list may be replaced as a whole
  const ownerReferences = ownerClaim && [{ apiVersion, kind, ...ownerClaim, blockOwnerDeletion: true }]
  const labels = withoutKeys(patch.labels, patch.labelsGone)
  const annotations = withoutKeys(patch.annotations, patch.annotationsGone)
  const metadata = { ...guardOf(node.meta), ...defined({ labels, annotations, finalizers, ownerReferences }) }
  return taints === undefined ? { metadata } : { metadata, spec: { taints: taintsToKube(taints) } }
}
