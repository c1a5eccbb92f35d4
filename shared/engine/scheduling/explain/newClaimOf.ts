import { defined } from '../../../base/defined.ts'
import type { CreateClaim } from '../../../model/decision.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { cheaperOffers } from './cheaper.ts'
import type { NewClaim } from './explanation.ts'
import { whyNotForBin } from './whyNotForBin.ts'

/** The claim that the bin becomes, with the offerings that would have cost less. */
export function newClaimOf(
  { draft, pods, buffers, choice, nextBest, alternatives }: CreateClaim,
  bin: Bin,
  provisioning: Provisioning,
): NewClaim {
  const { templates } = provisioning.problem.pools
  return defined({
    name: draft.name,
    pool: draft.nodePool,
    pods: pods.map(({ key }) => key),
    buffers,
    choice,
    nextBest,
    alternatives,
    cheaper: cheaperOffers(templates, choice.price, (offer) => whyNotForBin(offer, bin, provisioning)),
  })
}
