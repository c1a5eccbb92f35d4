import { isSame } from '../../base/isSame.ts'
import { isRemembered, withMade, withRefusals } from '../../model/refusalGrowth.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { Connection } from './connection.ts'

export type OfferingTruth = { offerings: readonly UnavailableOffering[] }

export function createMemoryOfferingStore(truth: OfferingTruth, connection: Connection): OfferingStore {
  return {
    unavailable: (now, signal) =>
      connection.read('offerings.unavailable', 'offerings', signal, () => truth.offerings.filter((each) => isRemembered(each, now))),
    mark: (refusals, now, signal) =>
      connection.write('offerings.mark', 'offerings', signal, () => {
        truth.offerings = withRefusals(truth.offerings, refusals, now)
        return truth.offerings.filter(({ scope }) => refusals.some((each) => isSame(each.scope, scope)))
      }),
    made: (made, _now, signal) =>
      connection.write('offerings.made', 'offerings', signal, () => {
        truth.offerings = withMade(truth.offerings, made)
      }),
  }
}
