/** Bins that become no claim. Their pods are offered to other NodePools in the same decision. */
import { claimAskOf } from '../../../model/claimRefusal.ts'
import { toSpecs } from '../../../model/requirementSpecs.ts'
import { validateClaimRequirements } from '../../../model/requirementValidation.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { isTooLong } from '../model/catalog/claimLength.ts'
import type { ForeseenRefusal } from '../model/catalog/claimRefusals.ts'
import { initialTemplate, type NarrowedTemplate, withConstraint } from '../model/catalog/narrowedTemplate.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { PoolRefusal } from '../model/pods/constraint.ts'
import { claimForms } from './claimForm.ts'
import { isNoClaim, type NoClaim } from './draft.ts'

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
