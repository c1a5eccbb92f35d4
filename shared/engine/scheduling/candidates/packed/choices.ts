/**
 * The domains that pods can choose among, label after label: a tree that grows as it is asked. Pods that could go to the same machines share one
 * tree.
 */

import { canonicalJson } from '../../../../base/json.ts'
import type { Requirement, Requirements } from '../../../../model/requirements.ts'
import { formatTaint, type Taint, tolerates } from '../../../../model/taint.ts'
import { isMetByAbsence, type NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { cheapestPlace } from '../../model/catalog/sizePrices.ts'
import { domainsIn, openBin } from '../../model/nodes/bin.ts'
import { portsClash } from '../../model/pods/admission.ts'
import type { Constraint } from '../../model/pods/constraint.ts'
import type { Amounts } from '../../model/quantities/amounts.ts'
import type { Work } from '../../model/quantities/work.ts'
import type { TopologyHost } from '../../model/topology/inverseAntiAffinity.ts'
import type { NodePoolOption } from '../plan.ts'
import { combinedWith, type Pins, type Wish } from './items.ts'

/** A node of the tree: some labels are pinned to domains. */
export type Branch = {
  readonly pins: Pins
  /** Values that some machine for the pods may have, preferred first, by label. A buffer. */
  readonly domains: Map<string, readonly Domain[]>
  /** A machine with these pins. A buffer: undefined until it is first asked, null if there is no such machine. */
  host?: TopologyHost | null
}

export type Domain = {
  readonly domain: string
  /** The least price of a machine in the domain that holds a pod. */
  readonly price: number
  readonly chosen: Branch
}

/** The choices of pods with equal amounts and an equal constraint. */
export interface Choices {
  readonly root: Branch
  domains(branch: Branch, key: string): readonly Domain[]
  /** The number of domains of the other labels that this domain leaves, each label by itself, added up. */
  waysLeft(keys: readonly string[], key: string, domain: string): number
  /** A machine of which only the labels are known. Undefined if there is none. */
  host(branch: Branch): TopologyHost | undefined
}

/** Makes choices. Equal amounts with an equal constraint share one object. */
export function choicesIn(poolOptions: readonly NodePoolOption[], axes: number): (constraint: Constraint, amounts: Amounts) => Choices {
  const known = new Map<Amounts, Map<Constraint, Choices>>()
  return (constraint, amounts) => {
    const ofSize = known.get(amounts) ?? new Map<Constraint, Choices>()
    known.set(amounts, ofSize)
    const choices = ofSize.get(constraint) ?? createChoices(poolOptions, axes, constraint, amounts)
    ofSize.set(constraint, choices)
    return choices
  }
}

function createChoices(poolOptions: readonly NodePoolOption[], axes: number, constraint: Constraint, amounts: Amounts): Choices {
  const root = branchOf(new Map())
  const combined = (narrowedTemplate: NarrowedTemplate, pins: Pins) => combinedWith(narrowedTemplate, { constraint, pins })

  function domains(branch: Branch, key: string): readonly Domain[] {
    const known = branch.domains.get(key)
    if (known !== undefined) return known
    const found = [...pricesByDomain(branch, key)].map(
      ([domain, price]): Domain => ({ domain, price, chosen: branchOf(new Map([...branch.pins, [key, domain]])) }),
    )
    branch.domains.set(key, found)
    return found
  }

  function pricesByDomain({ pins }: Branch, key: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (const { narrowedTemplate } of poolOptions) {
      for (const domain of domainsOf(narrowedTemplate, pins, key)) {
        const inDomain = combined(narrowedTemplate, new Map([...pins, [key, domain]]))
        const price = inDomain === undefined ? undefined : leastPrice(inDomain, amounts)
        if (price !== undefined) found.set(domain, Math.min(price, found.get(domain) ?? price))
      }
    }
    return found
  }

  /** The domains of all alternatives of the constraint. */
  function domainsOf(narrowedTemplate: NarrowedTemplate, pins: Pins, key: string): ReadonlySet<string> {
    const ways = [constraint, ...constraint.ways].flatMap((way) => combinedWith(narrowedTemplate, { constraint: way, pins }) ?? [])
    return new Set(ways.filter((way) => leastPrice(way, amounts) !== undefined).flatMap((way) => domainsIn(way, key)))
  }

  function hostOf(pins: Pins): TopologyHost | null {
    for (const { narrowedTemplate } of poolOptions) {
      const pinned = combined(narrowedTemplate, pins)
      if (pinned !== undefined) return openBin(0, { narrowedTemplate: pinned, minimums: new Map(), ceiling: undefined, charge: {} }, axes)
    }
    return null
  }

  return {
    root,
    domains,
    waysLeft(keys, key, domain) {
      const alone = domains(root, key).find((each) => each.domain === domain)
      if (alone === undefined) return 0
      return keys.reduce((sum, other) => (other === key ? sum : sum + domains(alone.chosen, other).length), 0)
    },
    host(branch) {
      if (branch.host === undefined) branch.host = hostOf(branch.pins)
      return branch.host ?? undefined
    },
  }
}

function branchOf(pins: Pins): Branch {
  return { pins, domains: new Map() }
}

/** The price of the cheapest machine that holds the amounts. Undefined if no machine does. An unknown price counts as the largest number. */
export function leastPrice(narrowedTemplate: NarrowedTemplate, amounts: Amounts): number | undefined {
  const { order, best } = narrowedTemplate
  const place = cheapestPlace({ total: amounts, ceiling: undefined }, narrowedTemplate, undefined, 0)
  return place === order.length ? undefined : (best[place]?.price ?? Number.MAX_SAFE_INTEGER)
}

/**
 * Makes wishes. Wishes that no machine of the pool options can tell apart are one object: thousands of pods may write the same requirement in
 * different ways.
 */
export function wishMaker(poolOptions: readonly NodePoolOption[], work: Work): (constraint: Constraint, pins: Pins) => Wish {
  const known = new Map<string, Map<string, Wish>>()
  const byConstraint = new Map<number, Map<string, Wish>>()
  const textOf = effectOn(poolOptions, work)
  const alike = (constraint: Constraint): Map<string, Wish> => {
    const text = textOf(constraint)
    const own = known.get(text) ?? new Map<string, Wish>()
    known.set(text, own)
    return own
  }
  return (constraint, pins) => {
    const own = byConstraint.get(constraint.id) ?? alike(constraint)
    byConstraint.set(constraint.id, own)
    const text = pins.size === 0 ? '' : [...pins].join(' ')
    const wish = own.get(text) ?? { constraint, pins, joined: new Map(), work }
    own.set(text, wish)
    return wish
  }
}

/** The effect of a constraint on machines of the pool options, as text. Equal for constraints that leave the same of each machine. */
function effectOn(poolOptions: readonly NodePoolOption[], work: Work): (constraint: Constraint) => string {
  const templates = poolOptions.map(({ narrowedTemplate }) => narrowedTemplate.template)
  const { valuesOf, isDefined } = valuesIn(poolOptions)
  const taints = [...new Map(templates.flatMap(({ pool }) => pool.template.taints).map((taint) => [formatTaint(taint), taint])).values()]
  const daemonPorts = [...new Set(templates.flatMap((template) => template.daemonPorts))]
  const isPossible = ({ key, complement, values }: Requirement): boolean => {
    const possible = complement || values.length === 0 ? undefined : valuesOf(key)
    return possible === undefined || values.some((value) => possible.has(value))
  }
  const known = ({ key, complement, values, ...bounds }: Requirement) => {
    const possible = valuesOf(key)
    return [key, complement, possible === undefined ? values : values.filter((value) => possible.has(value)), bounds]
  }
  return ({ tolerations, alternatives, hostPorts, apartFrom }) => {
    work.joins += taints.length * tolerations.length + daemonPorts.length * hostPorts.length + valuesOfAll(alternatives)
    const isTolerated = (taint: Taint): boolean => tolerations.some((each) => tolerates(each, taint))
    const wanted = alternatives.map((each) => [...each.values()]).filter((each) => each.every(isPossible))
    const taintsLeft = taints.filter((taint) => !isTolerated(taint)).map(formatTaint)
    return canonicalJson([
      taintsLeft,
      wanted.map((each) => each.filter((one) => !isMetByAbsence(one, isDefined)).map(known)),
      hostPorts.filter((port) => portsClash(daemonPorts, [port])),
      apartFrom,
    ])
  }
}

function valuesOfAll(alternatives: Constraint['alternatives']): number {
  let count = 0
  for (const wanted of alternatives) for (const { values } of wanted.values()) count += 1 + values.length
  return count
}

type Values = {
  /** The values that a label can have on machines of the pool options. Undefined if some machines may lack the label or have any value. */
  valuesOf(key: string): ReadonlySet<string> | undefined
  /** True if some pool, instance type or offering defines the label. */
  isDefined(key: string): boolean
}

function valuesIn(poolOptions: readonly NodePoolOption[]): Values {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  const catalogs = new Set(poolOptions.map(({ narrowedTemplate }) => narrowedTemplate.template.catalog))
  const always = [...catalogs].map(({ types, offerings }) => [keysOfAll(types), keysOfAll(offerings)])
  const members = new Set([...catalogs].flatMap(({ types, offerings }) => [...types, ...offerings].map(({ requirements }) => requirements)))
  const all = [...members, ...poolOptions.map(({ narrowedTemplate }) => narrowedTemplate.template.requirements)]
  function valuesOf(key: string): ReadonlySet<string> | undefined {
    if (!always.every((kinds) => kinds.some((keys) => keys.has(key)))) return undefined
    const values = new Set<string>()
    for (const requirements of all) {
      const own = requirements.get(key)
      if (own?.complement === true) return undefined
      for (const value of own?.values ?? []) values.add(value)
    }
    return values
  }
  return {
    valuesOf(key) {
      if (!known.has(key)) known.set(key, valuesOf(key))
      return known.get(key)
    },
    isDefined: (key) => all.some((requirements) => requirements.has(key)),
  }
}

function keysOfAll(members: readonly { readonly requirements: Requirements }[]): ReadonlySet<string> {
  const [first, ...others] = members.map(({ requirements }) => requirements)
  return new Set([...(first?.keys() ?? [])].filter((key) => others.every((each) => each.has(key))))
}
