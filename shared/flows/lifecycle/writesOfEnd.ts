import type { Result } from '../../base/result.ts'
import type { ClaimAction } from '../../model/claimStep.ts'
import type { Meta } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Problem } from '../../model/problem.ts'
import { rebasedMeta, rebasedNodePatch, rebasedStatus } from '../../model/rebase.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'

/** Reports whether the actions belong to the end of the claim: it is being deleted, or they delete it. */
export function areOfEnd(claim: NodeClaim, actions: readonly ClaimAction[]): boolean {
  return claim.meta.deletedAt !== undefined || actions.some(({ kind }) => kind === 'deleteClaim')
}

/**
 * The API with writes that no other client holds up, for the end of a claim. A write that meets a conflict is made once more, on the object as it is
 * now, and guarded only by its uid. A change that matters to the end is still a conflict: a deletion meanwhile, or another value of what the write
 * changes, as another process of Joiner writes it. All other flows keep the guard of the version, because it tells them of any change.
 */
export function withWritesOfEnd(api: ClusterApi): ClusterApi {
  return {
    ...api,
    async patchClaim(claim, patch, signal) {
      const written = await api.patchClaim(claim, patch, signal)
      const now = isConflict(written) ? await api.getClaim(claim.name, signal) : undefined
      const again = now && isStill(claim, now) ? rebasedMeta(claim.meta, now.meta, patch) : undefined
      return now && again ? api.patchClaim(inAnyVersion(now), again, signal) : written
    },
    async patchClaimStatus(claim, status, signal) {
      const written = await api.patchClaimStatus(claim, status, signal)
      const now = isConflict(written) ? await api.getClaim(claim.name, signal) : undefined
      const again = now && isStill(claim, now) ? rebasedStatus(claim.status, now.status, status) : undefined
      return now && again ? api.patchClaimStatus(inAnyVersion(now), again, signal) : written
    },
    async patchNode(node, patch, signal) {
      const written = await api.patchNode(node, patch, signal)
      const now = isConflict(written) ? await api.getNode(node.name, signal) : undefined
      const again = now?.meta.uid === node.meta.uid ? rebasedNodePatch(node, now, patch) : undefined
      return now && again ? api.patchNode(inAnyVersion(now), again, signal) : written
    },
  }
}

function isConflict(written: Result<unknown, Problem>): boolean {
  return !written.ok && written.error.code === 'KUBE.CONFLICT'
}

/** Reports whether it is the same claim, and nobody asked for its deletion meanwhile. */
function isStill(seen: NodeClaim, now: NodeClaim): boolean {
  return now.meta.uid === seen.meta.uid && (seen.meta.deletedAt === undefined) === (now.meta.deletedAt === undefined)
}

function inAnyVersion<Kind extends { readonly meta: Meta }>(object: Kind): Kind {
  return { ...object, meta: { ...object.meta, resourceVersion: '' } }
}
