import type { Stored } from '../cluster/client/objects.ts'
import type { Resource } from '../cluster/client/resource.ts'

/** A NodeClaim as it travels, with the members a reader looks at. */
export type ClaimObject = Stored & {
  readonly status?: {
    readonly nodeName?: string
    readonly providerID?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly lastTransitionTime?: string }[]
  }
}

export const NODE_CLAIMS: Resource<ClaimObject> = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', plural: 'nodeclaims' }

export function isTrue(claim: ClaimObject, type: string): boolean {
  return claim.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
}

/** When a condition last changed, in epoch milliseconds. Kubernetes keeps whole seconds. */
export function conditionTime(claim: ClaimObject, type: string): number | undefined {
  const text = claim.status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime
  return text === undefined ? undefined : Date.parse(text)
}
