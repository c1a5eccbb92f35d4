import { largestOf } from '../base/lists.ts'
import type { ClusterSnapshot } from '../model/clusterSnapshot.ts'
import type { Action, CreateClaim, Decision } from '../model/decision.ts'
import type { LaunchChoice } from '../model/launchPlan.ts'
import type { Ledger } from '../model/ledger.ts'
import { formatPrice } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { CaughtUp } from './catchUp.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { createClaims } from './createClaims.ts'
import { disruptClaim } from './disruptClaim.ts'
import { savePodEvents } from './podEvents.ts'

export type Committed = {
  /** As committed; its newest intents are the decision's claims. */
  readonly ledger: Ledger
  readonly etag: string | undefined
  readonly snapshot: ClusterSnapshot
  readonly decided: Decision
  readonly decideMs: number
  readonly caughtUp: CaughtUp
}

/**
 * Carries out a committed decision: claims first, since pods wait for them, what merely tells last. Only what classes say
 * goes before: the launch of a claim reads it.
 */
export async function applyDecision(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<void> {
  const { decided, caughtUp } = committed
  await Promise.all(decided.actions.map((action) => sayOfClass(deps, action, signal)))
  await makeClaims(deps, committed, signal)
  const ends = decided.actions.filter((action) => action.kind === 'deleteClaim')
  await Promise.all(ends.map((action) => disruptClaim(deps, action, signal)))
  const told = Promise.all(decided.actions.map((action) => tell(deps, action, signal)))
  await Promise.all([told, savePodEvents(deps, caughtUp.state, signal)])
  await record(deps, committed, signal)
}

async function makeClaims(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<void> {
  const { ledger, etag, snapshot, caughtUp } = committed
  const fresh = ledger.intents.filter((intent) => intent.decision === snapshot.decision)
  if (fresh.length === 0) return
  for (const intent of fresh) announce(deps, intent.action, committed)
  const made = await createClaims(deps, caughtUp.state, fresh, signal)
  const intents = [...ledger.intents.filter((intent) => intent.decision !== snapshot.decision), ...made]
  // A conflict here means that a later writer took over; it squares the intents itself.
  await deps.ledger.save({ ...ledger, intents }, etag, signal)
}

/** The line a person reads: what, for how many, at what price, instead of what, and how hard it was to find. */
function announce(deps: ClusterDeps, action: CreateClaim, { snapshot, decideMs }: Committed): void {
  const next = action.nextBest ? `; next best ${describe(action.nextBest)}` : ''
  const sizes = largestOf(
    [...snapshot.instanceTypes.values()].map((types) => types.length),
    0,
  )
  const effort = `; decided in ${decideMs} ms over ${sizes} sizes`
  const pods = action.pods.length === 1 ? '1 pod' : `${action.pods.length} pods`
  deps.telemetry.info(`decision ${snapshot.decision}: one ${describe(action.choice)} for ${pods}${next}${effort}`, {
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
  })
}

function describe(choice: LaunchChoice): string {
  const price = choice.price === undefined ? 'price unknown' : formatPrice(choice.price)
  return `${choice.size}, ${choice.capacityType}, zone ${choice.zone}, ${price}`
}

async function sayOfClass(deps: ClusterDeps, action: Action, signal: AbortSignalLike): Promise<void> {
  if (action.kind !== 'patchNodeClassStatus') return
  await deps.api.patchNodeClassStatus(action.nodeClass, { conditions: action.conditions }, signal)
}

async function tell(deps: ClusterDeps, action: Action, signal: AbortSignalLike): Promise<void> {
  switch (action.kind) {
    case 'patchNodePoolStatus': {
      const { kind: _, nodePool, ...status } = action
      await deps.api.patchNodePoolStatus(nodePool, status, signal)
      return
    }
    case 'patchNodeOverlayStatus':
      await deps.api.patchNodeOverlayStatus(action.nodeOverlay, { conditions: action.conditions }, signal)
      return
    case 'patchCapacityBufferStatus':
      await deps.api.patchCapacityBufferStatus(action.capacityBuffer, action.status, signal)
      return
    case 'publish':
      await deps.api.publish(action.event, signal)
      return
    case 'createClaim':
    case 'deleteClaim':
    case 'nominate':
    case 'patchNodeClassStatus':
      return
  }
}

/** Kept for every decision that did something, with the place in the log it was made at: replay needs no more. */
async function record(
  deps: ClusterDeps,
  { ledger, snapshot, decided, decideMs, caughtUp }: Committed,
  signal: AbortSignalLike,
): Promise<void> {
  if (ledger.decisions !== snapshot.decision) return
  const { decision: number, takenAt, seed } = snapshot
  await deps.decisions.save(
    { number, epoch: ledger.epoch, takenAt, seed, position: caughtUp.position, decision: decided, decideMs },
    signal,
  )
}
