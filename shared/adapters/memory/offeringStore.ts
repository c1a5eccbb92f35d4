import { type AskedCores, hasRoom, isAsked, withAsked, withoutClaim } from '../../model/askedCores.ts'
import { isRemembered, offeringsKeyOf, withMade, withRefusals } from '../../model/refusalGrowth.ts'
import { isReported, type SizeReport, withReports } from '../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { Connection } from './connection.ts'

export type OfferingTruth = { offerings: readonly UnavailableOffering[]; asked: readonly AskedCores[]; reports: readonly SizeReport[] }

export function createMemoryOfferingStore(truth: OfferingTruth, connection: Connection): OfferingStore {
  return {
    unavailable: (now, signal) =>
      connection.read('offerings.unavailable', 'offerings', signal, () => truth.offerings.filter((each) => isRemembered(each, now))),
    mark: (refusals, now, signal) =>
      connection.write('offerings.mark', 'offerings', signal, () => {
        truth.offerings = withRefusals(truth.offerings, refusals, now)
        const marked = new Set(refusals.map(offeringsKeyOf))
        return truth.offerings.filter((each) => marked.has(offeringsKeyOf(each)))
      }),
    made: (made, _now, signal) =>
      connection.write('offerings.made', 'offerings', signal, () => {
        truth.offerings = withMade(truth.offerings, made)
      }),
    asked: (now, signal) => connection.read('offerings.asked', 'offerings', signal, () => truth.asked.filter((each) => isAsked(each, now))),
    ask: (machine, quota, signal) =>
      connection.write('offerings.ask', 'offerings', signal, () => {
        const asked = truth.asked.filter((each) => isAsked(each, machine.at))
        truth.asked = withAsked(asked, machine, quota)
        return hasRoom(machine, asked, quota)
      }),
    withdraw: (claim, _now, signal) =>
      connection.write('offerings.withdraw', 'offerings', signal, () => {
        truth.asked = withoutClaim(truth.asked, claim)
      }),
    reports: (now, signal) =>
      connection.read('offerings.reports', 'offerings', signal, () => truth.reports.filter((each) => isReported(each, now))),
    report: (reports, now, signal) =>
      connection.write('offerings.report', 'offerings', signal, () => {
        truth.reports = withReports(truth.reports, reports, now)
      }),
  }
}
