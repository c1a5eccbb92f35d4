import type { NetworkInterface } from '@azure/arm-network'
import { createBoundedMap } from '../../../base/caches.ts'
import { canonicalJson } from '../../../base/json.ts'

/**
 * Network interfaces of machines that were refused or throttled, kept for the next try of their claims. An interface belongs to the region, not to a
 * zone, so that it goes with any size that asks for the same interface. An interface for another size is updated.
 */
export interface KeptInterfaces {
  keep(name: string, body: NetworkInterface, id: string): void
  /** The id of the kept interface, if it is as asked for. It is taken once: if the machine cannot use it, the next try asks Azure again. */
  take(name: string, body: NetworkInterface): string | undefined
}

/** As many claims as a process launches at once, and more. The interface of a forgotten one is asked for again. */
const MOST = 2_000

export function createKeptInterfaces(): KeptInterfaces {
  const kept = createBoundedMap<string, { readonly id: string; readonly body: string }>(MOST)
  return {
    keep: (name, body, id) => kept.set(name, { id, body: canonicalJson(body) }),
    take(name, body) {
      const found = kept.get(name)
      kept.delete(name)
      return found?.body === canonicalJson(body) ? found.id : undefined
    },
  }
}
