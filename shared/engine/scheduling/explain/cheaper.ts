/** The offerings that cost less than the machine that is taken, and why they are not taken. */
import { byText } from '../../../base/lists.ts'
import { choiceOf, type LaunchChoice } from '../../../model/instance.ts'
import type { InstanceType, Offering } from '../../../model/instanceType.ts'
import type { MicroUsdPerHour } from '../../../model/units.ts'
import type { Template } from '../model/catalog/template.ts'
import type { Cheaper, NotTaken } from './explanation.ts'
import { detailOf } from './render.ts'

/** One offering of an instance type, for a NodePool. `index`: the place of the instance type in the catalog. */
export type PoolOffering = { readonly template: Template; readonly index: number; readonly type: InstanceType; readonly offering: Offering }

/** Offerings of the NodePools below the price, grouped by NodePool and reason, the nearest reason first. An unknown price is above all others. */
export function cheaperOffers(
  templates: readonly Template[],
  price: MicroUsdPerHour | undefined,
  whyNot: (offer: PoolOffering) => NotTaken,
): readonly Cheaper[] {
  const found = templates.flatMap((template) => offersOf(template).filter(({ offering }) => isBelow(offering.price, price)))
  const told = found.map(
    (offer): Told => ({ pool: offer.template.pool.name, choice: choiceOf(offer.type.name, offer.offering), because: whyNot(offer) }),
  )
  const groups = [...Map.groupBy(told, ({ pool, because }) => `${pool} ${detailOf(because)}`).values()]
  return groups
    .flatMap((group) => {
      const [closest] = [...group].sort(byNearness)
      return closest === undefined ? [] : [{ ...closest, sizes: [...new Set(group.map(({ choice }) => choice.size))].sort(byText) }]
    })
    .sort((one, other) => nearness(one.because) - nearness(other.because) || byNearness(one, other) || byText(one.pool, other.pool))
}

type Told = Omit<Cheaper, 'sizes'>

/** All offerings of the NodePool's NodeClass, whether or not they can be bought now. */
function offersOf(template: Template): readonly PoolOffering[] {
  return template.catalog.types.flatMap(({ type, index }) => type.offerings.map((offering) => ({ template, index, type, offering })))
}

function isBelow(price: number | undefined, than: number | undefined): boolean {
  return price !== undefined && (than === undefined || price < than)
}

/** The offering that lacks least comes first, then the cheapest. */
function byNearness(one: Told, other: Told): number {
  return (
    gap(one.because) - gap(other.because) ||
    (one.choice.price ?? 0) - (other.choice.price ?? 0) ||
    byText(textOf(one.choice), textOf(other.choice))
  )
}

function gap(because: NotTaken): number {
  return because.kind === 'amount' || because.kind === 'disks' ? because.shortBy : 0
}

function textOf({ size, zone, capacityType }: LaunchChoice): string {
  return `${size} ${zone} ${capacityType}`
}

/** The offering that could be taken most easily comes first. Kinds that are not listed come last. */
const NEAREST: readonly NotTaken['kind'][] = [
  'now',
  'rules',
  'plan',
  'weight',
  'demoted',
  'blocked',
  'quota',
  'reservation',
  'offering',
  'limit',
  'neighbours',
  'neighboursTogether',
  'neighboursLeave',
  'ports',
  'amount',
  'disks',
  'daemons',
  'labels',
  'taints',
]

function nearness({ kind }: NotTaken): number {
  const at = NEAREST.indexOf(kind)
  return at < 0 ? NEAREST.length : at
}
