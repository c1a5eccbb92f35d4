import { byText, inOrder } from '../../../../base/order.ts'
import { createSortedList } from '../../snapshot/sortedList.ts'
import { createUsageByPool, type Usage, type UsageByPool } from '../catalog/limits.ts'
import type { ExistingNode } from '../nodes/existingNode.ts'
import type { Axes } from '../quantities/amounts.ts'
import { type FreeCapacity, freeCapacityOf } from './freeCapacity.ts'

/** What a machine, a claim or a draft takes of its pool's limits, and the place it offers. */
export type Offered = { readonly usage: Usage | undefined; readonly existingNode: ExistingNode | undefined }

export interface Places {
  add(offered: Offered): void
  remove(offered: Offered): void
  readonly usage: UsageByPool
  /** Places in the order they are offered, with what is free on these axes. `version` changes when that has a reason to change besides. */
  roomOn(axes: Axes, version: number): FreeCapacity
}

/** Initialized machines first, then those coming up, then claims without a machine; each by name. */
const byOffer = inOrder<ExistingNode>(
  (first, second) => first.stage - second.stage,
  (first, second) => byText(first.label, second.label),
  (first, second) => byText(first.claim ?? '', second.claim ?? ''),
)

export function createPlaces(): Places {
  const existingNodes = createSortedList<ExistingNode>(byOffer)
  const usage = createUsageByPool()
  let known: { readonly key: string; readonly room: FreeCapacity } | undefined
  return {
    usage,
    add({ usage: own, existingNode }) {
      if (own !== undefined) usage.add(own)
      if (existingNode === undefined) return
      existingNodes.add(existingNode)
      known = undefined
    },
    remove({ usage: own, existingNode }) {
      if (own !== undefined) usage.remove(own)
      if (existingNode === undefined) return
      existingNodes.remove(existingNode)
      known = undefined
    },
    roomOn(axes, version) {
      const key = `${axes.key} ${axes.drivers.length === 0 ? '' : version}`
      if (known?.key !== key) known = { key, room: freeCapacityOf(existingNodes.values(), axes, key) }
      return known.room
    },
  }
}
