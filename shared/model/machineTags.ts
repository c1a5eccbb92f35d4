import { canonicalJson } from '../base/canonicalJson.ts'
import { parsedJson } from '../base/parsedJson.ts'
import type { Labels } from './meta.ts'
import type { NodeClass } from './nodeClass.ts'

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

/** The tags of users that a new machine gets, as Azure spells them. Those of the NodeClass override those of the settings. Names of Joiner's own tags are left out. */
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
