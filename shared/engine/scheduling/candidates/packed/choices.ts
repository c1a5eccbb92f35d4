/**
 * The domains that pods can choose among, label after label: a tree that grows as it is asked. Pods that could go to the same machines share one
 * tree.
 */

import { cheapestPlace } from '../../model/catalog/cheapestPlace.ts'
import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { openBin } from '../../model/nodes/bin.ts'
import { domainsIn } from '../../model/nodes/domains.ts'
import type { Constraint } from '../../model/pods/constraint.ts'
import type { Amounts } from '../../model/quantities/amounts.ts'
import type { TopologyHost } from '../../model/topology/host.ts'
import type { NodePoolOption } from '../plan.ts'
import { combinedWith, type Pins } from './items.ts'

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
