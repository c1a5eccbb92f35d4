import { byText } from '../../base/lists.ts'
import { restOfRefused } from '../../engine/disruption/commands/moveRests.ts'
import type { DisruptionBlock } from '../../engine/disruption/commands/sweep.ts'
import { isTrue } from '../../model/condition.ts'
import { type Action, type DeleteClaim, ofKind, type RemoveReplacement } from '../../model/decision.ts'
import type { BackOff, DisruptionCommand, RepairCause } from '../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { traceIn } from '../../model/trace.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, doEach } from '../deps/clusterDeps.ts'
import type { Committed, Progress } from '../ledger/nextLedger.ts'
import { withoutMoves } from '../ledger/rest.ts'
import { setDeadline } from '../lifecycle/stillUnderWay.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { measureEnded, measureFailed, measurePodsDisrupted, measureUnhealthy } from '../reports/claimMetrics.ts'
import { claimFields } from '../reports/reportClaim.ts'
import { commitReboot } from './commitReboot.ts'
import { closeNode, type Disrupting, disruptClaim } from './disruptClaim.ts'
import { type TaintOutcome, untaintCandidate } from './markCandidate.ts'

/** What ends or stays without a look at pods. */
const OTHER_ENDS = ['expireClaim', 'scaleDownClaim', 'repairClaim', 'rebootClaim', 'openNode', 'removeReplacement'] as const
type OtherEnd = Extract<Action, { readonly kind: (typeof OTHER_ENDS)[number] }>

/**
 * Deletes claims, and untaints nodes that stay. A command without replacements ends if live objects do not allow it. All nodes are tainted before the
 * first claim is deleted. Otherwise the scheduler would bind pods of the first nodes to the last ones, which would have to stay then.
 */
