import { type Branded, branded } from '../base/brand.ts'

export type ClusterId = Branded<string, 'ClusterId'>
export type NodePoolName = Branded<string, 'NodePoolName'>
export type NodeClassName = Branded<string, 'NodeClassName'>
export type NodeClaimName = Branded<string, 'NodeClaimName'>
export type NodeName = Branded<string, 'NodeName'>
/** `namespace/name` of a namespaced object. */
export type ObjectKey = Branded<string, 'ObjectKey'>
export type Uid = Branded<string, 'Uid'>
/** `azure:///subscriptions/...`: links Node, NodeClaim and Instance. */
export type ProviderId = Branded<string, 'ProviderId'>
/** A VM size as Azure names it, for example `Standard_D8as_v6`. */
export type VmSizeName = Branded<string, 'VmSizeName'>
/** Zone label value: `<region>-<n>`, or `0` for a regional VM. */
export type ZoneName = Branded<string, 'ZoneName'>

export const clusterId = (text: string): ClusterId => branded<ClusterId>(text)
export const nodePoolName = (text: string): NodePoolName => branded<NodePoolName>(text)
export const nodeClassName = (text: string): NodeClassName => branded<NodeClassName>(text)
export const nodeClaimName = (text: string): NodeClaimName => branded<NodeClaimName>(text)
export const nodeName = (text: string): NodeName => branded<NodeName>(text)
export const objectKey = (namespace: string, name: string): ObjectKey => branded<ObjectKey>(`${namespace}/${name}`)
export const namespaceOf = ({ key }: { readonly key: ObjectKey }): string => key.slice(0, key.indexOf('/'))

/** As comparing what `namespaceOf` says of both, without cutting the names out. */
export function isOfOneNamespace({ key: first }: { readonly key: ObjectKey }, { key: second }: { readonly key: ObjectKey }): boolean {
  const end = first.indexOf('/')
  for (let at = 0; at <= end; at++) if (first.charCodeAt(at) !== second.charCodeAt(at)) return false
  return true
}

export const uid = (text: string): Uid => branded<Uid>(text)
export const providerId = (text: string): ProviderId => branded<ProviderId>(text)
export const vmSizeName = (text: string): VmSizeName => branded<VmSizeName>(text)
export const zoneName = (text: string): ZoneName => branded<ZoneName>(text)

/** VM, NIC, OS disk, computer and node of a claim share one name, so that a repeated effect finds its earlier self. */
export const INSTANCE_NAME_PREFIX = 'aks-'

export function instanceNameOf(claim: NodeClaimName): string {
  return `${INSTANCE_NAME_PREFIX}${claim}`
}

export function claimOfInstanceName(name: string): NodeClaimName | undefined {
  return name.startsWith(INSTANCE_NAME_PREFIX) ? nodeClaimName(name.slice(INSTANCE_NAME_PREFIX.length)) : undefined
}
