import { mapBounded, settle } from '../../base/concurrency.ts'
import { defined, isSame } from '../../base/values.ts'
import { commandDeadline, isRemembered } from '../../engine/disruption/commands/moveRests.ts'
import type { Action, Decision, DeleteClaim } from '../../model/decision.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { type ClusterId, nodePoolName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import { type Intent, intentName, LEDGER_SCHEMA, type Ledger } from '../../model/ledger.ts'
import { nodeNameOf } from '../../model/nodeClaim.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { CALLS_AT_ONCE, type ClusterDeps, logRefused, problemOf } from '../deps/clusterDeps.ts'
import type { CaughtUp } from '../state/catchUp.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { reportRefusedIntent } from './refusals.ts'
import { type DecisionInput, rememberedAfter, restOf } from './rest.ts'

export type Deciding = Omit<Committed, 'etag'> & {
  /** Time of the earliest event that the decision answers. */
  readonly heardAt: EpochMs
  readonly startedAt: EpochMs
}

/** The ledger after a decision. It is the same object if there is nothing to write, so a decision that does nothing costs no write. */
export function nextLedger({ ledger, snapshot, decided, decideMs, caughtUp, heardAt, startedAt }: Deciding): Ledger {
  const { rest: before, provisioningCursor: from, schedulerRefusals: known, ...others } = ledger
  const { provisioningCursor, schedulerRefusals } = decided
  const lasting = defined({ ...others, provisioningCursor, schedulerRefusals })
  if (!decided.actions.some(({ kind }) => WRITTEN_AHEAD.has(kind))) {
    const rest = restOf({ snapshot, decided, ledger, position: caughtUp.position })
    if (rest !== undefined) return { ...lasting, rest }
    return before === undefined && isSame(from, provisioningCursor) && isSame(known, schedulerRefusals) ? ledger : lasting
  }
  const creates = decided.actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
  const until = later(snapshot.takenAt, snapshot.settings.registrationTimeout)
  const promised = creates.flatMap((action) => action.pods.map((pod) => ({ pod: pod.uid, claim: action.draft.name, until })))
  const look = { heardAt, startedAt, decideMs: durationMs(decideMs) }
  const renewed = new Set(promised.map((nomination) => nomination.pod))
  const ended = decided.actions.flatMap((action) => (action.kind === 'endCommand' ? [action] : []))
  const over = new Set<string | undefined>(ended.map(({ command }) => command.id))
  const commands = nextCommands(ledger.commands, decided.actions, snapshot)
  return {
    schema: LEDGER_SCHEMA,
    cluster: ledger.cluster,
    epoch: ledger.epoch + 1,
    decisions: snapshot.decision,
    intents: [
      // A replacement that was never created is dropped with its command.
      ...ledger.intents.filter(
        ({ action: { command }, createdAt }) => command === undefined || createdAt !== undefined || !over.has(command),
      ),
      ...creates.map((action) => ({ action, decision: snapshot.decision, decidedAt: snapshot.takenAt, look })),
    ],
    nominations: [...snapshot.nominations.filter((nomination) => !renewed.has(nomination.pod)), ...promised],
    commands,
    backOffs: [...ledger.backOffs, ...ended.flatMap(({ backOff }) => backOff ?? [])].filter((each) => isRemembered(each, snapshot.takenAt)),
    ...(provisioningCursor === undefined ? {} : { provisioningCursor }),
    ...(schedulerRefusals === undefined ? {} : { schedulerRefusals }),
    ...(snapshot.shortSizes === undefined ? {} : { shortSizes: snapshot.shortSizes }),
    ...(ledger.claimRefusals === undefined ? {} : { claimRefusals: ledger.claimRefusals }),
    ...rememberedAfter(ledger, decided, { now: snapshot.takenAt, commands, claims: snapshot.objects.nodeClaim }),
  }
}

/** The actions that are saved in the ledger before they are carried out. */
const WRITTEN_AHEAD: ReadonlySet<Action['kind']> = new Set<Action['kind']>([
  'createClaim',
  'deleteClaim',
  'expireClaim',
  'scaleDownClaim',
  'repairClaim',
  'rebootClaim',
  'startCommand',
  'keepCommand',
  'endCommand',
  'removeReplacement',
])

