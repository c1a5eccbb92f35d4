import type { Stored } from '../cluster/client/objects.ts'
import type { Resource } from '../cluster/client/resource.ts'

/** A NodeClaim as it travels, with the members a reader looks at. */
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

/** When the claim was decided, in epoch milliseconds; of a claim made by hand, when it was made, in whole seconds. */
export function decidedAt(claim: ClaimObject): number {
  const text = claim.metadata.annotations?.['joiner.dev/decided-at']
  return text === undefined ? Date.parse(claim.metadata.creationTimestamp) : Number(text)
}
