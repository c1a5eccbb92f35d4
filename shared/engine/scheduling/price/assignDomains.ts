/**
 * Chooses zones and the like before machines: as many pods of a class to each domain as its rules allow, so that what is then packed is
 * free of them. Follows the counts that the pods will make, pod by pod.
 */
import { type Combination, withConstraint } from '../catalog/combination.ts'
import { fitIn, openBin } from '../hosts/bin.ts'
import { domainsIn } from '../hosts/domains.ts'
import type { Plan, Start } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { countOf, type Group } from '../topology/group.ts'
import type { TopologyHost } from '../topology/host.ts'
import { type Allowance, allowances, avoidedBy, record } from '../topology/rules.ts'
import { combinedWith, type Item, type Pins } from './items.ts'

/** A value that some machine for the pod may have, and the least such a machine costs. */
type Domain = { readonly domain: string; readonly price: number }

type Assigning = {
  readonly starts: readonly Start[]
  /** Those, and lighter pools that come after them: a pod gives nothing up while any of them takes it as it is. */
  readonly later: readonly Start[]
  readonly axes: number
  /** Buffers: what machines could serve does not change while domains are chosen. */
  readonly rooms: Map<Start, Map<number, boolean>>
  readonly domains: Map<string, readonly Domain[]>
  readonly hosts: Map<string, TopologyHost>
}

/** Pods that no domain takes now are left out. */
export function assignDomains(
  { axes, left }: Pick<Plan, 'axes' | 'left'>,
  starts: readonly Start[],
  later: readonly Start[],
): readonly Item[] {
  const assigning: Assigning = { starts, later, axes, rooms: new Map(), domains: new Map(), hosts: new Map() }
  const items = new Map<string, Item>()
  let waiting = [...left].filter(([, count]) => count > 0)
  for (let progress = true; progress && waiting.length > 0; ) {
    progress = false
    waiting = waiting.flatMap(([podClass, count]) => {
      const taken = assignClass(assigning, items, podClass, count)
      progress ||= taken > 0
      return taken < count ? [[podClass, count - taken] as const] : []
    })
  }
  return [...items.values()]
}

function assignClass(assigning: Assigning, items: Map<string, Item>, podClass: PodClass, count: number): number {
  for (let taken = 0; taken < count; ) {
    const variant = podClass.variants.find((each) => hasRoom(assigning, assigning.later, podClass, each))
    if (variant === undefined || isTogether(variant) || !hasRoom(assigning, assigning.starts, podClass, variant)) return taken
    const keys = keysOf(podClass, variant)
    if (keys.length === 0) {
      add(items, podClass, variant, NO_PINS, count - taken)
      return count
    }
    const choice = chooseFor(assigning, podClass)
    if (choice === undefined) return taken
    add(items, podClass, choice.variant, choice.pins, 1)
    const host = hostFor(assigning, choice)
    if (host !== undefined) record(host, podClass, choice.variant)
    taken++
  }
  return count
}

/** Pods that must share a machine with others are left to be placed one after another. */
function isTogether({ affinity }: Variant): boolean {
  return affinity.some((group) => group.isHost)
}

type Choice = { readonly variant: Variant; readonly pins: Pins }

function chooseFor(assigning: Assigning, podClass: PodClass): Choice | undefined {
  for (const variant of podClass.variants) {
    if (isTogether(variant)) return undefined
    const pins = pinsFor(assigning, podClass, variant)
    if (pins !== undefined) return { variant, pins }
    const others = assigning.later.filter((start) => !assigning.starts.includes(start))
    if (others.length > 0 && hasRoom(assigning, others, podClass, variant)) return undefined
  }
  return undefined
}

function pinsFor(assigning: Assigning, podClass: PodClass, variant: Variant): Pins | undefined {
  return pinAll(assigning, { podClass, variant, rules: allowances(podClass, variant) }, keysOf(podClass, variant), NO_PINS)
}

type Pinning = { readonly podClass: PodClass; readonly variant: Variant; readonly rules: readonly Allowance[] }

/**
 * One label after another. Pods that are spread go where fewest are; others, who merely count, go where it is cheapest first. Of equals
 * comes first what can be had in the fewest ways. A choice that leaves a later label nothing is taken back.
 */
