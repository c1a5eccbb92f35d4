import { defined } from '../../base/defined.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { KnownObjects } from '../../model/work.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { claimRequest } from './claimRequest.ts'

/** A claim about which something has happened, and the objects that are known about it. */
export type ClaimNews = { readonly claim: NodeClaimName; readonly known?: KnownObjects; readonly delayMs?: number }

/** Adds the key of each claim. News alone does not make this process follow a claim. */
export function requestReconciles({ queue }: Pick<ClusterDeps, 'queue'>, news: Iterable<ClaimNews>): void {
  // Of several news about one claim, the last one knows most. News without known objects has everything read, so it replaces all others.
  const latest = new Map<NodeClaimName, ClaimNews>()
  for (const each of news) if (!knowsNothing(latest.get(each.claim))) latest.set(each.claim, each)
  for (const [claim, { known, delayMs = 0 }] of latest)
    queue.reconcile(claimRequest({ name: claim }, { isFollowed: false, ...defined({ known }) }), delayMs)
}

function knowsNothing(news: ClaimNews | undefined): boolean {
  return news !== undefined && news.known === undefined
}
