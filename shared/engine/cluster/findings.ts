/** What one rule finds of the machines of a cluster. A look asks the rule about few of them. */
import type { EpochMs } from '../../model/units.ts'
import type { Fleet } from './fleet.ts'
import type { StateNode } from './stateNode.ts'

/** What the rule says of one machine: something to act on now, or else the time from which on it may say something else. */
export type Finding<Found> = { readonly found?: Found; readonly until?: EpochMs }

export type Findings<Found> = {
  readonly found: readonly Found[]
  /** The earliest time at which the rule may find something else while nothing changes. */
  readonly wakeAt?: EpochMs
}

type Kept = Pick<Finding<unknown>, 'until'>

/**
 * Asks the rule about machines that changed since the last look, about machines whose time has come, about machines of the last look that were
 * found, and where `again` holds. Each time the rule has to follow from the machine, from the time, and from what makes `again` hold when it changes.
 */
export function createFindings<Found>(): (
  fleet: Fleet,
  now: EpochMs,
  rule: (machine: StateNode) => Finding<Found>,
  again?: (machine: StateNode) => boolean,
) => Findings<Found> {
  let followed: Fleet | undefined
  let takeChanged: () => ReadonlyMap<string, StateNode | undefined> = () => new Map()
  const machines = new Map<string, StateNode>()
  /** Machines that were found, or whose time will come. */
  const kept = new Map<string, Kept>()

  return (fleet, now, rule, again) => {
    if (fleet !== followed) {
      followed = fleet
      takeChanged = fleet.follow()
      machines.clear()
      kept.clear()
    }
    const asked = new Set<string>()
    for (const [id, machine] of takeChanged()) {
      if (machine === undefined) machines.delete(id)
      else machines.set(id, machine)
      asked.add(id)
    }
    for (const [id, { until }] of kept) if (until === undefined || until <= now) asked.add(id)
    if (again !== undefined) for (const [id, machine] of machines) if (again(machine)) asked.add(id)
    const found: Found[] = []
    for (const id of asked) {
      kept.delete(id)
      const machine = machines.get(id)
      if (machine === undefined) continue
      const finding = rule(machine)
      if (finding.found !== undefined) found.push(finding.found)
      if (finding.found !== undefined) kept.set(id, FOUND)
      else if (finding.until !== undefined) kept.set(id, finding)
    }
    const wakeAt = earliest(kept.values())
    return wakeAt === undefined ? { found } : { found, wakeAt }
  }
}

/** Asked about at each look: what was found is acted on until it is no longer found. */
const FOUND: Kept = {}

function earliest(kept: Iterable<Kept>): EpochMs | undefined {
  let least: EpochMs | undefined
  for (const { until } of kept) if (until !== undefined && (least === undefined || until < least)) least = until
  return least
}
