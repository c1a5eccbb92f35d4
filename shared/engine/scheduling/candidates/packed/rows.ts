/** Rows: items that can stand in for each other on a machine. Packing looks at amounts and rules, and not at owners. */
import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { priceOf } from '../../model/catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../../model/catalog/template.ts'
import { type Amounts, addTimes } from '../../model/quantities/amounts.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { HostRules, Neighbours } from './hostRules.ts'
import { type Item, joinedWith, type Shape } from './items.ts'

/**
 * Items of equal amounts that count as one in column generation. Whether pods of several items of the row may share a machine is only known when the
 * machine is filled.
 */
export type Row = {
  readonly amounts: Amounts
  readonly items: readonly Item[]
  /** No rule among host names is about any of the pods: any number of each may share a machine. */
  readonly isFree: boolean
  /** The items ask the same of a machine, and no rule among host names is about any of them: which item goes first makes no difference. */
  readonly isAlike: boolean
  /** `mostFirst`: the item of which most pods wait goes first. Items that rules tell apart then stay as mixed as they are. */
  readonly order: 'any' | 'mostFirst'
}

/** What one machine takes of a row. */
export type Share = { readonly row: Row; readonly count: number }

/**
 * Exact rows, in the order of their first items. The items of a row take the same, ask the same of a machine's labels, and have rules among host
 * names of the same form.
 */
export function rowsOf(items: readonly Item[]): readonly Row[] {
  return groupedBy(items, exactText(), 'mostFirst')
}

/** Reports whether there are more exact rows than this. */
export function hasMoreRows(items: readonly Item[], than: number): boolean {
  const textOf = exactText()
  const texts = new Set<string>()
  return items.some((item) => texts.add(textOf(item)).size > than)
}

/** Returns a text for each item, equal for items of one exact row. */
function exactText(): (item: Item) => string {
  const numberOf = numbers()
  return ({ podClass, wish, rules }) => `${numberOf(podClass.amounts)} ${numberOf(wish)} ${formOf(rules)}`
}

/** One row for each text, in the order of their first items. Items of one text must have the same amounts. */
export function groupedBy(items: readonly Item[], textOf: (item: Item) => string, order: Row['order']): readonly Row[] {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const text = textOf(item)
    const own = groups.get(text)
    if (own === undefined) groups.set(text, [item])
    else own.push(item)
  }
  return [...groups.values()].map((own) => {
    const [first] = own
    const isFree = own.every(({ rules }) => rules.isFree)
    const isAlike = isFree && own.every(({ wish }) => wish === first?.wish)
    return { amounts: first?.podClass.amounts ?? NOTHING, items: own, isFree, isAlike, order: isFree ? 'any' : order }
  })
}

const NOTHING: Amounts = new Float64Array()

/** Numbers objects by identity. Equal amounts of a plan are one object, and so are equal wishes. */
export function numbers(): (of: object) => number {
  const known = new Map<object, number>()
  return (of) => {
    const number = known.get(of) ?? known.size
    known.set(of, number)
    return number
  }
}

/** The form of the rules as text, without the pods that they select. It is equal for two Deployments made of one chart. */
function formOf({ isFree, hostPorts, groups }: HostRules): string {
  if (isFree) return ''
  const forms = groups.map(
    ({ most, isSelf, maxSkew, isRepelled, isCounted, isOwned }) => `${most} ${isSelf} ${maxSkew} ${isRepelled} ${isCounted} ${isOwned}`,
  )
  const ports = hostPorts.map(({ ip, port, protocol }) => `${ip} ${port} ${protocol}`)
  return `${forms.sort().join()} ${ports.sort().join()}`
}

/** The places on one machine that several rows share, since one rule among host names is about pods of each row. */
export type Places = { readonly rows: ReadonlySet<Row>; readonly most: number }

/** Groups of rows that have a rule in common, directly or through other rows. A rule of one row alone is left to the row. */
export function placesOf(rows: readonly Row[]): readonly Places[] {
  let found: { readonly rows: ReadonlySet<Row>; readonly rules: ReadonlyMap<TopologyGroup, number> }[] = []
  for (const row of rows) {
    const own = rulesOf(row)
    if (own.size === 0) continue
    const isShared = ({ rules }: { readonly rules: ReadonlyMap<TopologyGroup, number> }): boolean =>
      [...own.keys()].some((group) => rules.has(group))
    const joined = found.filter(isShared)
    found = found.filter((each) => !joined.includes(each))
    found.push({
      rows: new Set([...joined.flatMap((each) => [...each.rows]), row]),
      rules: new Map([...joined.flatMap((each) => [...each.rules]), ...own]),
    })
  }
  return found
    .filter((each) => each.rows.size > 1)
    .map((each) => ({ rows: each.rows, most: [...each.rules.values()].reduce((sum, most) => sum + most, 0) }))
}

/** The tightest rule of each item, and the most of its pods that one machine may hold. */
function rulesOf({ items }: Row): ReadonlyMap<TopologyGroup, number> {
  return new Map(items.flatMap(({ rules: { tightest } }) => (tightest === undefined ? [] : [[tightest.group, tightest.most] as const])))
}