export async function endMachines(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<Progress> {
  const { decided, ledger, caughtUp } = committed
  for (const action of decided.actions) if (action.kind === 'endCommand') reportEndedCommand(deps, action)
  const { state } = caughtUp
  const disrupting = decided.actions
    .filter((action) => action.kind === 'deleteClaim')
    .map((action): Disrupting => ({ action, command: moveOf(action, ledger.commands) }))
  const closed = new Map<Disrupting, TaintOutcome>()
  const areClosed = await doEach(deps, disrupting, nameOfDeletion, async (each) => {
    closed.set(each, await closeNode(deps, state, each, signal))
  })
  const areEnded = await doEach(deps, ofKind(decided.actions, ...OTHER_ENDS), nameOf, (action) => end(deps, action, signal))
  const held = new Map<NodeClaimName, DisruptionBlock>()
  const raced = new Set<NodeClaimName>()
  const areDeleted = await doEach(deps, disrupting, nameOfDeletion, async (each) => {
    const closing = closed.get(each)
    if (closing === undefined) return
    const outcome = await disruptClaim(deps, state, each, closing, signal)
    if (outcome === 'again') raced.add(each.action.claim)
    else if (outcome !== undefined) held.set(each.action.claim, outcome)
  })
  return { ledger: withoutHeld(ledger, held, deps.clock.now()), isDone: areClosed && areEnded && areDeleted && raced.size === 0 }
}

/** The command that the deletion belongs to. The ledger has a command for each deletion. */
function moveOf({ claim, uid }: DeleteClaim, commands: readonly DisruptionCommand[]): Pick<DisruptionCommand, 'id' | 'method'> {
  const found = commands.find(({ candidates }) => candidates.some((each) => each.claim === claim && each.uid === uid))
  return found ?? { id: claim, method: 'delete' }
}

function withoutHeld(
  ledger: Committed['ledger'],
  held: ReadonlyMap<NodeClaimName, DisruptionBlock>,
  now: BackOff['failedAt'],
): Committed['ledger'] {
  const blockOf = ({ method, candidates }: DisruptionCommand): DisruptionBlock | undefined =>
    method === 'delete' ? candidates.map(({ claim }) => held.get(claim)).find((block) => block !== undefined) : undefined
  const over = ledger.commands
    .flatMap((command) => {
      const block = blockOf(command)
      return block === undefined ? [] : [{ command, block }]
    })
    .sort((first, second) => byText(first.command.id, second.command.id))
  if (over.length === 0) return ledger
  const ended = over.map(({ command }) => command)
  const rests = over.reduce<readonly BackOff[]>(
    (all, { command, block }) => [...all, restOfRefused(command, block, all, now)],
    ledger.backOffs,
  )
  return { ...withoutMoves(ledger, ended), commands: ledger.commands.filter((command) => !ended.includes(command)), backOffs: rests }
}

type Over = Extract<Action, { readonly kind: 'endCommand' }>

function reportEndedCommand(deps: ClusterDeps, { command, message, backOff }: Over): void {
  const { cluster, clock, telemetry } = deps
  const { id, reason, candidates, startedAt } = command
  const outcome = backOff === undefined ? 'done' : 'undone'
  telemetry.measure('move_ms', clock.now() - startedAt, { cluster, outcome, command: id, reason })
  if (backOff === undefined) return
  measureFailed(deps, command)
  const nodes = candidates.map(({ node }) => node).join(', ')
  telemetry.warn(`move ${id} of ${nodes} failed: ${message}`, { cluster, command: id, reason })
}

function nameOfDeletion({ action: { claim } }: Disrupting): string {
  return `the end of nodeclaim ${claim}`
}

function nameOf({ kind, claim }: OtherEnd): string {
  if (kind === 'rebootClaim') return `the reboot of the node of nodeclaim ${claim}`
  return kind === 'openNode' ? `the opening of the node of nodeclaim ${claim}` : `the end of nodeclaim ${claim}`
}

function end(deps: ClusterDeps, action: OtherEnd, signal: AbortSignalLike): Promise<void> {
  switch (action.kind) {
    case 'expireClaim':
    case 'scaleDownClaim':
    case 'repairClaim':
      return endForcefully(deps, action, signal)
    case 'rebootClaim':
      return commitReboot(deps, action, signal)
    case 'openNode':
      return untaintCandidate(deps, action, signal)
    case 'removeReplacement':
      return removeReplacement(deps, action, signal)
  }
}

/** Deletes a replacement of a failed disruption command. A replacement that was initialized meanwhile stays as capacity. */
export async function removeReplacement(
  deps: ClusterDeps,
  { claim: name, uid, command }: RemoveReplacement,
  signal: AbortSignalLike,
): Promise<void> {
  const claim = await deps.api.getClaim(name, signal)
  if (claim === undefined || claim.meta.uid !== uid || claim.meta.deletedAt !== undefined) return
  if (isTrue(claim.status.conditions, 'Initialized')) return
  await deps.api.deleteClaim(name, uid, signal)
  deps.queue.reconcile(claimRequest(claim))
  deps.telemetry.info(`nodeclaim ${name} is not needed: move ${command} failed`, { cluster: deps.cluster, claim: name })
}

type ForcefulEnd = Extract<Action, { readonly kind: 'expireClaim' | 'scaleDownClaim' | 'repairClaim' }>

/** Tries to write the deadline. Few are enough, since the next decision repairs again. */
const FEW_ROUNDS = 2

const BECAUSE = { expireClaim: 'Expired', scaleDownClaim: 'ScaledDown' } as const

/**
 * Deletes a claim that is expired, beyond the replicas of its static NodePool, or whose node is unhealthy by the rules of 1.14. The lifecycle steps of
 * the claim taint and drain its node, and its pods are planned again meanwhile. The drain of an unhealthy node gets a deadline, since no pod may keep it.
 */
export async function endForcefully(deps: ClusterDeps, action: ForcefulEnd, signal: AbortSignalLike): Promise<void> {
  const { claim: name, uid } = action
  const claim = await deps.api.getClaim(name, signal)
  // Another claim may have the name by now.
  if (claim === undefined || claim.meta.uid !== uid) return
  const isEnding = claim.meta.deletedAt !== undefined
  const isHurried = action.kind === 'repairClaim' && (await setDeadline(deps, claim, deadlineFor(deps, action), signal, FEW_ROUNDS))
  if (isEnding && !isHurried) return
  await deps.api.deleteClaim(name, uid, signal)
  deps.queue.reconcile(claimRequest(claim))
  const [reason, because] = action.kind === 'repairClaim' ? ['Unhealthy', action.condition] : [BECAUSE[action.kind], BECAUSE[action.kind]]
  // A claim that was ending before has been counted.
  if (!isEnding) measureForcefulEnd(deps, claim, action, reason)
  const { decision: _, ...fields } = claimFields(deps, claim)
  deps.telemetry.event('disruption.decision', { ...fields, reason, savingsPerHour: undefined }, traceIn(claim))
  deps.telemetry.info(`nodeclaim ${name} is taken away: ${because}`, { cluster: deps.cluster, claim: name, because })
}

/** Without a bound the drain has no time. */
function deadlineFor({ clock }: ClusterDeps, { terminationGracePeriod = durationMs(0) }: RepairCause): EpochMs {
  return later(clock.now(), terminationGracePeriod)
}

function measureForcefulEnd(deps: ClusterDeps, claim: NodeClaim, action: ForcefulEnd, reason: string): void {
  if (action.kind === 'scaleDownClaim') return
  measureEnded(
    deps,
    claim,
    reason.toLowerCase(),
    action.kind === 'repairClaim' ? (action.terminationGracePeriod ?? durationMs(0)) : undefined,
  )
  measurePodsDisrupted(deps, reason.toLowerCase(), action.pods)
  if (action.kind === 'repairClaim') measureUnhealthy(deps, action.condition)
}
