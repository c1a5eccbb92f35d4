import { canonicalJson } from '../../base/canonicalJson.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { OfferingStore } from '../../ports/offeringStore.ts'
import type { Connection } from './connection.ts'

/** Unavailable offerings by their scope as canonical JSON. */
export type OfferingTruth = Map<string, UnavailableOffering>

export function createMemoryOfferingStore(truth: OfferingTruth, connection: Connection): OfferingStore {
  return {
    unavailable: (now, signal) =>
      connection.read('offerings.unavailable', 'offerings', signal, () => [...truth.values()].filter((offering) => offering.until > now)),
    mark: (offerings, _now, signal) =>
      connection.write('offerings.mark', 'offerings', signal, () => {
        for (const offering of offerings) {
          const key = canonicalJson(offering.scope)
          const known = truth.get(key)
          if (known === undefined || known.until < offering.until) truth.set(key, offering)
        }
      }),
  }
}
