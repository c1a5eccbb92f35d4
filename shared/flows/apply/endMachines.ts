import { byText } from '../../base/order.ts'
import { backOffOf, FIRST_REST } from '../../engine/disruption/commands/backOff.ts'
import type { Action, DeleteClaim } from '../../model/decision.ts'
import type { BackOff, DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doEach } from '../deps/doEach.ts'
import type { Committed, Progress } from '../ledger/committed.ts'
import { withoutMoves } from '../ledger/rememberedMoves.ts'
import { measureFailed } from '../reports/commandMetrics.ts'
import { disruptClaim } from './disruptClaim.ts'
import { endForcefully } from './endForcefully.ts'
import { untaintCandidate } from './markCandidate.ts'
import { removeReplacement } from './removeReplacement.ts'

type End = Extract<
  Action,
  { readonly kind: 'deleteClaim' | 'expireClaim' | 'scaleDownClaim' | 'repairClaim' | 'openNode' | 'removeReplacement' }
>

/** Deletes claims, and untaints nodes that stay. A command without replacements ends if live objects do not allow it. */
export async function endMachines(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<Progress> {
  const { decided, ledger } = committed
  for (const action of decided.actions) if (action.kind === 'endCommand') reportEndedCommand(deps, action)
  const held = new Set<NodeClaimName>()
  const raced = new Set<NodeClaimName>()
  const isDone = await doEach(deps, decided.actions.filter(isEnd), nameOf, async (action) => {
    if (action.kind !== 'deleteClaim') return end(deps, action, signal)
    const outcome = await disruptClaim(deps, committed.caughtUp.state, { action, command: moveOf(action, ledger.commands) }, signal)
    if (outcome === 'again') raced.add(action.claim)
    else if (outcome !== undefined) held.add(action.claim)
  })
  return { ledger: withoutHeld(ledger, held, deps.clock.now()), isDone: isDone && raced.size === 0 }
}

/** The command that the deletion belongs to. The ledger has a command for each deletion. */
function moveOf({ claim, uid }: DeleteClaim, commands: readonly DisruptionCommand[]): Pick<DisruptionCommand, 'id' | 'method'> {
  const found = commands.find(({ candidates }) => candidates.some((each) => each.claim === claim && each.uid === uid))
  return found ?? { id: claim, method: 'delete' }
}

function withoutHeld(ledger: Committed['ledger'], held: ReadonlySet<NodeClaimName>, now: BackOff['failedAt']): Committed['ledger'] {
  const isOver = ({ method, candidates }: DisruptionCommand): boolean =>
    method === 'delete' && candidates.some(({ claim }) => held.has(claim))
  const over = ledger.commands.filter(isOver).sort((first, second) => byText(first.id, second.id))
  if (over.length === 0) return ledger
  const rests = over.reduce<readonly BackOff[]>(
    (all, command) => [...all, backOffOf(command, all, now, FIRST_REST.refused)],
    ledger.backOffs,
  )
  return { ...withoutMoves(ledger, over), commands: ledger.commands.filter((command) => !isOver(command)), backOffs: rests }
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

const ENDS: ReadonlySet<Action['kind']> = new Set<End['kind']>([
  'deleteClaim',
  'expireClaim',
  'scaleDownClaim',
  'repairClaim',
  'openNode',
  'removeReplacement',
])

function isEnd(action: Action): action is End {
  return ENDS.has(action.kind)
}

function nameOf({ kind, claim }: End): string {
  return kind === 'openNode' ? `the opening of the node of nodeclaim ${claim}` : `the end of nodeclaim ${claim}`
}

function end(deps: ClusterDeps, action: Exclude<End, { readonly kind: 'deleteClaim' }>, signal: AbortSignalLike): Promise<void> {
  switch (action.kind) {
    case 'expireClaim':
    case 'scaleDownClaim':
    case 'repairClaim':
      return endForcefully(deps, action, signal)
    case 'openNode':
      return untaintCandidate(deps, action, signal)
    case 'removeReplacement':
      return removeReplacement(deps, action, signal)
  }
}
