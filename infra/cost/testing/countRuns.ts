import type { ClusterActivity, DayRuns } from '../../../cli/cost/dayRuns.ts'
import { decisionsBetweenRuns, dueAt, patienceAtRest, type Schedule, type Schedules } from '../../../functions/schedules.ts'
import { TRUST } from '../../../shared/flows/ledger/rest.ts'
import { type EpochMs, epochMs, later } from '../../../shared/model/units.ts'

const TRUSTED = { empty: TRUST.withoutMachines, quiet: TRUST.withMachines, refusing: TRUST.refusing }

type Runs = DayRuns & { readonly catalog: number }

/** Counts what the app does by itself between two instants, with the app's own code. */
export function countRuns(schedules: Schedules, activity: ClusterActivity, from: EpochMs, to: EpochMs): Runs {
  let [timer, decisions] = [0, 0]
  let restsUntil = from
  for (let at = schedules.resync.next(epochMs(from - 1)); at < to; at = schedules.resync.next(at)) {
    timer++
    if (activity === 'busy') decisions += 1 + decisionsBetweenRuns(schedules, at).length
    else if (at >= restsUntil) {
      decisions++
      restsUntil = later(at, TRUSTED[activity])
    }
  }
  return {
    timer,
    decisions,
    gc: countDue(schedules, schedules.gc, { from, to, isAtRest: activity !== 'busy' }),
    catalog: countDue(schedules, schedules.catalog, { from, to, isAtRest: false }),
  }
}

/** Counts the runs of a schedule. Work is done by the first run of the timer after it is due. */
function countDue({ resync }: Schedules, schedule: Schedule, { from, to, isAtRest }: Span): number {
  let count = 0
  for (let at = resync.next(epochMs(from - 1)); at < to; count++) {
    const due = dueAt(schedule, at, 0) + (isAtRest ? patienceAtRest(schedule, at) : 0)
    at = resync.next(epochMs(due - 1))
  }
  return count
}

type Span = { readonly from: EpochMs; readonly to: EpochMs; readonly isAtRest: boolean }
