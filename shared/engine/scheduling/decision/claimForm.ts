/**
 * NodeClaims as a decision drafts them: name, requirements, instance types. What claims with the same requirements and instance types have in common
 * is computed once for all of them.
 */

import { byText } from '../../../base/lists.ts'
import { stableNames } from '../../../base/stableHash.ts'
import { ownValue, setOwnValue } from '../../../base/values.ts'
import { type DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { BufferShare, CreateClaim } from '../../../model/decision.ts'
import { type NodeClaimName, nodeClaimName } from '../../../model/ids.ts'
import { choiceOf, type LaunchChoice } from '../../../model/instance.ts'
import { ANNOTATION, isRestricted, LABEL, type Labels, WELL_KNOWN_LABELS } from '../../../model/labels.ts'
import type { NodeClaimDraft } from '../../../model/nodeClaim.ts'
import type { PodRef } from '../../../model/pod.ts'
import type { Problem } from '../../../model/problem.ts'
import { toSpecs, validateClaimRequirements } from '../../../model/requirementSpecs.ts'
import { anyValue, type Requirement, type RequirementSpec, type Requirements } from '../../../model/requirements.ts'
import { add, minOf, NO_RESOURCES, type Resources } from '../../../model/resources.ts'
import { asSold, byWorth, zoneTurn } from '../../offering/usableOfferings.ts'
import { type NarrowedTemplate, offeringsOf } from '../model/catalog/narrowedTemplate.ts'
import { type Minimums, minimumsOf, relaxed, type Shortage, shortagesOf } from '../model/catalog/sizePrices.ts'
import { type InstanceTypeOption, SIMULATED_LABELS } from '../model/catalog/template.ts'
import { type Bin, survivorsOf } from '../model/nodes/bin.ts'

type ClaimForm = {
  readonly shortages: readonly Shortage[]
  /** The rules of the NodeClaim definition that its requirements break. */
  readonly broken: readonly Problem[]
  /** The launch choices of the cheapest size, and of the next. */
  readonly best: LaunchChoices
  readonly second: LaunchChoices
  /** How many instance types the claim names. */
  readonly alternatives: number
  readonly labels: Labels
  readonly annotations: Labels
  readonly requirements: readonly RequirementSpec[]
  /** The least of each resource that DaemonSets request on any of the sizes. */
  readonly overhead: Resources
}

/** A function that returns the form of the claim that a bin becomes. Bins with the same narrowed template and the same sizes share a form. */
export function claimForms({ settings, decision }: Pick<DecisionContext, 'settings' | 'decision'>): (bin: Bin) => ClaimForm {
  const known = new Map<NarrowedTemplate, Map<string, ClaimForm>>()
  const byTotal = createByTotal()
  const make = (bin: Bin, sizes: readonly InstanceTypeOption[]) => formOf(bin, cheapestNames(sizes, settings.maxInstanceTypes), decision)
  const shared = (bin: Bin): ClaimForm => {
    const sizes = survivorsOf(bin)
    const ofCombination = known.get(bin.narrowedTemplate) ?? new Map<string, ClaimForm>()
    known.set(bin.narrowedTemplate, ofCombination)
    const text = textOf(sizes)
    const form = ofCombination.get(text) ?? make(bin, sizes)
    ofCombination.set(text, form)
    return form
  }
  return (bin) => (bin.minimums.size > 0 ? make(bin, survivorsOf(bin)) : byTotal(bin, shared))
}

/** Remembers the form of bins that hold as much, under the same ceiling. Their sizes are the same. */
function createByTotal(): (bin: Bin, formOf: (bin: Bin) => ClaimForm) => ClaimForm {
  const known = new Map<NarrowedTemplate, Map<Bin['ceiling'], Map<string, ClaimForm>>>()
  return (bin, formOf) => {
    const ofTemplate = known.get(bin.narrowedTemplate) ?? new Map<Bin['ceiling'], Map<string, ClaimForm>>()
    known.set(bin.narrowedTemplate, ofTemplate)
    const underCeiling = ofTemplate.get(bin.ceiling) ?? new Map<string, ClaimForm>()
    ofTemplate.set(bin.ceiling, underCeiling)
    const text = bin.total.join(' ')
    const form = underCeiling.get(text) ?? formOf(bin)
    underCeiling.set(text, form)
    return form
  }
}

function textOf(sizes: readonly InstanceTypeOption[]): string {
  const words = new Uint32Array(((sizes.reduce((most, { index }) => Math.max(most, index), 0) + 32) >>> 5) + 1)
  for (const { index } of sizes) words[index >>> 5] = (words[index >>> 5] ?? 0) | (1 << (index & 31))
  return words.join(' ')
}

function formOf(bin: Bin, sizes: readonly InstanceTypeOption[], decision: number): ClaimForm {
  const { narrowedTemplate } = bin
  const { template, requirements } = narrowedTemplate
  const shortages = shortagesOf(bin.minimums, narrowedTemplate, sizes)
  // Unless minValues are strict, the claim asks for as many values as it has. The API server refuses it otherwise.
  const minimums = relaxed(bin.minimums, shortages)
  const [first, ...others] = sizes.map((size) => size.overhead)
  const specs = toSpecs(claimRequirements(bin, minimums, sizes))
  const [best, second] = sizes.slice(0, 2).map((size) => launchChoicesOf(narrowedTemplate, size))
  return {
    shortages,
    broken: validateClaimRequirements(specs),
    best: best ?? [],
    second: second ?? [],
    alternatives: new Set(sizes.map(({ type }) => type.name)).size,
    labels: { ...template.labels, ...chosenLabels(requirements) },
    annotations: {
      ...template.annotations,
      ...minValuesAnnotation(bin, minimums),
      ...overlayAnnotations(sizes),
      [ANNOTATION.decision]: String(decision),
    },
    requirements: specs,
    overhead: first === undefined ? NO_RESOURCES : others.reduce(minOf, first),
  }
}

/** The sizes of the cheapest instance types, at most `most` by name. An instance type has several sizes if its offerings have different amounts. */
function cheapestNames(sizes: readonly InstanceTypeOption[], most: number): readonly InstanceTypeOption[] {
  if (sizes.length <= most) return sizes
  const names = new Set<string>()
  for (const { type } of sizes) if (names.size < most) names.add(type.name)
  return sizes.filter(({ type }) => names.has(type.name))
}

/** The requirements of NodePool and pods, narrowed to the sizes, capacity types and zones that the claim may use. */
function claimRequirements(bin: Bin, minimums: Minimums, sizes: readonly InstanceTypeOption[]): Requirements {
  const result = new Map<string, Requirement>()
  // No value at all is no minimum: the least that a requirement can ask for is one.
  const leastOf = (key: string): Pick<Requirement, 'minValues'> => {
    const least = minimums.get(key) ?? 0
    return least === 0 ? {} : { minValues: least }
  }
  for (const [key, each] of bin.narrowedTemplate.requirements) {
    if (Object.hasOwn(SIMULATED_LABELS, key)) continue
    const { minValues: _, ...plain } = each
    result.set(key, { ...plain, ...leastOf(key) })
  }
  const narrow = (key: string, values: readonly string[]): void => {
    result.set(key, { key, complement: false, values, ...leastOf(key) })
  }
  const zones = new Set<string>()
  const capacityTypes = new Set<string>()
  for (const size of sizes) {
    for (const { zone, capacityType } of offeringsOf(bin.narrowedTemplate, size)) {
      zones.add(zone)
      capacityTypes.add(capacityType)
    }
  }
  // The index in the catalog is in the order of names.
  const byName = [...sizes].sort((first, second) => first.index - second.index)
  narrow(LABEL.instanceType, [...new Set(byName.map((size) => size.type.name))])
  narrow(LABEL.capacityType, [...capacityTypes].sort(byText))
  narrow(LABEL.zone, [...zones].sort(byText))
  return result
}

/** Labels of the user with a value each: of several possible values always the same one. */
export function chosenLabels(requirements: Requirements): Labels {
  const labels: { [key: string]: string } = {}
  for (const [key, each] of requirements) {
    if (WELL_KNOWN_LABELS.has(key) || isRestricted(key) || Object.hasOwn(SIMULATED_LABELS, key)) continue
    const value = anyValue(each)
    if (value !== undefined) setOwnValue(labels, key, value)
  }
  return labels
}

function overlayAnnotations(sizes: readonly InstanceTypeOption[]): Labels {
  const of = (what: 'price' | 'capacity'): boolean => sizes.some(({ type }) => type.overlaid?.[what] === true)
  return {
    ...(of('price') ? { [ANNOTATION.priceOverlay]: 'true' } : {}),
    ...(of('capacity') ? { [ANNOTATION.capacityOverlay]: 'true' } : {}),
  }
}

function minValuesAnnotation(bin: Bin, minimums: Minimums): Labels {
  const asked = minimumsOf(bin.narrowedTemplate.template.requirements)
  if (asked.size === 0) return {}
  const isRelaxed = [...asked].some(([key, wanted]) => (minimums.get(key) ?? 0) < wanted)
  return { [ANNOTATION.minValuesRelaxed]: String(isRelaxed) }
}

const SHORT_SUFFIX = 5
/** The most characters in the name of VM, computer and node, which is the prefix of machines and the name of the claim. */
const LONGEST_MACHINE_NAME = 63

/** A function that returns a free name for the claim of a bin. The same index gives the same name in the same decision. */
export function claimNames(
  { cluster, decision, settings }: Pick<DecisionContext, 'cluster' | 'decision' | 'settings'>,
  isTaken: (name: NodeClaimName) => boolean,
): (pool: string, index: number) => NodeClaimName {
  const longest = LONGEST_MACHINE_NAME - settings.machineNames.prefix.length
  const given = new Set<NodeClaimName>()
  const stableName = stableNames({ cluster, decision }, 'index')
  return (pool, index) => {
    for (let length = SHORT_SUFFIX; ; length++) {
      const name = nodeClaimName(`${pool.slice(0, longest - length - 1)}-${stableName(index, length)}`)
      if (given.has(name) || isTaken(name)) continue
      given.add(name)
      return name
    }
  }
}

export type DraftedClaim = { readonly action: CreateClaim } | NoClaim

/** Why a bin becomes no claim: the values that it lacks, and the rules of the NodeClaim definition that it would break. */
export type NoClaim = { readonly shortages: readonly Shortage[]; readonly broken: readonly Problem[] }

/**
 * The claim that the bin becomes. No claim under strict minValues if values lack once it names only as many instance types as a claim may. Nor if the
 * API server would refuse the claim: it would be made again and again.
 */
export function draftClaim(
  bin: Bin,
  form: ClaimForm,
  name: NodeClaimName,
  { pods, buffers }: { readonly pods: readonly PodRef[]; readonly buffers: readonly BufferShare[] },
  { settings }: Pick<DecisionContext, 'settings'>,
): DraftedClaim {
  const { shortages, broken, alternatives, labels, annotations, requirements, overhead } = form
  const [choice, nextBest] = launchChoices(name, form.best, form.second)
  if (choice === undefined || isNoClaim(form, { settings })) return { shortages, broken }
  const { pool } = bin.narrowedTemplate.template
  const { nodeClassRef, taints, startupTaints, expireAfter, terminationGracePeriod } = pool.template
  const requests = add(requestsOf(bin), overhead)
  const draft: NodeClaimDraft = {
    name,
    nodePool: pool.name,
    labels,
    annotations,
    spec: {
      nodeClassRef,
      requirements,
      requests,
      taints,
      startupTaints,
      expireAfter,
      ...(terminationGracePeriod === undefined ? NOTHING : { terminationGracePeriod }),
    },
  }
  const more = nextBest === undefined ? NOTHING : { nextBest }
  const kept = buffers.length === 0 ? NOTHING : { buffers }
  return { action: { kind: 'createClaim', draft, pods, ...kept, choice, ...more, alternatives } }
}

/** Reports whether the form can become no claim. What Azure sells does not matter. */
export function isNoClaim({ shortages, broken }: NoClaim, { settings }: Pick<DecisionContext, 'settings'>): boolean {
  return broken.length > 0 || (settings.minValuesPolicy === 'Strict' && shortages.length > 0)
}

const NOTHING = {}

/** The requests of all pods of the bin. */
function requestsOf({ contents }: Bin): Resources {
  const total: { [name: string]: number } = {}
  for (const { podClass, count } of contents) {
    for (const name in podClass.requests)
      setOwnValue(total, name, (ownValue(total, name) ?? 0) + (ownValue(podClass.requests, name) ?? 0) * count)
  }
  return total
}

/** Choices for a launch of one size, in groups of equal worth. The preferred group comes first. Within a group each claim has its own order. */
type LaunchChoices = readonly (readonly LaunchChoice[])[]

/** The offerings of the size that can be bought now, as launch choices. */
function launchChoicesOf(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption): LaunchChoices {
  const groups: LaunchChoice[][] = []
  const offerings = offeringsOf(narrowedTemplate, size)
  for (const [index, offering] of offerings.entries()) {
    const choice = choiceOf(size.type.name, asSold(offering))
    const before = offerings[index - 1]
    if (before !== undefined && byWorth(before, offering) === 0) groups.at(-1)?.push(choice)
    else groups.push([choice])
  }
  return groups
}

/**
 * What a launch of the claim would take now, and what it would take next: the best choice of the second size, or else the second choice of the
 * first. Among zones of one price each claim has its own order.
 */
function launchChoices(
  claim: NodeClaimName,
  best: LaunchChoices,
  second: LaunchChoices,
): readonly [choice: LaunchChoice | undefined, nextBest: LaunchChoice | undefined] {
  const turnOf = zoneTurn(claim)
  const firstTwo = (offers: LaunchChoices): readonly LaunchChoice[] => {
    const chosen: LaunchChoice[] = []
    for (const group of offers) {
      const inTurn = group.length === 1 ? group : group.toSorted((one, other) => turnOf(one.zone) - turnOf(other.zone))
      for (const choice of inTurn) chosen.push(choice)
      if (chosen.length > 1) break
    }
    return chosen
  }
  const [choice, own] = firstTwo(best)
  return [choice, firstTwo(second)[0] ?? own]
}
