/** What could go where, kept up to date while machines are filled. */
import { type Amounts, addTimes } from '../../model/quantities/amounts.ts'
import { type BinType, createItemsFor, type DualPrices, type PricedBinTypes } from './dualValues.ts'
import { drop, type Item, type Shape, shapesOf } from './items.ts'

/** A pool with some constraint, and the items that could go to its machines. */
export type Offer = {
  /** Among all offers. */
  readonly place: number
  readonly binType: BinType
  readonly duals: DualPrices
  /** Those with items that wait. */
  shapes: readonly Shape[]
  /** Their amounts, one after another. */
  table: Float64Array
  /** The least any of them takes of each axis. */
  least: Amounts
  /** 1: others than this one have a rule that gives them machines of their own. Undefined: none has. */
  notFirst: Uint8Array | undefined
  /** Buffer: all that waits, on each axis. */
  readonly demand: Amounts
  /** Shapes that a rule gives machines of their own. */
  readonly slotShapes: Set<Shape>
  /** How many machines that takes at least. */
  hosts: number
}

export interface Offers {
  readonly all: readonly Offer[]
  /** What a pod of each item is worth, by number of the item. */
  readonly dualValue: Float64Array
  /** Offers whose best machine may be another since the last call: some of their pods got a place, or their pool has limits. */
  changed(): Iterable<Offer>
  /** Pods of the item have got a place. */
  take(item: Item, count: number): void
}

type Place = { readonly offer: Offer; readonly shape: Shape; readonly perHost: number }

/** The items' counts are buffers of the offers: they say what still waits. */
export function offersOf({ subproblems, dualValue }: PricedBinTypes, items: readonly Item[], axes: number): Offers {
  const places = new Map<Item, Place[]>()
  const itemsFor = createItemsFor(items)
  const all = subproblems.map(({ binType, duals }, place): Offer => {
    const own = itemsFor(binType)
    const shapes = shapesOf(own)
    const offer: Offer = {
      place,
      binType,
      duals,
      demand: new Float64Array(axes),
      slotShapes: new Set(),
      hosts: 0,
      ...tableOf(shapes, axes, NO_SHAPES),
    }
    for (const shape of shapes) for (const { items: waiting } of shape.queues) for (const item of waiting) join(offer, shape, item)
    offer.notFirst = notFirstOf(shapes, offer.slotShapes)
    return offer
  })

  const limited = all.filter(({ binType }) => binType.poolOption.limits.left !== undefined)
  let stale = new Set(all)

  function join(offer: Offer, shape: Shape, item: Item): void {
    const { duals, demand, slotShapes } = offer
    addTimes(demand, item.podClass.amounts, item.count)
    const rule = item.rules.tightest
    const perHost = rule !== undefined && rule.group === duals.slot?.group ? 1 / rule.most : 0
    if (perHost > 0) slotShapes.add(shape)
    offer.hosts += item.count * perHost
    const known = places.get(item) ?? []
    known.push({ offer, shape, perHost })
    places.set(item, known)
  }

  return {
    all,
    dualValue,
    changed() {
      const found = stale
      stale = new Set(limited)
      return found
    },
    take(item, count) {
      item.count -= count
      for (const { offer, shape, perHost } of places.get(item) ?? []) {
        stale.add(offer)
        addTimes(offer.demand, item.podClass.amounts, -count)
        shape.waiting -= count
        offer.hosts -= count * perHost
        if (item.count > 0) continue
        drop(shape, item)
        if (shape.queues.length > 0) continue
        const rest = offer.shapes.filter((each) => each !== shape)
        Object.assign(offer, tableOf(rest, axes, offer.slotShapes))
      }
    },
  }
}

const NO_SHAPES: ReadonlySet<Shape> = new Set()

function tableOf(
  shapes: readonly Shape[],
  axes: number,
  slotShapes: ReadonlySet<Shape>,
): Pick<Offer, 'shapes' | 'table' | 'least' | 'notFirst'> {
  const table = new Float64Array(shapes.length * axes)
  const least = new Float64Array(axes).fill(Number.POSITIVE_INFINITY)
  for (const [index, { amounts }] of shapes.entries()) {
    table.set(amounts, index * axes)
    for (let axis = 0; axis < axes; axis++) least[axis] = Math.min(least[axis] ?? 0, amounts[axis] ?? 0)
  }
  return { shapes, table, least, notFirst: notFirstOf(shapes, slotShapes) }
}

function notFirstOf(shapes: readonly Shape[], slotShapes: ReadonlySet<Shape>): Uint8Array | undefined {
  const notFirst = Uint8Array.from(shapes, (shape) => (slotShapes.has(shape) ? 0 : 1))
  return notFirst.includes(0) ? notFirst : undefined
}
