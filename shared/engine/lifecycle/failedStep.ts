import type { ClaimAction, ClaimObservation } from '../../model/claimStep.ts'
import { launchReasonOf, reasonOfCode } from '../../model/conditionLinks.ts'
import { FINALIZER } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Problem } from '../../model/problem.ts'
import { CLAIM_STAGES, type ClaimConditionType, isOpen, statusActions, staysOpen } from './claimStatus.ts'
import { warning } from './ending.ts'

const LONGEST_MESSAGE = 300

type ReportAction = Extract<ClaimAction, { readonly kind: 'patchStatus' | 'publish' }>

/**
 * What a claim reports about a step that failed as a whole: the open stage names the problem until a later step succeeds. Empty if the claim
 * reports it already, or if no stage is open.
 */
export function reportFailedStep(
  about: Pick<ClaimObservation, 'claim' | 'now' | 'settings'>,
  { code, message }: Problem,
): readonly ReportAction[] {
  const stage = openStage(about.claim)
  if (stage === undefined) return []
  const said = message.slice(0, LONGEST_MESSAGE)
  const seen = { ...about, instance: 'unseen', nodeClass: undefined } as const
  const status = statusActions(seen, [staysOpen(stage, stage === 'Launched' ? launchReasonOf(code) : reasonOfCode(code), said)])
  if (status.length === 0) return []
  const event = warning(about.claim, stage === 'Launched' ? 'LaunchFailed' : 'StepFailed', `step ${stage} failed: ${said}`)
  return [...status, { kind: 'publish', event }]
}

function openStage(claim: NodeClaim): ClaimConditionType | undefined {
  const { deletedAt, finalizers } = claim.meta
  if (deletedAt === undefined) return CLAIM_STAGES.find((stage) => isOpen(claim, stage))
  return finalizers.includes(FINALIZER) && isOpen(claim, 'InstanceTerminating') ? 'InstanceTerminating' : undefined
}
