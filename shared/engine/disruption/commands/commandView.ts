import type { CommandCandidate, DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { isEnding, type StateNode } from '../../cluster/stateNode.ts'

/** What the steps of commands read. */
export type CommandView = {
  readonly snapshot: FleetSnapshot
  readonly machineOf: (claim: NodeClaimName) => StateNode | undefined
  /** Reports whether the claim is decided and the watch has not shown it yet. */
  readonly isDrafted: (claim: NodeClaimName) => boolean
}

/** Machines are looked up only where moves are under way. */
export function createCommandView(snapshot: FleetSnapshot): CommandView {
  const wanted = new Set(
    snapshot.commands.flatMap(({ candidates, replacements }) => [...candidates.map(({ claim }) => claim), ...replacements]),
  )
  const machines = new Map<NodeClaimName, StateNode>()
  if (wanted.size > 0) {
    for (const machine of snapshot.fleet.all()) {
      if (machine.claim !== undefined && wanted.has(machine.claim.name)) machines.set(machine.claim.name, machine)
    }
  }
  const drafted = new Set(snapshot.drafts.map(({ name }) => name))
  return { snapshot, machineOf: (claim) => machines.get(claim), isDrafted: (claim) => drafted.has(claim) }
}

/** The candidates that exist and are not ending. A candidate that vanishes does not stop the others. */
export function remainingCandidates({ candidates }: DisruptionCommand, { machineOf }: CommandView): readonly CommandCandidate[] {
  return candidates.filter(({ claim: name, uid }) => {
    const claim = machineOf(name)?.claim
    return claim !== undefined && claim.meta.uid === uid && !isEnding(claim)
  })
}
