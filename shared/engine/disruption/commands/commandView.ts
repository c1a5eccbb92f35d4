import type { CommandCandidate, DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { Sight } from '../../cluster/sight.ts'
import { isEnding, type StateNode } from '../../cluster/stateNode.ts'

/** What the steps of commands read. */
export type View = {
  readonly sight: Sight
  readonly machineOf: (claim: NodeClaimName) => StateNode | undefined
  /** Reports whether the claim is decided and the watch has not shown it yet. */
  readonly isDrafted: (claim: NodeClaimName) => boolean
}

/** Machines are looked up only where moves are under way. */
export function createView(sight: Sight): View {
  const wanted = new Set(
    sight.commands.flatMap(({ candidates, replacements }) => [...candidates.map(({ claim }) => claim), ...replacements]),
  )
  const machines = new Map<NodeClaimName, StateNode>()
  if (wanted.size > 0) {
    for (const machine of sight.fleet.all()) {
      if (machine.claim !== undefined && wanted.has(machine.claim.name)) machines.set(machine.claim.name, machine)
    }
  }
  const drafted = new Set(sight.drafts.map(({ name }) => name))
  return { sight, machineOf: (claim) => machines.get(claim), isDrafted: (claim) => drafted.has(claim) }
}

/** The candidates that exist and are not ending. A candidate that vanishes does not stop the others. */
export function standingOf({ candidates }: DisruptionCommand, { machineOf }: View): readonly CommandCandidate[] {
  return candidates.filter(({ claim: name, uid }) => {
    const claim = machineOf(name)?.claim
    return claim !== undefined && claim.meta.uid === uid && !isEnding(claim)
  })
}
