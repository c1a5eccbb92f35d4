/** Rows: items that can stand in for each other on a machine. Packing looks at amounts and rules, and not at owners. */
import type { Amounts } from '../../model/quantities/amounts.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { HostRules } from './hostRules.ts'
import type { Item } from './items.ts'

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
