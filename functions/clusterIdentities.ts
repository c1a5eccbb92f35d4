import { serviceAccountIdentity } from '../shared/model/ids.ts'
import type { ClusterEntry } from '../shared/wire/clusterEntry.ts'
import type { ClusterGate } from './appDeps.ts'
import type { Settings } from './config.ts'

export type ShimAuth = Settings['SHIM_AUTH']

/** The fields of an entry in JOINER_CLUSTERS that name who may read. */
export const READER_FIELDS = 'readerServiceAccount or allowedReaderIdentities'

/** The field of an entry in JOINER_CLUSTERS that names who may post. */
export const SHIM_FIELD = { serviceAccount: 'shimServiceAccount', entra: 'allowedShimIdentities' } as const satisfies {
  readonly [Each in ShimAuth]: keyof ClusterEntry
}

/**
 * Returns the identities with each right to a cluster. Only the configured way of authentication gives the right to post, and it never gives the
 * right to read.
 */
export function clusterIdentities(shimAuth: ShimAuth, entry: ClusterEntry): ClusterGate['identities'] {
  const { shimServiceAccount, readerServiceAccount, allowedShimIdentities, allowedReaderIdentities } = entry
  const post = shimAuth === 'entra' ? entraIdentities(allowedShimIdentities) : new Set([accountIdentity(entry, shimServiceAccount)])
  return { post, read: new Set([accountIdentity(entry, readerServiceAccount), ...entraIdentities(allowedReaderIdentities)]) }
}

function accountIdentity({ id }: ClusterEntry, account: string): string {
  return serviceAccountIdentity(id, `system:serviceaccount:${account.replace('/', ':')}`)
}

/** In lower case, as in tokens. */
function entraIdentities(ids: readonly string[]): ReadonlySet<string> {
  return new Set(ids.map((id) => id.toLowerCase()))
}