export type Filled = {
  readonly narrowedTemplate: NarrowedTemplate
  readonly contents: readonly Content[]
  /** The pods that were taken of each shape, in order. */
  readonly recipe: readonly Portion[]
  readonly total: Amounts
  readonly dualValue: number
}

type Content = { readonly item: Item; count: number }

export type Portion = { readonly shape: Shape; readonly count: number }

/** One machine that is being filled on paper. */
export type Machine = Omit<Filled, 'contents' | 'recipe'> & {
  narrowedTemplate: NarrowedTemplate
  readonly size: InstanceTypeOption
  readonly contents: Content[]
  readonly recipe: Portion[]
  readonly neighbours: Neighbours
  dualValue: number
  /** The number of wishes that were asked whether they may join, and of rules looked at for them. */
  joins: number
}

export function machineOf(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption, neighbours: Neighbours): Machine {
  neighbours.clear()
  return { narrowedTemplate, size, contents: [], recipe: [], total: new Float64Array(size.free.length), neighbours, dualValue: 0, joins: 0 }
}

/** Takes pods of the first item of the shape that may join, at most `most`. Returns their number. */
export function take(machine: Machine, shape: Shape, most: number, dualValue: Float64Array): number {
  const { narrowedTemplate, size } = machine
  let found: Item | undefined
  let count = 0
  // Hot code: counters, since an iterator makes an object for each item until the code is compiled.
  for (let at = 0; at < shape.queues.length; at++) {
    const queue = shape.queues[at]
    if (queue === undefined) break
    machine.joins++
    const combined = joinedWith(narrowedTemplate, queue.wish)
    if (combined === undefined || !serves(combined, narrowedTemplate, size)) continue
    for (let place = 0; place < queue.items.length; place++) {
      const item = queue.items[place]
      if (item === undefined || (found !== undefined && item.id > found.id)) break
      machine.joins += item.rules.ruleCount
      const allowed = roomFor(machine, item, most)
      if (allowed <= 0) continue
      found = item
      count = allowed
      machine.narrowedTemplate = combined
      break
    }
  }
  if (found === undefined) return 0
  join(machine, found, count)
  machine.recipe.push({ shape, count })
  machine.dualValue += (dualValue[found.id] ?? 0) * count
  return count
}

/** Takes pods of one item after another, until it has `wanted` pods or no more may join. Returns their number. */
export function takeMany(machine: Machine, shape: Shape, wanted: number, dualValue: Float64Array): number {
  let missing = wanted
  while (missing > 0) {
    const count = take(machine, shape, missing, dualValue)
    if (count === 0) break
    missing -= count
  }
  return wanted - missing
}

/** Takes pods of one item of the row after another, as many as may join and at most `wanted`. Returns their number. */
export function takeOfRow(machine: Machine, row: Row, wanted: number): number {
  let missing = wanted
  if (row.order === 'mostFirst') machine.joins += row.items.length
  for (const item of inOrder(row)) {
    if (missing === 0) break
    machine.joins += item.rules.ruleCount
    const count = Math.min(missing, item.count, machine.neighbours.room(item.rules))
    if (count <= 0) continue
    const combined = joinedWith(machine.narrowedTemplate, item.wish)
    if (combined === undefined || !serves(combined, machine.narrowedTemplate, machine.size)) continue
    machine.narrowedTemplate = combined
    join(machine, item, count)
    missing -= count
  }
  return wanted - missing
}

/** The items in the order of the row. With `mostFirst`, items with the most waiting pods come first, so that the items stay as mixed as they are. */
function inOrder({ items, order }: Row): readonly Item[] {
  return order === 'any' ? items : [...items].sort((one, other) => other.count - one.count || one.id - other.id)
}

function join({ contents, neighbours, total }: Machine, item: Item, count: number): void {
  add(contents, item, count)
  neighbours.join(item.rules, count)
  addTimes(total, item.podClass.amounts, count)
}

/** How many pods of the item may join, at most `most`. Rules come first: a machine may hold pods of many items. */
function roomFor({ contents, neighbours }: Machine, item: Item, most: number): number {
  const room = neighbours.room(item.rules)
  return room <= 0 ? 0 : Math.min(item.count - (contentOf(contents, item)?.count ?? 0), room, most)
}

function add(contents: Content[], item: Item, count: number): void {
  const known = contentOf(contents, item)
  if (known === undefined) contents.push({ item, count })
  else known.count += count
}

function contentOf(contents: readonly Content[], item: Item): Content | undefined {
  for (let at = 0; at < contents.length; at++) if (contents[at]?.item === item) return contents[at]
  return undefined
}

/** Reports whether the size still serves with the item, at the same price. */
function serves(combined: NarrowedTemplate, before: NarrowedTemplate, size: InstanceTypeOption): boolean {
  return combined === before || priceOf(combined, size) === priceOf(before, size)
}
