/** What one rule finds of the machines of a cluster. A look asks the rule about few of them. */
import type { EpochMs } from '../../model/units.ts'
import type { Fleet } from './fleet.ts'
import type { StateNode } from './stateNode.ts'

/** What the rule says of one machine: something to act on now, or else the time from which on it may say something else. */
export type Finding<Found> = {
  readonly found?: Found
  readonly until?: EpochMs
  /** A time that a look is worth. Absent: the look that comes after `until` is soon enough. */
  readonly wakeAt?: EpochMs
}

export type Findings<Found> = {
  readonly found: readonly Found[]
  /** The earliest time at which the rule may find something else while nothing changes, and which a look is worth. */
  readonly wakeAt?: EpochMs
}

type Kept = Pick<Finding<unknown>, 'until' | 'wakeAt'>

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
  let followed: Followed | undefined
  /** Machines that were found, or whose time will come. */
  const kept = new Map<string, Kept>()

  function* asked({ fleet, takeChanged }: Followed, now: EpochMs, again?: (machine: StateNode) => boolean): Iterable<string> {
    yield* takeChanged()
    for (const [id, { until }] of kept) if (until === undefined || until <= now) yield id
    if (again === undefined) return
    for (const id of fleet.ids()) {
      const machine = fleet.get(id)
      if (machine !== undefined && again(machine)) yield id
    }
  }

  return (fleet, now, rule, again) => {
    if (fleet !== followed?.fleet) {
      followed = { fleet, takeChanged: fleet.follow() }
      kept.clear()
    }
    const found: Found[] = []
    for (const id of new Set(asked(followed, now, again))) {
      kept.delete(id)
      const machine = fleet.get(id)
      const finding = machine === undefined ? {} : rule(machine)
      if (finding.found !== undefined) {
        found.push(finding.found)
        kept.set(id, FOUND)
      } else if (finding.until !== undefined) kept.set(id, finding)
    }
    const wakeAt = earliest(kept.values())
    return wakeAt === undefined ? { found } : { found, wakeAt }
  }
}

type Followed = { readonly fleet: Fleet; readonly takeChanged: ReturnType<Fleet['follow']> }

/** Asked about at each look: what was found is acted on until it is no longer found. */
const FOUND: Kept = {}

function earliest(kept: Iterable<Kept>): EpochMs | undefined {
  let least: EpochMs | undefined
  for (const { wakeAt } of kept) if (wakeAt !== undefined && (least === undefined || wakeAt < least)) least = wakeAt
  return least
}