/** Commands that go on, in their current form, and commands that start. A deletion without a replacement is a command of its own. */
function nextCommands(
  before: readonly DisruptionCommand[],
  actions: readonly Action[],
  snapshot: DecisionInput,
): readonly DisruptionCommand[] {
  const over = new Set(actions.flatMap((action) => (action.kind === 'endCommand' ? [action.command.id] : [])))
  const kept = new Map(actions.flatMap((action) => (action.kind === 'keepCommand' ? [[action.command.id, action.command] as const] : [])))
  const started = actions.flatMap((action) => (action.kind === 'startCommand' ? [action.command] : []))
  const deletes = actions.flatMap((action) => (action.kind === 'deleteClaim' && action.command === undefined ? [action] : []))
  const queued = [...before, ...started].reduce((sum, { candidates }) => sum + candidates.length, deletes.length)
  const deadline = commandDeadline(snapshot.takenAt, queued)
  return [
    ...before.filter(({ id }) => !over.has(id)).map((command) => kept.get(command.id) ?? command),
    ...started,
    ...deletes.flatMap((action) => moveOf(action, snapshot, deadline)),
  ]
}

function moveOf(
  action: DeleteClaim,
  { objects, decision, settings, takenAt }: DecisionInput,
  deadline: EpochMs,
): readonly DisruptionCommand[] {
  const claim = objects.nodeClaim.find(({ name }) => name === action.claim)
  if (claim === undefined) return []
  const price = action.saves?.price
  const candidate = defined({
    claim: claim.name,
    uid: action.uid,
    node: nodeNameOf(claim, settings.machineNames),
    pool: nodePoolName(claim.meta.labels[LABEL.nodePool] ?? ''),
    price,
    pods: action.pods ?? [],
  })
  const command = {
    id: `${decision}-${claim.name}`,
    reason: action.because,
    method: 'delete' as const,
    candidates: [candidate],
    replacements: [],
    saving: price,
    startedAt: takenAt,
    deadline,
    repair: action.repair,
  }
  return [defined(command)]
}

/** The watch shows a new claim within moments. If it does not within this time, the claim is read live. */
const WATCH_PATIENCE_MS = 10_000

export function emptyLedger(cluster: ClusterId): Ledger {
  return { schema: LEDGER_SCHEMA, cluster, epoch: 0, decisions: 0, intents: [], nominations: [], commands: [], backOffs: [] }
}

/**
 * Compares the intents of the ledger with the cluster. An intent is done once the watch shows its claim. An intent is dropped if its claim was
 * created and is gone again: its pods are planned again. An intent that was never carried out stays, and `carryOutIntents` does it.
 */
export async function resolveIntents(
  deps: ClusterDeps,
  state: ClusterState,
  ledger: Ledger,
  requests: readonly DecideRequest[],
  signal: AbortSignalLike,
): Promise<Ledger> {
  const now = deps.clock.now()
  const lookLive = requests.some(({ because }) => because === 'capacity' || because === 'interruption')
  const isTrusted = ({ createdAt }: Intent): boolean => createdAt === undefined || (!lookLive && now - createdAt < WATCH_PATIENCE_MS)
  const open = ledger.intents.filter((intent) => state.find('nodeClaim', intentName(intent)) === undefined)
  const kept = await mapBounded(open, CALLS_AT_ONCE, async (intent) => isTrusted(intent) || stillThere(deps, state, intent, signal))
  const intents = open.filter((_, index) => kept[index])
  return intents.length === ledger.intents.length ? ledger : { ...ledger, intents }
}

/** Reports whether a claim exists. A claim that cannot be read counts as existing until its launch timeout is over. */
async function stillThere(deps: ClusterDeps, state: ClusterState, intent: Intent, signal: AbortSignalLike): Promise<boolean> {
  const found = await settle(() => deps.api.getClaim(intentName(intent), signal))
  if (found.ok) return found.value !== undefined
  const why = problemOf(found.error)
  const isOver = deps.clock.now() >= later(intent.createdAt ?? intent.decidedAt, deps.settings.launchTimeout)
  if (isOver) await reportRefusedIntent(deps, state, intent, { why, outcome: 'given up' }, signal)
  else logRefused(deps, `the look at nodeclaim ${intentName(intent)}`, why)
  return !isOver
}

/** A decision that may be carried out, because it is saved in the ledger. */
export type Committed = {
  /** The ledger as saved. Its newest intents are the claims of the decision. */
  readonly ledger: Ledger
  readonly etag: string | undefined
  readonly snapshot: DecisionInput
  readonly decided: Decision
  readonly decideMs: number
  readonly caughtUp: CaughtUp
}

/** The outcome of carrying out a part of a decision. */
export type Progress = {
  readonly ledger: Ledger
  /** False if something was refused and must be tried again. */
  readonly isDone: boolean
}
