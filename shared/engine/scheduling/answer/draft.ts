import { defined } from '../../../base/defined.ts'
import { byText } from '../../../base/order.ts'
import { stableName } from '../../../base/stableHash.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { CreateClaim } from '../../../model/decision.ts'
import { instanceNameOf, type NodeClaimName, nodeClaimName } from '../../../model/ids.ts'
import type { Offering } from '../../../model/instanceType.ts'
import { ANNOTATION, isRestricted, LABEL, WELL_KNOWN_LABELS } from '../../../model/labels.ts'
import type { LaunchChoice } from '../../../model/launchPlan.ts'
import type { Labels } from '../../../model/meta.ts'
import type { NodeClaimDraft } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { toSpecs } from '../../../model/requirementSpecs.ts'
import { anyValue, type Requirement, type Requirements } from '../../../model/requirements.ts'
import { add, minOf, type Resources, sum } from '../../../model/resources.ts'
import { type Combination, offeringsOf } from '../catalog/combination.ts'
import { minimumsOf, type Shortage, shortagesOf } from '../catalog/minValues.ts'
import { SIMULATED_LABELS, type Size } from '../catalog/template.ts'
import { type Bin, survivorsOf } from '../hosts/bin.ts'

const SHORT_SUFFIX = 5
/** Longest name for which VM, computer and node name `aks-<claim>` stay within 63 characters. */
const LONGEST_NAME = 63 - instanceNameOf(nodeClaimName('')).length

/** A name no claim, draft or node of the cluster has; the same for the same place in the same decision. */
export function claimNames(snapshot: ClusterSnapshot): (pool: string, index: number) => NodeClaimName {
  const { objects, drafts } = snapshot
  const taken = new Set<string>([...objects.nodeClaim, ...drafts].map((each) => instanceNameOf(each.name)))
  for (const node of objects.node) taken.add(node.name)
  return (pool, index) => {
    const seed = { cluster: snapshot.cluster, decision: snapshot.decision, index }
    for (let length = SHORT_SUFFIX; ; length++) {
      const name = nodeClaimName(`${pool.slice(0, LONGEST_NAME - length - 1)}-${stableName(seed, length)}`)
      if (taken.has(instanceNameOf(name))) continue
      taken.add(instanceNameOf(name))
      return name
    }
  }
}

export type DraftedClaim = { readonly action: CreateClaim } | { readonly shortages: readonly Shortage[] }

/** The claim a full bin becomes; or, under strict minValues, what it would lack once cut to the most sizes a claim names. */
export function draftClaim(bin: Bin, name: NodeClaimName, pods: readonly Pod[], snapshot: ClusterSnapshot): DraftedClaim {
  const { settings } = snapshot
  const { combination } = bin
  const { template } = combination
  const sizes = cheapestNames(survivorsOf(bin), settings.maxInstanceTypes)
  const shortages = shortagesOf(bin.minimums, sizes)
  if (settings.minValuesPolicy === 'Strict' && shortages.length > 0) return { shortages }
  const { choice, nextBest } = bestChoices(combination, sizes)
  if (choice === undefined) return { shortages }
  const draft: NodeClaimDraft = {
    name,
    nodePool: template.pool.name,
    labels: { ...template.labels, ...chosenLabels(combination.requirements) },
    annotations: {
      ...template.annotations,
      ...minValuesAnnotation(bin),
      ...overlayAnnotations(sizes),
      [ANNOTATION.decision]: String(snapshot.decision),
    },
    spec: defined({
      nodeClassRef: template.pool.template.nodeClassRef,
      requirements: toSpecs(claimRequirements(bin, sizes)),
      requests: requestsOf(pods, sizes),
      taints: template.pool.template.taints,
      startupTaints: template.pool.template.startupTaints,
      expireAfter: template.pool.template.expireAfter,
      terminationGracePeriod: template.pool.template.terminationGracePeriod,
    }),
  }
  return {
    action: defined({
      kind: 'createClaim' as const,
      draft,
      pods: pods.map(({ key, uid }) => ({ key, uid })),
      choice,
      nextBest,
      alternatives: new Set(sizes.map(({ type }) => type.name)).size,
    }),
  }
}

