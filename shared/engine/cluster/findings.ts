/** What one rule finds among the machines of a cluster. A look evaluates the rule for few of them. */
import { type EpochMs, epochMs } from '../../model/units.ts'
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

type Waiting = { readonly until: EpochMs; readonly wakeAt: EpochMs | undefined }

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
  /** Machines whose time is still to come. */
  const waiting = createWaiting()
  /** Machines that were found. Each is evaluated at each look: it is acted on until it is no longer found. */
  let foundBefore: readonly string[] = []

  function* asked({ fleet, takeChanged }: Followed, now: EpochMs, again?: (machine: StateNode) => boolean): Iterable<string> {
    yield* takeChanged()
    yield* foundBefore
    yield* waiting.due(now)
    if (again === undefined) return
    for (const id of fleet.ids()) {
      const machine = fleet.get(id)
      if (machine !== undefined && again(machine)) yield id
    }
  }

  return (fleet, now, rule, again) => {
    if (fleet !== followed?.fleet) {
      followed = { fleet, takeChanged: fleet.follow() }
      waiting.clear()
      foundBefore = []
    }
    const found: Found[] = []
    const ids: string[] = []
    for (const id of new Set(asked(followed, now, again))) {
      const machine = fleet.get(id)
      const finding = machine === undefined ? {} : rule(machine)
      if (finding.found !== undefined) {
        found.push(finding.found)
        ids.push(id)
      }
      if (finding.found !== undefined || finding.until === undefined) waiting.delete(id)
      else waiting.set(id, { until: finding.until, wakeAt: finding.wakeAt })
    }
    foundBefore = ids
    const wakeAt = waiting.wakeAt()
    return wakeAt === undefined ? { found } : { found, wakeAt }
  }
}

type Followed = { readonly fleet: Fleet; readonly takeChanged: ReturnType<Fleet['follow']> }

/** Machines with the time from which their result may be another. All are looked at only after the one with the earliest time has gone. */
function createWaiting() {
  const all = new Map<string, Waiting>()
  /** The earliest times of all machines. Undefined if they are to be found. */
  let earliest: { readonly until: number; readonly wakeAt: number } | undefined

  function find(): { readonly until: number; readonly wakeAt: number } {
    let [until, wakeAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const each of all.values()) {
      until = Math.min(until, each.until)
      wakeAt = Math.min(wakeAt, each.wakeAt ?? wakeAt)
    }
    return { until, wakeAt }
  }

  function forget(before: Waiting | undefined): void {
    if (before === undefined || earliest === undefined) return
    if (before.until <= earliest.until || before.wakeAt === earliest.wakeAt) earliest = undefined
  }

  function now(): { readonly until: number; readonly wakeAt: number } {
    earliest ??= find()
    return earliest
  }

  return {
    *due(at: EpochMs): Iterable<string> {
      if (now().until > at) return
      for (const [id, { until }] of all) if (until <= at) yield id
    },
    wakeAt(): EpochMs | undefined {
      const { wakeAt } = now()
      return Number.isFinite(wakeAt) ? epochMs(wakeAt) : undefined
    },
    set(id: string, one: Waiting): void {
      const before = all.get(id)
      // Most machines that change wait for the same time as before.
      if (before !== undefined && before.until === one.until && before.wakeAt === one.wakeAt) return
      forget(before)
      all.set(id, one)
      if (earliest === undefined) return
      earliest = { until: Math.min(earliest.until, one.until), wakeAt: Math.min(earliest.wakeAt, one.wakeAt ?? earliest.wakeAt) }
    },
    delete(id: string): void {
      forget(all.get(id))
      all.delete(id)
    },
    clear(): void {
      all.clear()
      earliest = undefined
    },
  }
}
