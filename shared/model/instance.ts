import { canonicalJson, parsedJson } from '../base/json.ts'
import type { NodeClaimName, NodePoolName, ProviderId, VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType, InstanceType, Offering } from './instanceType.ts'
import type { Labels } from './labels.ts'
import type { NodeClass } from './nodeClass.ts'
import type { Problem } from './problem.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import type { EpochMs, MicroUsdPerHour } from './units.ts'

/** The Azure VM behind a claim, as last seen. */
export type Instance = {
  readonly name: string
  readonly claim: NodeClaimName
  readonly nodePool?: NodePoolName
  readonly providerId: ProviderId
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  readonly imageId?: string
  /** Kubernetes version that the launch asked for. Undefined for a machine that was found in Azure, which does not tell. */
  readonly kubernetesVersion?: string
  readonly createdAt?: EpochMs
  /** Tags of users that the launch asked for. Undefined for a machine that was found in Azure, where they are among other tags. */
  readonly tags?: Labels
  readonly state: InstanceState
}

export type InstanceState =
  | { readonly kind: 'creating' }
  | { readonly kind: 'running' }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'failed'; readonly refusal: LaunchRefusal }

/** Why Azure refused the machine, and which offerings are blocked for a while as a result. */
export type LaunchRefusal = {
  readonly problem: Problem
  readonly unavailable: readonly UnavailableOffering[]
  /**
   * Blocked for the NodeClass of this claim only. The refusal may be about a tag, an image or a right, so that it is not shared with other
   * NodeClasses and clusters.
   */
  readonly own?: readonly UnavailableOffering[]
  /**
   * `next`: try the next candidate now. `retry`: the same candidate may work later. `stop`: a person has to act. `end`: Azure takes no further request
   * for this machine for a while, but takes those for the machine of another claim.
   */
  readonly then: 'next' | 'retry' | 'stop' | 'end'
}

export const TAG = {
  clusterName: 'karpenter.azure.com_cluster',
  nodePool: 'karpenter.sh_nodepool',
  billing: 'compute.aks.billing',
  /** Joiner's own: the cluster id, which tells the machines and interfaces in a shared resource group apart. */
  cluster: 'joiner.dev_cluster',
  /** Joiner's own: when the claim was created, in epoch milliseconds. Azure does not give the age of an interface. */
  claimCreated: 'joiner.dev_claim-created',
} as const

/** The names of Joiner's own tags in lower case. Azure ignores the case of names. */
const OWN: ReadonlySet<string> = new Set(Object.values(TAG).map((name) => name.toLowerCase()))

/**
 * The tags of users that a new machine gets, as Azure spells them. Those of the NodeClass override those of the settings. Names of Joiner's own tags
 * are left out.
 */
export function userTags({ spec }: Pick<NodeClass, 'spec'>, additional: Labels = {}): Labels {
  const tags = joinedTags(spelledTags(additional), spelledTags(spec.tags))
  return Object.fromEntries(Object.entries(tags).filter(([name]) => !OWN.has(name.toLowerCase())))
}

/** The tags with names that Azure accepts: without a slash. */
export function spelledTags(tags: Labels): Labels {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.replaceAll('/', '_'), value]))
}

/** Tags of users, in the form of the annotation. Equal tags give equal text. */
export function printTags(tags: Labels): string {
  return canonicalJson(tags)
}

/** The tags in an annotation. None if there is no annotation or it cannot be read: then no tag counts as ours to remove. */
export function parseTags(text: string | undefined): Labels {
  const parsed = parsedJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {}
  return Object.fromEntries(Object.entries(parsed).filter((tag): tag is [string, string] => typeof tag[1] === 'string'))
}

/** `wanted`: all tags that a resource should have of us. `before`: tags of users as they were written last. */
export type TagChange = { readonly wanted: Labels; readonly before: Labels }

/**
 * The tags of a resource after a change. Tags that somebody else gave it stay, for example those of an Azure Policy, which would otherwise be written
 * in turn for ever. Azure ignores the case of names. Undefined if nothing changes.
 */
export function changedTags(existing: Labels, { wanted, before }: TagChange): Labels | undefined {
  const ours = new Set([...Object.keys(wanted), ...Object.keys(before)].map((name) => name.toLowerCase()))
  const others = Object.entries(existing).filter(([name]) => !ours.has(name.toLowerCase()))
  const after = { ...Object.fromEntries(others), ...wanted }
  return printTags(after) === printTags(existing) ? undefined : after
}

/** The tags together. Of tags whose names differ in case only, the last one counts. */
function joinedTags(...parts: readonly Labels[]): Labels {
  const tags = parts.flatMap((part) => Object.entries(part))
  const last = new Map(tags.map(([name], index) => [name.toLowerCase(), index]))
  return Object.fromEntries(tags.filter(([name], index) => last.get(name.toLowerCase()) === index))
}

/** One way to make the machine of a claim: an offering with its price. */
export type LaunchChoice = {
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** Undefined if the price is not known. */
  readonly price?: MicroUsdPerHour
  /** The part of `price` that is for the managed OS disk, as of an offering. */
  readonly diskPrice?: MicroUsdPerHour
}

/** The choice of this offering of the size, with its price and the part of the price that is for the disk. */
export function choiceOf(size: VmSizeName, { zone, capacityType, price, diskPrice }: Offering): LaunchChoice {
  if (price === undefined) return { size, zone, capacityType }
  return diskPrice === undefined ? { size, zone, capacityType, price } : { size, zone, capacityType, price, diskPrice }
}

export type LaunchCandidate = {
  readonly choice: LaunchChoice
  readonly instanceType: InstanceType
  /** The labels that this choice gives the claim and the node: requirements of size, offering and claim with a single value. */
  readonly labels: Labels
}

/** The candidates of a claim, best first. If Azure refuses one, the next is tried. */
export type LaunchPlan = { readonly candidates: readonly LaunchCandidate[] }
