/** What could go where, kept up to date while machines are filled. */
import { type Amounts, addTimes } from '../amounts.ts'
import type { Start } from '../plan.ts'
import { combinedWith, type Item, type Shape, shapesOf } from './items.ts'
import { mostPerHost } from './neighbours.ts'
import { type Market, marketOf, type Seed, seedsOf, worthIn } from './worth.ts'

/** A pool with some constraint, and the items that could go to its machines. */
export type Offer = {
  readonly seed: Seed
  readonly market: Market
  /** Those with items that wait. */
  shapes: readonly Shape[]
  /** Buffer: all that waits, on each axis. */
  readonly demand: Amounts
  /** Shapes that a rule gives machines of their own. */
  readonly slotShapes: Set<Shape>
  /** How many machines that takes at least. */
  hosts: number
}

export interface Offers {
  readonly all: readonly Offer[]
  readonly worth: ReadonlyMap<Item, number>
  /** Pods of the item have got a place. */
  take(item: Item, count: number): void
}

type Place = { readonly offer: Offer; readonly shape: Shape; readonly perHost: number }

export function offersOf(starts: readonly Start[], items: readonly Item[], axes: number): Offers {
  const worth = new Map<Item, number>()
  const places = new Map<Item, Place[]>()
  const all = seedsOf(starts, items).map((seed): Offer => {
    const own = items.filter((item) => combinedWith(seed.combination, item) !== undefined)
    const market = marketOf(seed, own, axes)
    const offer: Offer = { seed, market, shapes: shapesOf(own), demand: new Float64Array(axes), slotShapes: new Set(), hosts: 0 }
    for (const shape of offer.shapes) for (const item of shape.items) join(offer, shape, item)
    return offer
  })

  function join(offer: Offer, shape: Shape, item: Item): void {
    const { market, demand, slotShapes } = offer
    worth.set(item, Math.min(worth.get(item) ?? Number.POSITIVE_INFINITY, worthIn(market, item)))
    addTimes(demand, shape.amounts, item.count)
    const rule = mostPerHost(item)
    const perHost = rule !== undefined && rule.group === market.slot?.group ? 1 / rule.most : 0
    if (perHost > 0) slotShapes.add(shape)
    offer.hosts += item.count * perHost
    const known = places.get(item) ?? []
    known.push({ offer, shape, perHost })
    places.set(item, known)
  }

  return {
    all,
    worth,
    take(item, count) {
      item.count -= count
      for (const { offer, shape, perHost } of places.get(item) ?? []) {
        addTimes(offer.demand, shape.amounts, -count)
        offer.hosts -= count * perHost
        if (item.count > 0) continue
        shape.items.splice(shape.items.indexOf(item), 1)
        if (shape.items.length === 0) offer.shapes = offer.shapes.filter((each) => each !== shape)
      }
    },
  }
}
