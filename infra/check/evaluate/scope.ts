/** The scope of a deployment. Ids as in Azure, without a slash at the end. */
export type Scope =
  | { readonly kind: 'tenant'; readonly id: '' }
  | { readonly kind: 'subscription'; readonly id: string; readonly subscriptionId: string }
  | { readonly kind: 'resourceGroup'; readonly id: string; readonly subscriptionId: string; readonly name: string }
  /** The scope of an extension of a resource, such as a role assignment. */
  | { readonly kind: 'resource'; readonly id: string }
