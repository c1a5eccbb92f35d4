/** Which items could go to which machines, kept up to date while machines are filled. */
import { type Amounts, addTimes } from '../../model/quantities/amounts.ts'
import type { BinType, DualPrices, PricedBinTypes } from './dualValues.ts'
import { drop, type Item, type Shape, shapesOf } from './items.ts'

/** A bin type, and the items that its machines take. */
export type Offer = {
  /** Index among all offers. */
  readonly place: number
  readonly binType: BinType
  readonly duals: DualPrices
  /** The shapes with waiting items. */
  shapes: readonly Shape[]
  /** The amounts of the shapes, one after another. */
  table: Float64Array
  /** The least that any shape takes, by axis. */
  least: Amounts
  /** 1 if the shape may not come first: a rule gives other shapes machines of their own. Undefined if no shape has such a rule. */
  notFirst: Uint8Array | undefined
  /** What all waiting pods take, by axis. A buffer. */
  readonly demand: Amounts
  /** The shapes that a rule gives machines of their own. */
  readonly slotShapes: Set<Shape>
  /** The least number of machines that this rule asks for. */
  hosts: number
}

export interface Offers {
  readonly all: readonly Offer[]
  /** The dual value of a pod of each item, by id of the item. */
  readonly dualValue: Float64Array
  /** The offers whose best machine may have changed since the last call: some of their pods got a place, or their pool has limits. */
  changed(): Iterable<Offer>
  /** Takes pods of the item, which have got a place, out of all offers. */
  take(item: Item, count: number): void
}

type Place = { readonly offer: Offer; readonly shape: Shape; readonly perHost: number }

/** Makes offers. `items`: by id. Their counts are buffers of the offers, and say how many pods still wait. */
export function offersOf({ subproblems, dualValue }: PricedBinTypes, items: readonly Item[], axes: number): Offers {
  const places = new Map<Item, Place[]>()
  const all = subproblems.map(({ binType, duals, items: takes }, place): Offer => {
    const shapes = shapesOf(takes.flatMap(({ id }) => items[id] ?? []))
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
  for (let at = 0, start = 0; at < shapes.length; at++, start += axes) {
    const amounts = shapes[at]?.amounts ?? least
    for (let axis = 0; axis < axes; axis++) {
      const amount = amounts[axis] ?? 0
      table[start + axis] = amount
      if (amount < (least[axis] ?? 0)) least[axis] = amount
    }
  }
  return { shapes, table, least, notFirst: notFirstOf(shapes, slotShapes) }
}

function notFirstOf(shapes: readonly Shape[], slotShapes: ReadonlySet<Shape>): Uint8Array | undefined {
  if (slotShapes.size === 0) return undefined
  const notFirst = new Uint8Array(shapes.length)
  for (const [at, shape] of shapes.entries()) notFirst[at] = slotShapes.has(shape) ? 0 : 1
  return notFirst.includes(0) ? notFirst : undefined
}
