import { byText, inOrder } from '../../../../base/order.ts'
import { createSortedList } from '../../snapshot/sortedList.ts'
import { createUsageByPool, type Usage, type UsageByPool } from '../catalog/limits.ts'
import type { ExistingNode } from '../nodes/existingNode.ts'
import type { Axes } from '../quantities/amounts.ts'
import { type FreeCapacity, freeCapacityOf } from './freeCapacity.ts'

/** What a machine, a claim or a draft takes of the limits of its pool, and the existing node it offers. */
export type Offered = { readonly usage: Usage | undefined; readonly existingNode: ExistingNode | undefined }

export interface Places {
  add(offered: Offered): void
  remove(offered: Offered): void
  readonly usage: UsageByPool
  /** The existing nodes in the order they are offered, with their free amounts on these axes. `version` is that of the attachable volumes. */
  roomOn(axes: Axes, version: number): FreeCapacity
}

/** Initialized machines first, then machines that come up, then claims without a machine. Each group goes by name. */
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
