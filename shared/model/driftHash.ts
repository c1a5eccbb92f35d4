import { canonicalJson } from '../base/canonicalJson.ts'
import { byText } from '../base/order.ts'
import { stableHash } from '../base/stableHash.ts'
import type { NodeClassSpec } from './nodeClass.ts'
import type { NodeClaimTemplate } from './nodePool.ts'

/**
 * The versions of these hashes. They are ours, not Karpenter's: a claim with another version is restamped, never called
 * drifted for its hash.
 */
export const NODE_POOL_HASH_VERSION = 'joiner-v1'
export const NODE_CLASS_HASH_VERSION = 'joiner-v1'

/** Changes when a field of the template changes that its nodes are made from. Requirements have their own drift check. */
export function nodePoolHash({ template }: { readonly template: NodeClaimTemplate }): string {
  const { requirements: _, ...hashed } = template
  return stableHash(settled(hashed))
}

/** Changes when a field of the class changes that its machines are made from. Tags are updated in place. */
export function nodeClassHash({ spec }: { readonly spec: NodeClassSpec }): string {
  const { tags: _, ...hashed } = spec
  return stableHash(settled(hashed))
}

/** Without zero values, and with lists in an order of their own: neither changes what a node looks like. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled).sort((first, second) => byText(canonicalJson(first), canonicalJson(second)))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, settled(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => !isZeroValue(member)))
}

function isZeroValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
