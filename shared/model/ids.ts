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

/**
 * How machines of a cluster are named. No program but this one makes machines under such a name: whoever may write a claim
 * chooses the rest of it, and must not reach the name of another's machine.
 */
export type MachineNames = {
  /** Of every machine that is made. */
  readonly prefix: string
  /** Of machines made earlier: they are found and ended under it, and none is made. */
  readonly former: readonly string[]
}

/** Earlier versions used the prefix of AKS's own node pools. */
export const DEFAULT_MACHINE_NAMES: MachineNames = { prefix: 'joiner-', former: ['aks-'] }

/** VM, NIC, OS disk, computer and node of a claim share one name, so that a repeated effect finds its earlier self. */
export function instanceNameOf(claim: NodeClaimName, { prefix }: MachineNames): string {
  return `${prefix}${claim}`
}

/** Every name the claim's machine may have, that of a new one first. */
export function instanceNamesOf(claim: NodeClaimName, { prefix, former }: MachineNames): readonly string[] {
  return [prefix, ...former].map((start) => `${start}${claim}`)
}

export function claimOfInstanceName(name: string, { prefix, former }: MachineNames): NodeClaimName | undefined {
  const start = [prefix, ...former].find((each) => name.startsWith(each))
  return start === undefined ? undefined : nodeClaimName(name.slice(start.length))
}
