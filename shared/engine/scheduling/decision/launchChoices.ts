import type { NodeClaimName } from '../../../model/ids.ts'
import { choiceOf, type LaunchChoice } from '../../../model/launchPlan.ts'
import { byWorth } from '../../offering/usableOfferings.ts'
import { asSold } from '../../offering/weighedOffering.ts'
import { zoneTurn } from '../../offering/zoneTurn.ts'
import { type NarrowedTemplate, offeringsOf } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'

/** Choices for a launch of one size, in groups of equal worth. The preferred group comes first. Within a group each claim has its own order. */
export type LaunchChoices = readonly (readonly LaunchChoice[])[]

/** The offerings of the size that can be bought now, as launch choices. */
export function launchChoicesOf(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption): LaunchChoices {
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
export function launchChoices(
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
