/**
 * Rebases a write onto the newest version of its object: what the writer changes of what it saw is applied to the object as it is now. Undefined if
 * another writer changed the same part, so that the writer has to look again.
 */
import { isSame, ownValue } from '../base/values.ts'
import type { NodePatch } from './claimStep.ts'
import { type Condition, findCondition } from './condition.ts'
import type { Labels, Meta } from './labels.ts'
import type { Node } from './node.ts'
import type { NodeClaimStatus } from './nodeClaim.ts'
import { isSameTaint } from './taint.ts'

type MetaPatch = { readonly labels?: Labels; readonly annotations?: Labels; readonly finalizers?: readonly string[] }

export function rebasedMeta<Patch extends MetaPatch>(seen: Meta, now: Meta, patch: Patch): Patch | undefined {
  const labels = rebasedLabels(seen.labels, now.labels, patch.labels ?? {})
  const annotations = rebasedLabels(seen.annotations, now.annotations, patch.annotations ?? {})
  const finalizers = rebasedList(seen.finalizers, now.finalizers, patch.finalizers ?? seen.finalizers, isSame)
  if (labels === undefined || annotations === undefined || finalizers === undefined) return undefined
  return { ...patch, ...(patch.labels && { labels }), ...(patch.annotations && { annotations }), ...(patch.finalizers && { finalizers }) }
}

export function rebasedNodePatch(seen: Node, now: Node, patch: NodePatch): NodePatch | undefined {
  const meta = rebasedMeta(seen.meta, now.meta, patch)
  if (meta === undefined || patch.taints === undefined) return meta
  const taints = rebasedList(seen.taints, now.taints, patch.taints, isSameTaint)
  return taints && { ...meta, taints }
}

/** Of a status, only conditions can be rebased. */
export function rebasedStatus(seen: NodeClaimStatus, now: NodeClaimStatus, wanted: NodeClaimStatus): NodeClaimStatus | undefined {
  if (!isSame({ ...wanted, conditions: [] }, { ...seen, conditions: [] })) return undefined
  const own = wanted.conditions.filter((each) => !isAlike(findCondition(seen.conditions, each.type), each))
  const isFree = own.every(({ type }) => isAlike(findCondition(seen.conditions, type), findCondition(now.conditions, type)))
  const isKept = seen.conditions.every(({ type }) => findCondition(wanted.conditions, type) !== undefined)
  if (!isFree || !isKept) return undefined
  return { ...now, conditions: [...now.conditions.filter(({ type }) => findCondition(own, type) === undefined), ...own] }
}

/** Reports whether the conditions say the same. A claim that is being deleted gets its generation into all conditions with each write. */
function isAlike(first: Condition | undefined, second: Condition | undefined): boolean {
  return first === undefined || second === undefined
    ? first === second
    : isSame({ ...first, observedGeneration: 0 }, { ...second, observedGeneration: 0 })
}

/** The labels that the writer changes. */
function rebasedLabels(seen: Labels, now: Labels, wanted: Labels): Labels | undefined {
  const own = Object.entries(wanted).filter(([key, value]) => ownValue(seen, key) !== value)
  return own.every(([key]) => ownValue(seen, key) === ownValue(now, key)) ? Object.fromEntries(own) : undefined
}

/** The list as it is now, without what the writer removes and with what it adds. */
function rebasedList<Item>(
  seen: readonly Item[],
  now: readonly Item[],
  wanted: readonly Item[],
  isOne: (first: Item, second: Item) => boolean,
): readonly Item[] | undefined {
  const isIn = (list: readonly Item[], item: Item): boolean => list.some((each) => isOne(each, item))
  const removed = seen.filter((item) => !isIn(wanted, item))
  const added = wanted.filter((item) => !isIn(seen, item))
  if (!removed.every((item) => isIn(now, item)) || added.some((item) => isIn(now, item))) return undefined
  return [...now.filter((item) => !isIn(removed, item)), ...added]
}
