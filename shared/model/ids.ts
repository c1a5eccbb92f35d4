import { type Branded, branded } from '../base/values.ts'

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

/** Reports whether `namespaceOf` is the same for both, without allocating the names. */
export function isOfOneNamespace({ key: first }: { readonly key: ObjectKey }, { key: second }: { readonly key: ObjectKey }): boolean {
  const end = first.indexOf('/')
  for (let at = 0; at <= end; at++) if (first.charCodeAt(at) !== second.charCodeAt(at)) return false
  return true
}

export const uid = (text: string): Uid => branded<Uid>(text)
export const providerId = (text: string): ProviderId => branded<ProviderId>(text)
export const vmSizeName = (text: string): VmSizeName => branded<VmSizeName>(text)
export const zoneName = (text: string): ZoneName => branded<ZoneName>(text)

/**
 * How the machines of a cluster are named. No other program may make machines with such a name: users who may write a claim choose the rest of the
 * name, and must not reach a machine of somebody else.
 */
export type MachineNames = {
  /** Prefix of every new machine. */
  readonly prefix: string
  /** Prefixes of older machines. Such machines are found and terminated, and none is made. */
  readonly former: readonly string[]
}

/** Earlier versions used the prefix of AKS's own node pools. */
export const DEFAULT_MACHINE_NAMES: MachineNames = { prefix: 'joiner-', former: ['aks-'] }

/** Returns the name of a claim's VM, NIC, OS disk, computer and node. They share one name, so that a repeated effect finds its earlier result. */
export function instanceNameOf(claim: NodeClaimName, { prefix }: MachineNames): string {
  return `${prefix}${claim}`
}

/** Returns every name that the claim's machine may have. The first is the name of a new machine. */
export function instanceNamesOf(claim: NodeClaimName, { prefix, former }: MachineNames): readonly string[] {
  return [prefix, ...former].map((start) => `${start}${claim}`)
}

export function claimOfInstanceName(name: string, { prefix, former }: MachineNames): NodeClaimName | undefined {
  const start = [prefix, ...former].find((each) => name.startsWith(each))
  return start === undefined ? undefined : nodeClaimName(name.slice(start.length))
}

/** Returns the identity of a service account of a cluster. `subject` is its name at the API server, `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountIdentity(cluster: ClusterId, subject: string): string {
  return `${cluster}:${subject}`
}
