import { err, type Result } from '../../base/result.ts'
import type { Meta } from '../../model/meta.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { rebasedMeta, rebasedNode, rebasedStatus } from '../../model/rebase.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'

/** The tries of one write that carry a version. Other clients write seldom enough for most writes to succeed at the second. */
const GUARDED_TRIES = 2

type Writes = Pick<ClusterApi, 'patchClaim' | 'patchClaimStatus' | 'patchNode'>

/**
 * The API with writes that no other client can hold up. A write that meets a conflict reads its object, is rebased onto it, and is tried again. After
 * some tries it carries no version: a client that writes the object all the time would otherwise stop the life of the claim. KUBE.CONFLICT is left for
 * a change that the writer has to know: another object of that name, an object that is being deleted meanwhile, or another value of the same part.
 */
export function withRebasedWrites(api: ClusterApi): ClusterApi {
  const writes: Writes = {
    patchClaim: (claim, patch, signal) =>
      rebasing(claim, {
        read: () => api.getClaim(claim.name, signal),
        rebased: (now) => rebasedMeta(claim.meta, now.meta, patch),
        write: (object, own = patch) => api.patchClaim(object, own, signal),
      }),
    patchClaimStatus: (claim, status, signal) =>
      rebasing(claim, {
        read: () => api.getClaim(claim.name, signal),
        rebased: (now) => rebasedStatus(claim.status, now.status, status),
        write: (object: NodeClaim, own = status) => api.patchClaimStatus(object, own, signal),
      }),
    patchNode: (node, patch, signal) =>
      rebasing(node, {
        read: () => api.getNode(node.name, signal),
        rebased: (now) => rebasedNode(node, now, patch),
        write: (object, own = patch) => api.patchNode(object, own, signal),
      }),
  }
  return { ...api, ...writes }
}

type Named = { readonly name: string; readonly meta: Meta }

type Write<Kind extends Named, Change> = {
  readonly read: () => Promise<Kind | undefined>
  readonly rebased: (now: Kind) => Change | undefined
  readonly write: (object: Kind, change?: Change) => Promise<Result<Kind, Problem>>
}

async function rebasing<Kind extends Named, Change>(
  seen: Kind,
  { read, rebased, write }: Write<Kind, Change>,
): Promise<Result<Kind, Problem>> {
  let written = await write(seen)
  for (let tries = 1; !written.ok && written.error.code === 'KUBE.CONFLICT' && tries <= GUARDED_TRIES; tries++) {
    const now = await read()
    if (now === undefined) return err(problem('KUBE.NOT_FOUND', `${seen.name} does not exist any more`, { object: seen.name }))
    if (now.meta.uid !== seen.meta.uid || isNewlyDeleted(seen, now)) return written
    const change = rebased(now)
    if (change === undefined) return written
    written = await write(tries < GUARDED_TRIES ? now : inAnyVersion(now), change)
  }
  return written
}

function isNewlyDeleted(seen: Named, now: Named): boolean {
  return seen.meta.deletedAt === undefined && now.meta.deletedAt !== undefined
}

function inAnyVersion<Kind extends Named>(object: Kind): Kind {
  return { ...object, meta: { ...object.meta, resourceVersion: '' } }
}