/** All of the cheapest so many names: one may be there more than once, with other amounts. */
function cheapestNames(sizes: readonly Size[], most: number): readonly Size[] {
  if (sizes.length <= most) return sizes
  const names = new Set<string>()
  for (const { type } of sizes) if (names.size < most) names.add(type.name)
  return sizes.filter(({ type }) => names.has(type.name))
}

/** What the claim asks for: its pods, and the least that daemons take on any size it names. */
function requestsOf(pods: readonly Pod[], sizes: readonly Size[]): Resources {
  const [first, ...others] = sizes.map((size) => size.overhead)
  const requests = sum(pods.map((pod) => pod.requests))
  return first === undefined ? requests : add(requests, others.reduce(minOf, first))
}

/** The wishes of pool and pods, narrowed to the sizes, capacity types and zones that can serve. */
function claimRequirements(bin: Bin, sizes: readonly Size[]): Requirements {
  const result = new Map<string, Requirement>()
  for (const [key, each] of bin.combination.requirements) {
    if (key in SIMULATED_LABELS) continue
    const { minValues: _, ...plain } = each
    const least = bin.minimums.get(key)
    result.set(key, least === undefined ? plain : { ...plain, minValues: least })
  }
  const narrow = (key: string, values: readonly string[]): void => {
    const least = bin.minimums.get(key)
    result.set(key, { key, complement: false, values, ...(least === undefined ? {} : { minValues: least }) })
  }
  const zones = new Set<string>()
  const capacityTypes = new Set<string>()
  for (const size of sizes) {
    for (const { zone, capacityType } of offeringsOf(bin.combination, size)) {
      zones.add(zone)
      capacityTypes.add(capacityType)
    }
  }
  // A catalog's types are numbered by name.
  const byName = [...sizes].sort((first, second) => first.index - second.index)
  narrow(LABEL.instanceType, [...new Set(byName.map((size) => size.type.name))])
  narrow(LABEL.capacityType, [...capacityTypes].sort(byText))
  narrow(LABEL.zone, [...zones].sort(byText))
  return result
}

/** What a launch would take now, and what it would try on another size; or else on the same one. Sizes come cheapest first. */
function bestChoices(
  combination: Combination,
  [first, second]: readonly Size[],
): { readonly choice?: LaunchChoice; readonly nextBest?: LaunchChoice } {
  const own = first === undefined ? [] : offeringsOf(combination, first).map((offering) => choiceOf(first, offering))
  const others = second === undefined ? [] : offeringsOf(combination, second).map((offering) => choiceOf(second, offering))
  return defined({ choice: own[0], nextBest: others[0] ?? own[1] })
}

function choiceOf(size: Size, { zone, capacityType, price }: Offering): LaunchChoice {
  return defined({ size: size.type.name, zone, capacityType, price })
}

/** A label of the user's gets one of the values it may have, always the same one. */
function chosenLabels(requirements: Requirements): Labels {
  const labels: { [key: string]: string } = {}
  for (const [key, each] of requirements) {
    if (WELL_KNOWN_LABELS.has(key) || isRestricted(key) || key in SIMULATED_LABELS) continue
    const value = anyValue(each)
    if (value !== undefined) labels[key] = value
  }
  return labels
}

function overlayAnnotations(sizes: readonly Size[]): Labels {
  const of = (what: 'price' | 'capacity'): boolean => sizes.some(({ type }) => type.overlaid?.[what] === true)
  return {
    ...(of('price') ? { [ANNOTATION.priceOverlay]: 'true' } : {}),
    ...(of('capacity') ? { [ANNOTATION.capacityOverlay]: 'true' } : {}),
  }
}

function minValuesAnnotation(bin: Bin): Labels {
  const asked = minimumsOf(bin.combination.template.requirements)
  if (asked.size === 0) return {}
  const isRelaxed = [...asked].some(([key, wanted]) => (bin.minimums.get(key) ?? 0) < wanted)
  return { [ANNOTATION.minValuesRelaxed]: String(isRelaxed) }
}
