import { settle } from '../../base/concurrency.ts'
import { defined } from '../../base/values.ts'
import { isUnderWay, restsAfter, without, withoutUndone } from '../../engine/disruption/commands/moveRests.ts'
import { isWithinHour } from '../../engine/disruption/waves/calmRules.ts'
import { otherNodes } from '../../engine/lifecycle/drain.ts'
import { isOfEarlierGeneration } from '../../engine/lifecycle/launch.ts'
import { unhealthyClaims } from '../../engine/lifecycle/stepNodeClaim.ts'
import { type ClusterSnapshot, type DecisionContext } from '../../model/clusterSnapshot.ts'
import { isTrue, ROOT_CONDITION } from '../../model/condition.ts'
import type { Action, Decision } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { Ledger, Rest } from '../../model/ledger.ts'
import type { LogPosition } from '../../model/logRecord.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isRebooting } from '../../model/reboot.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'

/**
 * How long the result of a decision that found nothing to do is trusted. Prices, quota and subnets are not in the log, so nothing tells when they
 * change. They matter little while no machine is ours, and most while something is refused, since they may be the cause.
 */
export const TRUST = { refusing: durationMs(2 * 60_000), withMachines: durationMs(5 * 60_000), withoutMachines: durationMs(10 * 60_000) }
/** A rest that ends this soon counts as over, because the timer that asks comes again only after a while. */
const NEARLY_MS = 5_000

/** The input and the result of a decision. */
type Seen = {
  readonly snapshot: DecisionInput
  readonly decided: Decision
  readonly ledger: Ledger
  /** Position in the log up to which the decision read. */
  readonly position: LogPosition
}

/**
 * The rest of a cluster where nothing was done and nothing is under way. Until the log has something new, or the time that the decision named comes,
 * another decision would find the same. Refused pods stay refused until then. Undefined if another decision could find something at any moment.
 */
export function restOf({ snapshot, decided, ledger, position }: Seen): Rest | undefined {
  const { objects, settings, takenAt, nominations } = snapshot
  if (decided.provisioningCursor !== undefined || isCatalogMissing(snapshot)) return undefined
  if (!decided.actions.every(endsNoRest) || ledger.intents.length > 0 || ledger.commands.length > 0 || nominations.length > 0)
    return undefined
  if (objects.nodeClaim.some(isNotReady)) return undefined
  const picture = [objects.node, objects.nodeClaim, settings.machineNames] as const
  if (unhealthyClaims(...picture).length > 0 || otherNodes(...picture).size > 0) return undefined
  const trusted = later(takenAt, trustIn(decided, objects.nodeClaim.length))
  return { position, until: earlierOf(trusted, decided.wakeAt) }
}

/** Reports whether nothing is known of the sizes of the region: a class has none, and nothing is wrong with the class. The next decision asks Azure again. */
function isCatalogMissing({ instanceTypes, sizeProblems }: DecisionInput): boolean {
  return [...instanceTypes].some(([name, types]) => types.length === 0 && sizeProblems?.has(name) !== true)
}

/**
 * What each decision repeats while it has no effect. Events tell what is refused. The other two need rights that an older chart does not give. Where
 * they are written, the log has something new. If a process ends before it writes them, they can wait for the end of the rest.
 */
const REPEATED: ReadonlySet<Action['kind']> = new Set(['publish', 'holdNodeClass', 'annotateNodePool'])

function endsNoRest({ kind }: Action): boolean {
  return REPEATED.has(kind)
}

function trustIn({ reasons }: Decision, machines: number): DurationMs {
  // Why a node is not disrupted changes with the cluster, with prices, or at a time that the decision names.
  if (reasons.some(({ code }) => !code.startsWith('DISRUPTION.'))) return TRUST.refusing
  return machines > 0 ? TRUST.withMachines : TRUST.withoutMachines
}

function earlierOf(first: EpochMs, second: EpochMs | undefined): EpochMs {
  return second !== undefined && second < first ? second : first
}

/** Reports whether a claim is not ready, is being deleted, is rebooted, or was ready in an earlier generation only. */
export function isNotReady(claim: NodeClaim): boolean {
  if (claim.meta.deletedAt !== undefined || isOfEarlierGeneration(claim) || isRebooting(claim)) return true
  return !isTrue(claim.status.conditions, ROOT_CONDITION)
}

