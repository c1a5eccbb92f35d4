import { err, ok } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { PATCH } from '../../kubeclient/client.ts'
import { FINALIZER, type Labels, type Meta } from '../../model/labels.ts'
import type { NodeClaimDraft } from '../../model/nodeClaim.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { claimDraftToKube, claimStatusToKube } from '../../wire/kube/print.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { itemPath, RESOURCE } from './kubePaths.ts'
import { problemOfCreation } from './kubeStatus.ts'
import { RANK } from './rank.ts'
import { replacedResources } from './replacedResources.ts'

type ClaimCalls = Pick<ClusterApi, 'getClaim' | 'listClaims' | 'createClaim' | 'patchClaim' | 'patchClaimStatus' | 'deleteClaim'>

export function createClaimCalls(objects: KubeObjects): ClaimCalls {
  return {
    getClaim: (name, signal) => objects.get('nodeClaim', itemPath('nodeClaim', name), signal),
    listClaims: (signal, asOf) => objects.list({ kind: 'nodeClaim', path: RESOURCE.nodeClaim.path, asOf }, signal),
    async createClaim(draft, owner, signal) {
      const object = `nodeclaim/${draft.name}`
      const body = manifestOf(draft, owner)
      const created = await objects.write(
        {
          kind: 'nodeClaim',
          operation: 'create',
          object,
          refusal: problemOfCreation,
          method: 'POST',
          path: RESOURCE.nodeClaim.path,
          body,
          rank: RANK.first,
        },
        signal,
      )
      if (created.ok || created.error.code !== 'KUBE.CONFLICT') return created
      const present = await objects.get('nodeClaim', itemPath('nodeClaim', draft.name), signal)
      return present ? ok(present) : err(problem('KUBE.CONFLICT', `create ${object}: it was there and went away; try again`, { object }))
    },
    patchClaim(claim, { labels, annotations: kept, annotationsGone, finalizers }, signal) {
      const annotations = withoutKeys(kept, annotationsGone)
      const metadata = { ...guardOf(claim.meta), ...defined({ labels, annotations, finalizers }) }
      const path = itemPath('nodeClaim', claim.name)
      return objects.write(
        { kind: 'nodeClaim', operation: 'patch', object: `nodeclaim/${claim.name}`, ...mergePatch(path, { metadata }) },
        signal,
      )
    },
    patchClaimStatus(claim, status, signal) {
      const capacity = replacedResources(claim.status.capacity, status.capacity)
      const allocatable = replacedResources(claim.status.allocatable, status.allocatable)
      const body = { metadata: guardOf(claim.meta), status: { ...claimStatusToKube(status), capacity, allocatable } }
      const path = `${itemPath('nodeClaim', claim.name)}/status`
      return objects.write(
        { kind: 'nodeClaim', operation: 'patch status of', object: `nodeclaim/${claim.name}`, ...mergePatch(path, body) },
        signal,
      )
    },
    deleteClaim: (name, uid, signal) =>
      objects.removeObject('nodeClaim', { path: itemPath('nodeClaim', name), object: `nodeclaim/${name}`, uid }, signal),
  }
}

/** The manifest of a claim. It has the finalizer from the start, so that no machine is launched for a claim that could disappear unnoticed. */
function manifestOf(draft: NodeClaimDraft, owner: NodePool | undefined): object {
  const manifest = claimDraftToKube(draft, owner && { name: owner.name, uid: owner.meta.uid })
  return { ...manifest, metadata: { ...manifest.metadata, finalizers: [FINALIZER] } }
}

/**
 * Metadata that makes the server refuse a write if the object has another uid or version than the caller saw. A node from the watch has no version.
 * Then only the uid guards the write.
 */
export function guardOf({ uid, resourceVersion }: Meta): { readonly uid: string; readonly resourceVersion?: string } {
  return resourceVersion === '' ? { uid } : { uid, resourceVersion }
}

/** A merge patch removes the keys that are null. */
export function withoutKeys(set: Labels | undefined, gone: readonly string[] | undefined): object | undefined {
  return gone === undefined ? set : { ...set, ...Object.fromEntries(gone.map((key) => [key, null])) }
}

export function mergePatch(path: string, body: object) {
  return { method: 'PATCH', path, body, contentType: PATCH.merge } as const
}
