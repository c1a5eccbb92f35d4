import type { Pod } from '../../../model/pod.ts'
import { refOf } from '../../../model/podRef.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import type { Batch } from '../model/batch.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { claimForms } from './claimForm.ts'
import { claimNames, type DraftedClaim, draftClaim } from './draft.ts'

/** A bin with its pods, and the claim that it becomes. The claim names only real pods, not pods that stand for the room of a CapacityBuffer. */
export type FilledBin = { readonly bin: Bin; readonly pods: readonly Pod[]; readonly drafted: DraftedClaim }

/** Tells the pods of a plan from pods that stand for the room of a CapacityBuffer. */
export type Kinds = Pick<Batch, 'isReal' | 'buffersOf'>

/** The bins of the plan that pods were assigned to. */
export function filledBins({ problem, plan, assigned }: Provisioning, { isReal, buffersOf }: Kinds): readonly FilledBin[] {
  const { context, isTaken } = problem
  const nameOf = claimNames(context, isTaken)
  const formOf = claimForms(context)
  const { inBins } = assigned()
  return plan.bins.flatMap((bin, index) => {
    const pods = inBins.get(bin) ?? []
    if (pods.length === 0) return []
    const named = { pods: pods.filter(isReal).map(refOf), buffers: buffersOf(pods) }
    return [{ bin, pods, drafted: draftClaim(bin, formOf(bin), nameOf(bin.narrowedTemplate.template.pool.name, index), named, context) }]
  })
}
