import { largestOf } from '../../base/lists.ts'
import type { CreateClaim } from '../../model/decision.ts'
import { priceText, purposeText, zoneText } from '../../model/inWords.ts'
import type { LaunchChoice } from '../../model/launchPlan.ts'
import { traceOf } from '../../model/trace.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { Committed } from '../ledger/committed.ts'
import type { DecisionInput } from '../ledger/decisionInput.ts'
import { usd } from '../reports/reportClaim.ts'

/** Logs one line about a decided claim: the machine, its pods and price, the next best choice, and how long the decision took. */
export function announceClaim(
  deps: ClusterDeps,
  action: CreateClaim,
  { snapshot, decideMs }: Pick<Committed, 'snapshot' | 'decideMs'>,
): void {
  const next = action.nextBest ? `; next best ${describe(action.nextBest)}` : ''
  const sizes = largestOf(
    [...snapshot.instanceTypes.values()].map((types) => types.length),
    0,
  )
  const effort = `; decided in ${decideMs} ms over ${sizes} sizes`
  deps.telemetry.info(
    `decision ${snapshot.decision}: one ${describe(action.choice)} for ${purposeText(action.pods.length, action.buffers)}${next}${effort}`,
    {
      cluster: deps.cluster,
      decision: snapshot.decision,
      claim: action.draft.name,
      nodePool: action.draft.nodePool,
      size: action.choice.size,
      zone: action.choice.zone,
      capacityType: action.choice.capacityType,
      microUsdPerHour: action.choice.price,
      pods: action.pods.length,
      alternatives: action.alternatives,
      decideMs,
    },
  )
  reportDecided(deps, action, snapshot, decideMs)
}

function reportDecided(
  deps: ClusterDeps,
  { draft, choice, nextBest, pods, alternatives }: CreateClaim,
  { decision, takenAt }: Pick<DecisionInput, 'decision' | 'takenAt'>,
  decideMs: number,
): void {
  const fields = {
    cluster: deps.cluster,
    decision: String(decision),
    nodePool: draft.nodePool,
    nodeClaim: draft.name,
    sku: choice.size,
    zone: choice.zone,
    capacityType: choice.capacityType,
    pods: pods.length,
    alternatives,
    decideMs,
    pricePerHour: usd(choice.price),
    diskPricePerHour: usd(choice.diskPrice),
    nextBestPricePerHour: usd(nextBest?.price),
  }
  deps.telemetry.event('provisioning.decision', fields, traceOf(deps.cluster, draft.name, takenAt))
}

function describe(choice: LaunchChoice): string {
  return `${choice.size}, ${choice.capacityType}, ${zoneText(choice.zone)}, ${priceText(choice)}`
}
