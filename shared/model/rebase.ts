/**
 * Rebases a write onto the newest version of its object. A write says what the writer saw and what it wants. What differs between the two is applied
 * to the object as it is now. Undefined: another writer changed the same part, so the writer has to look again.
 */

import { isSame } from '../base/isSame.ts'
import { ownValue } from '../base/ownValue.ts'
import type { NodePatch } from './claimStep.ts'
import { type Condition, findCondition } from './condition.ts'
import type { Labels, Meta } from './meta.ts'
import type { Node } from './node.ts'
import type { NodeClaimStatus } from './nodeClaim.ts'
import { isSameTaint, type Taint } from './taint.ts'

export type MetaChange = { readonly labels?: Labels; readonly annotations?: Labels; readonly finalizers?: readonly string[] }

/** The patch for the metadata as it is now. Only the labels and annotations that it changes are left in it. */
export function rebasedMeta<Patch extends MetaChange>(seen: Meta, now: Meta, patch: Patch): Patch | undefined {
  const labels = rebasedLabels(seen.labels, now.labels, patch.labels)
  const annotations = rebasedLabels(seen.annotations, now.annotations, patch.annotations)
  if (labels === 'changed' || annotations === 'changed') return undefined
  return {
    ...patch,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(patch.finalizers && { finalizers: rebasedList(seen.finalizers, now.finalizers, patch.finalizers, isSame) }),
  }
}

/**
 * The patch for the node as it is now. Of a label or annotation that another writer changed as well, the value of the patch counts: no write waits for
 * what others write on a node.
 */
export function rebasedNode(seen: Node, now: Node, { labels, annotations, ...patch }: NodePatch): NodePatch {
  const own = {
    ...(labels && { labels: changedIn(seen.meta.labels, labels) }),
    ...(annotations && { annotations: changedIn(seen.meta.annotations, annotations) }),
  }
  const rebased = { ...own, ...rebasedMeta(seen.meta, now.meta, patch) }
  if (patch.taints === undefined) return rebased
  return { ...rebased, taints: rebasedList<Taint>(seen.taints, now.taints, patch.taints, isSameTaint) }
}

export function rebasedStatus(seen: NodeClaimStatus, now: NodeClaimStatus, wanted: NodeClaimStatus): NodeClaimStatus | undefined {
  const conditions = rebasedConditions(seen.conditions, now.conditions, wanted.conditions)
  const { conditions: _seen, ...before } = seen
  const { conditions: _now, ...current } = now
  const { conditions: _wanted, ...after } = wanted
  const others = rebasedMembers(before, current, after)
  return conditions === undefined || others === undefined ? undefined : { ...others, conditions }
}

/** The labels that the patch changes. `changed` if another writer changed one of them to a third value. */
function rebasedLabels(seen: Labels, now: Labels, wanted: Labels | undefined): Labels | 'changed' | undefined {
  if (wanted === undefined) return undefined
  const own = changedIn(seen, wanted)
  const isChanged = Object.entries(own).some(([key, value]) => ownValue(now, key) !== ownValue(seen, key) && ownValue(now, key) !== value)
  return isChanged ? 'changed' : own
}

function changedIn(seen: Labels, wanted: Labels): Labels {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => ownValue(seen, key) !== value))
}

/** The list as it is now, without what the writer removed and with what it added. */
function rebasedList<Item>(
  seen: readonly Item[],
  now: readonly Item[],
  wanted: readonly Item[],
  isOne: (first: Item, second: Item) => boolean,
): readonly Item[] {
  const added = wanted.filter((item) => !seen.some((each) => isSame(each, item)))
  const removed = seen.filter((item) => !wanted.some((each) => isSame(each, item)))
  return [...now.filter((item) => ![...removed, ...added].some((each) => isOne(each, item))), ...added]
}

function rebasedConditions(
  seen: readonly Condition[],
  now: readonly Condition[],
  wanted: readonly Condition[],
): readonly Condition[] | undefined {
  let rebased = now
  for (const type of new Set([...seen, ...wanted].map((each) => each.type))) {
    const [before, current, after] = [seen, now, wanted].map((list) => findCondition(list, type))
    const next = rebasedCondition(before, current, after)
    if (next === 'changed') return undefined
    if (isSame(next, current)) continue
    const others = rebased.filter((each) => each.type !== type)
    if (next === undefined) rebased = others
    else rebased = current === undefined ? [...others, next] : rebased.map((each) => (each.type === type ? next : each))
  }
  return rebased
}

/** The condition to write where `current` stands now. `changed`: another writer has changed what the writer wants to change. */
function rebasedCondition(
  before: Condition | undefined,
  current: Condition | undefined,
  after: Condition | undefined,
): Condition | 'changed' | undefined {
  if (isSame(before, after)) return current
  if (before !== undefined && after !== undefined) {
    // Each write of an ending claim stamps all conditions with its generation, those of other writers too.
    const { observedGeneration } = after
    if (isSame({ ...before, observedGeneration }, after)) return current && { ...current, observedGeneration }
  }
  return isSame(before, current) || isSame(current, after) ? after : 'changed'
}

type Rest = Omit<NodeClaimStatus, 'conditions'>

function rebasedMembers(seen: Rest, now: Rest, wanted: Rest): Rest | undefined {
  const changed = Object.entries(wanted).filter(([key, value]) => !isSame(Reflect.get(seen, key), value))
  const isChanged = changed.some(
    ([key, value]) => !isSame(Reflect.get(now, key), Reflect.get(seen, key)) && !isSame(Reflect.get(now, key), value),
  )
  return isChanged ? undefined : { ...now, ...Object.fromEntries(changed) }
}
