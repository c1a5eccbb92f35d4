/** The domains that pods of a class can choose among, label after label: a tree that grows as it is asked. */
import type { Combination } from '../catalog/combination.ts'
import { domainsIn } from '../hosts/domains.ts'
import type { Start } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import type { Group } from '../topology/group.ts'
import type { TopologyHost } from '../topology/host.ts'
import { combinedWith, type Item, type Pins } from './items.ts'
import { hostIn, priceIn } from './machines.ts'

export type Choices = {
  readonly podClass: PodClass
  readonly variant: Variant
  /** Labels whose value matters to a rule of these pods, or to one that counts them. */
  readonly keys: readonly string[]
  /** Where pods are spread evenly, or those that they merely count among: by label. */
  readonly ruling: ReadonlyMap<string, Group>
  readonly root: Branch
}

/** Some labels are chosen. */
export type Branch = {
  readonly pins: Pins
  /** Values that some machine for the pod may have, preferred first, by label. A buffer. */
  readonly domains: Map<string, readonly Domain[]>
  /** The pods that chose just this. A buffer. */
  item?: Item
  /** A machine as they will find it. A buffer: null when there is none. */
  host?: TopologyHost | null
}

export type Domain = {
  readonly domain: string
  /** The least such a machine costs. */
  readonly price: number
  readonly chosen: Branch
}

/** What a decision can open, for pods of all classes. */
export type Openable = { readonly starts: readonly Start[]; readonly axes: number }

export function choicesOf(podClass: PodClass, variant: Variant): Choices {
  const { spread, affinity, antiAffinity } = variant
  const groups = [...spread, ...affinity, ...antiAffinity, ...podClass.counted].filter(({ isHost }) => !isHost)
  const ruling = new Map<string, Group>()
  for (const group of [...spread, ...podClass.counted]) {
    if (group.kind === 'spread' && !ruling.has(group.key)) ruling.set(group.key, group)
  }
  return { podClass, variant, keys: [...new Set(groups.map(({ key }) => key))], ruling, root: branchOf(new Map()) }
}

export function domainsOf(openable: Openable, choices: Choices, branch: Branch, key: string): readonly Domain[] {
  const known = branch.domains.get(key)
  if (known !== undefined) return known
  const found = [...pricesByDomain(openable, choices, branch, key)].map(
    ([domain, price]): Domain => ({ domain, price, chosen: branchOf(new Map([...branch.pins, [key, domain]])) }),
  )
  branch.domains.set(key, found)
  return found
}

/** How many ways the choice leaves to choose every other label, each alone. */
export function waysLeft(openable: Openable, choices: Choices, key: string, domain: string): number {
  const alone = domainsOf(openable, choices, choices.root, key).find((each) => each.domain === domain)
  if (alone === undefined) return 0
  const others = choices.keys.filter((other) => other !== key)
  return others.reduce((sum, other) => sum + domainsOf(openable, choices, alone.chosen, other).length, 0)
}

export function hostFor({ starts, axes }: Openable, { variant }: Choices, branch: Branch): TopologyHost | undefined {
  if (branch.host === undefined) branch.host = hostIn(starts, variant, branch.pins, axes) ?? null
  return branch.host ?? undefined
}

function branchOf(pins: Pins): Branch {
  return { pins, domains: new Map() }
}

function pricesByDomain(
  { starts, axes }: Openable,
  { podClass, variant }: Choices,
  { pins }: Branch,
  key: string,
): ReadonlyMap<string, number> {
  const { constraint } = variant
  const found = new Map<string, number>()
  const priced = (combination: Combination | undefined) => combination && priceIn(combination, podClass, axes)
  for (const { combination } of starts) {
    const combined = combinedWith(combination, { constraint, pins })
    if (combined === undefined || priced(combined) === undefined) continue
    for (const domain of domainsIn(combined, key)) {
      const price = priced(combinedWith(combined, { constraint, pins: new Map([[key, domain]]) }))
      if (price !== undefined) found.set(domain, Math.min(price, found.get(domain) ?? price))
    }
  }
  return found
}
