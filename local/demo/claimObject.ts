import type { Stored } from '../cluster/client/objects.ts'
import type { Resource } from '../cluster/client/resource.ts'

/** A NodeClaim as JSON holds it, with the members that are read here. */
export type ClaimObject = Stored & {
  readonly status?: {
    readonly nodeName?: string
    readonly providerID?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[]
  }
}

export const NODE_CLAIMS: Resource<ClaimObject> = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', plural: 'nodeclaims' }

export function isTrue(claim: ClaimObject, type: string): boolean {
  return claim.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
}

/** Returns when the claim was decided, in epoch milliseconds. For a claim made by hand: when it was created, in whole seconds. */
export function decidedAt(claim: ClaimObject): number {
  const text = claim.metadata.annotations?.['joiner.dev/decided-at']
  return text === undefined ? Date.parse(claim.metadata.creationTimestamp) : Number(text)
}
