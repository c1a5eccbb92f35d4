/** Bins that become no claim: their pods are offered to other NodePools in the same decision. Also the verdicts on taints and labels. */
import { byText } from '../../../base/lists.ts'
import { claimAskOf } from '../../../model/claimRefusal.ts'
import { describeRequirement, overlapConflicts } from '../../../model/requirementConflict.ts'
import { toSpecs, validateClaimRequirements } from '../../../model/requirementSpecs.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { formatTaint, type Taint, untolerated } from '../../../model/taint.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import type { ForeseenRefusal } from '../model/catalog/catalog.ts'
import { isTooLong } from '../model/catalog/limits.ts'
import { initialTemplate, type NarrowedTemplate, withConstraint } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { Constraint, PoolRefusal } from '../model/pods/constraint.ts'
import { claimForms, isNoClaim, type NoClaim } from './claimForm.ts'
import type { Lacking, Verdict } from './verdict.ts'

/** Why there is no claim: values that it lacks, or else rules of the NodeClaim definition that it would break. */
export function noClaimRefusal({ shortages, broken }: NoClaim): Pick<PoolRefusal, 'code' | 'message'> {
  if (broken.length > 0 && shortages.length === 0) {
    const rules = broken.map(({ message }) => message).join('; ')
    return { code: 'SCHEDULING.CLAIM_INVALID', message: `the API server would refuse a nodeclaim for the pods: ${rules}` }
  }
  const lacks = shortages.map(({ key, wanted, had }) => `minValues of ${key} is ${wanted}, they have ${had}`).join('; ')
  return { code: 'SCHEDULING.MIN_VALUES', message: `too few values among the most instance types that one nodeclaim names: ${lacks}` }
}

/** `unplaced`: how many pods get neither a node nor a claim. */
export type Foreseen = { readonly refusals: readonly ForeseenRefusal[]; readonly unplaced: number }

/** The pods of the plan that get no claim of their bin's NodePool. Of pods that share a bin, those count that would get none alone either. */
export function foreseenRefusals({ problem, plan }: Provisioning): Foreseen {
  const { context } = problem
  const formOf = claimForms(context)
  const mayBeNone = doubts(context.settings.maxInstanceTypes)
  const found = new Map<string, ForeseenRefusal>()
  let unplaced = 0
  for (const bin of plan.bins) {
    if (bin.contents.length === 0 || !mayBeNone(bin)) continue
    const form = formOf(bin)
    if (!isNoClaim(form, context)) continue
    unplaced += bin.podCount
    const { pool } = bin.narrowedTemplate.template
    const refusal = { pool: pool.name, ...noClaimRefusal(form) }
    for (const { podClass } of refusedOf(bin)) {
      const ask = claimAskOf(podClass.pod)
      found.set(`${pool.name} ${ask}`, { ...refusal, ask })
    }
  }
  for (const count of plan.left.values()) unplaced += count
  return { refusals: [...found.values()], unplaced }
}

/** Tells cheaply for most bins that they become a claim. The requirements of a bin are checked once for all bins that share them. */
function doubts(maxInstanceTypes: number): (bin: Bin) => boolean {
  const known = new Map<NarrowedTemplate, boolean>()
  return ({ narrowedTemplate, minimums }) => {
    if (minimums.size > 0 && narrowedTemplate.order.length > maxInstanceTypes) return true
    const isBroken = known.get(narrowedTemplate) ?? breaksRule(narrowedTemplate)
    known.set(narrowedTemplate, isBroken)
    return isBroken
  }
}

function breaksRule({ requirements }: NarrowedTemplate): boolean {
  return isTooLong(requirements) || validateClaimRequirements(toSpecs(requirements)).length > 0
}

function refusedOf({ narrowedTemplate, contents }: Bin): Bin['contents'] {
  const template = initialTemplate(narrowedTemplate.template)
  const alone = contents.filter(({ relaxedPod }) => {
    const narrowed = withConstraint(template, relaxedPod.constraint)
    return narrowed === undefined || breaksRule(narrowed)
  })
  return alone.length > 0 ? alone : contents
}

/** The taints that some of the pods do not tolerate. Undefined if each pod tolerates every taint. */
export function taintsVerdict(
  taints: readonly Taint[],
  pods: readonly Pick<Constraint, 'tolerations'>[],
): Extract<Verdict, { readonly kind: 'taints' }> | undefined {
  const refused = pods.flatMap(({ tolerations }) => untolerated(taints, tolerations))
  return refused.length === 0 ? undefined : { kind: 'taints', taints: [...new Set(refused.map(formatTaint))] }
}

/** What is missing of the alternative that lacks least. Empty if nothing is missing of one alternative, or if there are no alternatives. */
export function leastMissing<Missing>(
  alternatives: readonly Requirements[],
  missingOf: (wanted: Requirements) => readonly Missing[],
): readonly Missing[] {
  const [least = []] = alternatives.map(missingOf).sort((one, other) => one.length - other.length)
  return least
}

/**
 * The labels that keep all instance types from meeting the requirements, sorted by key. If no instance type meets some requirement, these
 * requirements alone, with the values that the instance types have. Otherwise every requirement that some instance type does not meet,
 * without values.
 */
export function labelsMissingIn(
  sizes: readonly Pick<InstanceTypeOption, 'requirements'>[],
  requirements: Requirements,
  wanted: Requirements,
): readonly Lacking[] {
  const missing = new Map<string, number>()
  for (const size of sizes) {
    for (const { key } of overlapConflicts(size.requirements, requirements)) missing.set(key, (missing.get(key) ?? 0) + 1)
  }
  const isNowhere = [...missing.values()].some((count) => count === sizes.length)
  return [...missing]
    .filter(([, count]) => !isNowhere || count === sizes.length)
    .sort(([one], [other]) => byText(one, other))
    .flatMap(([label]) => {
      const asked = wanted.get(label) ?? requirements.get(label)
      const there = isNowhere ? valuesOf(sizes, label) : []
      return asked === undefined ? [] : [{ label, asked: describeRequirement(asked), there }]
    })
}

function valuesOf(sizes: readonly Pick<InstanceTypeOption, 'requirements'>[], label: string): readonly string[] {
  const values = new Set(sizes.flatMap(({ requirements }) => requirements.get(label)?.values ?? []))
  return [...values].sort((one, other) => Number(one) - Number(other) || byText(one, other))
}
