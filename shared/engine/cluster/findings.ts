/** What one rule finds among the machines of a cluster. A look evaluates the rule for few of them. */
import type { EpochMs } from '../../model/units.ts'
import type { Fleet } from './fleet.ts'
import type { StateNode } from './stateNode.ts'

/** The result of the rule for one machine: something to act on now, or else the time from which the result may be another. */
export type Finding<Found> = {
  readonly found?: Found
  readonly until?: EpochMs
  /** A time at which a look is needed. Undefined if the next look after `until` is soon enough. */
  readonly wakeAt?: EpochMs
}

export type Findings<Found> = {
  readonly found: readonly Found[]
  /** The earliest time at which a look is needed although nothing changes. Undefined if there is none. */
  readonly wakeAt?: EpochMs
}

type Kept = Pick<Finding<unknown>, 'until' | 'wakeAt'>

/**
 * Evaluates the rule for machines that changed since the last look, machines whose time has come, machines that the last look found, and machines for
 * which `again` holds. The result of the rule may depend only on the machine, on the time, and on things whose changes make `again` hold.
 */
export function createFindings<Found>(): (
  fleet: Fleet,
  now: EpochMs,
  rule: (machine: StateNode) => Finding<Found>,
  again?: (machine: StateNode) => boolean,
) => Findings<Found> {
  let followed: Followed | undefined
  /** Machines that were found, or whose time is still to come. */
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

/** A found machine is evaluated at each look: it is acted on until it is no longer found. */
const FOUND: Kept = {}

function earliest(kept: Iterable<Kept>): EpochMs | undefined {
  let least: EpochMs | undefined
  for (const { wakeAt } of kept) if (wakeAt !== undefined && (least === undefined || wakeAt < least)) least = wakeAt
  return least
}