function pinAll(assigning: Assigning, pinning: Pinning, [key, ...others]: readonly string[], pins: Pins): Pins | undefined {
  if (key === undefined) return pins
  const { podClass, variant, rules } = pinning
  const ofKey = rules.filter(({ group }) => group.key === key)
  const ruling = rulingGroup(key, podClass, variant)
  const allowed = domainsFor(assigning, podClass, variant, pins, key).filter(({ domain }) => ofKey.every((rule) => rule.allows(domain)))
  const elsewhere = [...pins.keys(), ...others]
  const isSpread = variant.spread.some((group) => group.key === key)
  const ranked = allowed.map(({ domain, price }) => ({
    domain,
    price: isSpread ? 0 : price,
    count: ruling === undefined ? -avoidedBy(podClass, key, domain) : countOf(ruling.selected, domain),
    ways: elsewhere.reduce((sum, other) => sum + domainsFor(assigning, podClass, variant, new Map([[key, domain]]), other).length, 0),
  }))
  const ordered = ranked.sort((first, second) => first.price - second.price || first.count - second.count || first.ways - second.ways)
  for (const { domain } of ordered) {
    const found = pinAll(assigning, pinning, others, new Map([...pins, [key, domain]]))
    if (found !== undefined) return found
  }
  return undefined
}

/** Labels whose value matters to a rule of these pods, or to one that counts them. */
function keysOf({ counted }: PodClass, { spread, affinity, antiAffinity }: Variant): readonly string[] {
  const keys = new Set<string>()
  for (const group of [...spread, ...affinity, ...antiAffinity, ...counted]) if (!group.isHost) keys.add(group.key)
  return [...keys]
}

/** Where its pods are spread evenly, or those that it merely counts among. */
function rulingGroup(key: string, { counted }: PodClass, { spread }: Variant): Group | undefined {
  return [...spread, ...counted].find((group) => group.kind === 'spread' && group.key === key)
}

/** Values that some machine for the pod may have, preferred first. */
function domainsFor(assigning: Assigning, podClass: PodClass, variant: Variant, pins: Pins, key: string): readonly Domain[] {
  const text = `${variant.id} ${key} ${[...pins].join(' ')}`
  const known = assigning.domains.get(text)
  if (known !== undefined) return known
  const found = findDomains(assigning, podClass, variant, pins, key)
  assigning.domains.set(text, found)
  return found
}

function findDomains(assigning: Assigning, podClass: PodClass, variant: Variant, pins: Pins, key: string): readonly Domain[] {
  const found = new Map<string, number>()
  for (const { combination } of assigning.starts) {
    const combined = combinedWith(combination, { variant, pins })
    if (combined === undefined || priceIn(assigning, combined, podClass) === undefined) continue
    for (const domain of domainsIn(combined, key)) {
      const pinned = combinedWith(combined, { variant, pins: new Map([[key, domain]]) })
      const price = pinned === undefined ? undefined : priceIn(assigning, pinned, podClass)
      if (price !== undefined) found.set(domain, Math.min(price, found.get(domain) ?? price))
    }
  }
  return [...found].map(([domain, price]) => ({ domain, price }))
}

function hasRoom(assigning: Assigning, among: readonly Start[], podClass: PodClass, variant: Variant): boolean {
  return among.some((start) => {
    const ofStart = assigning.rooms.get(start) ?? new Map<number, boolean>()
    assigning.rooms.set(start, ofStart)
    const has = ofStart.get(variant.id) ?? holdsAnyWay(assigning, start.combination, podClass, variant)
    ofStart.set(variant.id, has)
    return has
  })
}

function holdsAnyWay(assigning: Assigning, combination: Combination, podClass: PodClass, { constraint }: Variant): boolean {
  return [constraint, ...constraint.ways].some((way) => {
    const combined = withConstraint(combination, way)
    return combined !== undefined && priceIn(assigning, combined, podClass) !== undefined
  })
}

/** What the cheapest machine for the pod costs; undefined when none holds it. An unknown price comes after every known one. */
function priceIn({ axes }: Assigning, combination: Combination, podClass: PodClass): number | undefined {
  const bin = openBin(0, { combination, minimums: new Map(), ceiling: undefined, charge: {} }, axes)
  const fit = fitIn(bin, combination, podClass)
  return fit === undefined ? undefined : (combination.best[fit.cursor]?.price ?? Number.MAX_SAFE_INTEGER)
}

function add(items: Map<string, Item>, podClass: PodClass, variant: Variant, pins: Pins, count: number): void {
  const text = `${variant.id} ${[...pins].map(([key, value]) => `${key}=${value}`).join(' ')}`
  const item = items.get(text)
  if (item === undefined) items.set(text, { podClass, variant, pins, count })
  else item.count += count
}

/** A machine as the pod will find it, of which nothing but labels is known. */
function hostFor(assigning: Assigning, { variant, pins }: Choice): TopologyHost | undefined {
  const text = `${variant.id} ${[...pins].join(' ')}`
  const known = assigning.hosts.get(text)
  if (known !== undefined) return known
  for (const { combination } of assigning.starts) {
    const combined = combinedWith(combination, { variant, pins })
    if (combined === undefined) continue
    const host = openBin(0, { combination: combined, minimums: new Map(), ceiling: undefined, charge: {} }, assigning.axes)
    assigning.hosts.set(text, host)
    return host
  }
  return undefined
}

const NO_PINS: Pins = new Map()
