import { serviceAccountIdentity } from '../shared/model/caller.ts'
import type { ClusterEntry } from '../shared/wire/clusterEntry.ts'
import type { ClusterGate } from './appDeps.ts'
import type { Settings } from './config.ts'

export type ShimAuth = Settings['SHIM_AUTH']

/** The field of an entry in JOINER_CLUSTERS that names who may post. */
export const SHIM_FIELD = { serviceAccount: 'shimServiceAccount', entra: 'allowedShimIdentities' } as const satisfies {
  readonly [Each in ShimAuth]: keyof ClusterEntry
}

/** Who has which right to a cluster, as callers are named. One way to be the shim never opens the other. */
export function clusterIdentities(shimAuth: ShimAuth, entry: ClusterEntry): ClusterGate['identities'] {
  const post = shimAuth === 'entra' ? entraIdentities(entry.allowedShimIdentities) : new Set([shimIdentity(entry)])
  return { post, read: entraIdentities(entry.allowedReaderIdentities) }
}

function shimIdentity({ id, shimServiceAccount }: ClusterEntry): string {
  return serviceAccountIdentity(id, `system:serviceaccount:${shimServiceAccount.replace('/', ':')}`)
}

/** As tokens spell them. */
function entraIdentities(ids: readonly string[]): ReadonlySet<string> {
  return new Set(ids.map((id) => id.toLowerCase()))
}
