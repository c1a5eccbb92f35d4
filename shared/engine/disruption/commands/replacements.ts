import { isTrue } from '../../../model/condition.ts'
import type { Action, RemoveReplacement } from '../../../model/decision.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { isReschedulable } from '../../pod/podPredicates.ts'
import type { CommandView } from './commandView.ts'

/** How far the replacements of a move have come. */
type Progress = {
  /** Replacements that were initialized at some time, in the order of the command. */
  readonly ready: readonly NodeClaimName[]
  /** A replacement that will not come, or has gone again. Undefined if there is none. */
  readonly lost?: NodeClaimName
}

export function progressOf({ replacements, ready = [] }: DisruptionCommand, { machineOf, isDrafted }: CommandView): Progress {
  const lost = replacements.find((name) => {
    const claim = machineOf(name)?.claim
    return claim === undefined ? !isDrafted(name) : claim.meta.deletedAt !== undefined
  })
  const initialized = replacements.filter(
    (name) => ready.includes(name) || isTrue(machineOf(name)?.claim?.status.conditions ?? [], 'Initialized'),
  )
  return lost === undefined ? { ready: initialized } : { ready: initialized, lost }
}

/** Removes replacements of a failed move. A replacement stays if it is initialized, has pods, or was promised to a pod outside the move. */
export function abandoned(
  { id, replacements, candidates }: DisruptionCommand,
  { snapshot, machineOf }: CommandView,
): readonly RemoveReplacement[] {
  const moving = new Set(candidates.flatMap(({ pods }) => pods.map(({ uid }) => uid)))
  const awaited = new Set(snapshot.nominations.filter(({ pod }) => !moving.has(pod)).map(({ claim }) => claim))
  return replacements.flatMap((name) => {
    const machine = machineOf(name)
    const claim = machine?.claim
    if (machine === undefined || claim === undefined || claim.meta.deletedAt !== undefined || awaited.has(name)) return []
    if (isTrue(claim.status.conditions, 'Initialized') || machine.pods.some(isReschedulable)) return []
    return [{ kind: 'removeReplacement', claim: name, uid: claim.meta.uid, command: id } as const]
  })
}

/** Events about replacements that are on their way, with Karpenter's event reasons. */
export function reportWaiting(
  { reason, replacements }: DisruptionCommand,
  ready: readonly NodeClaimName[],
  { machineOf }: CommandView,
): readonly Action[] {
  return replacements.flatMap((name): readonly Action[] => {
    const claim = machineOf(name)?.claim
    if (claim === undefined || ready.includes(name)) return []
    const event = { subject: { kind: 'nodeClaim', name }, uid: claim.meta.uid, type: 'Normal' } as const
    return [
      { kind: 'publish', event: { ...event, reason: 'DisruptionLaunching', message: `Launching NodeClaim: ${reason}` } },
      {
        kind: 'publish',
        event: { ...event, reason: 'DisruptionWaitingReadiness', message: 'Waiting on readiness to continue disruption' },
      },
    ]
  })
}