/**
 * `resting`: another decision would find nothing to do. `stale`: the last decision found nothing to do, but the log has something new, or the time of
 * the rest is over. `restless`: the last decision found something to do, or the ledger or the log cannot be read.
 */
export type RestState = 'resting' | 'stale' | 'restless'

/** Returns whether the cluster is at rest. If in doubt it is restless, since one decision too many does no harm. */
export async function restStateOf({ clock, ledger, log }: RestDeps, signal: AbortSignalLike): Promise<RestState> {
  const asked = await settle(async (): Promise<RestState> => {
    const loaded = await ledger.load(signal)
    if (!loaded.ok) return 'restless'
    if (loaded.value === undefined) return (await isUnheard(log, signal)) ? 'resting' : 'restless'
    const { rest } = loaded.value.value
    if (rest === undefined) return 'restless'
    // A rest that lasts longer than the longest one was written by a process with a wrong clock.
    const left = rest.until - clock.now()
    if (left <= NEARLY_MS || left > TRUST.withoutMachines) return 'stale'
    const { bytes, more } = await log.read(rest.position, signal)
    return bytes === 0 && !more ? 'resting' : 'stale'
  })
  return asked.ok ? asked.value : 'restless'
}

type RestDeps = Pick<ClusterDeps, 'clock' | 'ledger' | 'log'>

/** Reports whether the shim of the cluster never posted anything. Then there is nothing to decide, and the first post asks for a decision. */
async function isUnheard(log: RestDeps['log'], signal: AbortSignalLike): Promise<boolean> {
  const { bytes, more } = await log.read(undefined, signal)
  return bytes === 0 && !more && (await log.loadCheckpoint(signal)) === undefined
}

type Remembered = Pick<Ledger, 'begunMoves' | 'moveRests' | 'extraNodes'>

export function rememberedIn({ begunMoves, moveRests, extraNodes }: Remembered): Remembered {
  return defined({ begunMoves, moveRests, extraNodes })
}

type After = {
  readonly now: EpochMs
  /** The commands after the decision. */
  readonly commands: readonly DisruptionCommand[]
  readonly claims: readonly Pick<NodeClaim, 'name'>[]
}

/** Moves that the ledger remembers for the calm settings. What no decision depends on any more is forgotten. */
export function rememberedAfter(before: Remembered, decided: Decision, { now, commands, claims }: After): Remembered {
  const begun = [...(before.begunMoves ?? []), ...(decided.begunMoves ?? [])].filter((each) => isWithinHour(each, now))
  const rests = [...restsAfter(before.moveRests ?? [], decided.actions, now), ...(decided.moveRests ?? [])]
  const resting = rests.filter((rest) => now < rest.until || isUnderWay(rest, commands))
  const standing = new Set(claims.map(({ name }) => name))
  const extra = [...withoutUndone(before.extraNodes ?? [], decided.actions), ...(decided.extraNodes ?? [])].filter(({ moved }) =>
    moved.some((claim) => standing.has(claim)),
  )
  return defined({ begunMoves: unlessEmpty(begun), moveRests: unlessEmpty(resting), extraNodes: unlessEmpty(extra) })
}

/** The ledger without what is remembered of commands that came to nothing before they moved a pod. Their begin times stay. */
export function withoutMoves(ledger: Ledger, undone: readonly DisruptionCommand[]): Ledger {
  const { moveRests = [], extraNodes = [], ...others } = ledger
  const left = { moveRests: unlessEmpty(without(moveRests, undone)), extraNodes: unlessEmpty(without(extraNodes, undone)) }
  return { ...others, ...defined(left) }
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items
}

/** The input of a decision, with only the objects that are needed to carry the decision out and to report it. */
export type DecisionInput = DecisionContext & { readonly objects: Pick<ClusterSnapshot['objects'], 'node' | 'nodeClaim' | 'nodePool'> }

export function decisionInputOf(context: DecisionContext, state: ClusterState): DecisionInput {
  return { ...context, objects: { node: state.list('node'), nodeClaim: state.list('nodeClaim'), nodePool: state.list('nodePool') } }
}
