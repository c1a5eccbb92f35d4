import { settle } from '../../../base/concurrency.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { Instance } from '../../../model/instance.ts'
import { Fault } from '../../../model/problem.ts'
import type { AbortSignalLike, Clock } from '../../../ports/clock.ts'

/** How old a list may be that answers a look. It adds to the time after which the failure of a machine is found. */
const RECENT_MS = 2_000
/** So many looks within that time are cheaper one by one. */
const FEW_LOOKS = 2

export type RecentMachinesDeps = {
  readonly clock: Pick<Clock, 'now'>
  readonly list: (signal: AbortSignalLike) => Promise<{ readonly instances: readonly Instance[]; readonly pages: number }>
  readonly get: (claim: NodeClaimName, signal: AbortSignalLike) => Promise<Instance | undefined>
}

type Listed = { readonly at: number; readonly alive: ReadonlyMap<NodeClaimName, Instance> }

/**
 * Looks at machines that are being made. If more looks come within two seconds than a list has pages, one list answers them all. A list is only
 * believed about a machine that it shows as being made or running. It may not show a new machine yet, and may show the machine of an earlier try. So
 * a machine that it does not show, or shows as failed or going, is asked for by itself.
 */
export function createRecentMachines({ clock, list, get }: RecentMachinesDeps) {
  let looks: readonly number[] = []
  let listed: Listed | undefined
  let listing: Promise<Listed | undefined> | undefined
  let pages = 1

  /** Undefined if Azure does not list. Each look then asks for its own machine, and so has an answer or a Fault of its own. */
  async function listNow(signal: AbortSignalLike): Promise<Listed | undefined> {
    const read = await settle(() => list(signal))
    if (!read.ok && !(read.error instanceof Fault) && !signal.aborted) throw read.error
    if (!read.ok) return undefined
    pages = read.value.pages
    const alive = read.value.instances.filter(({ state }) => state.kind === 'creating' || state.kind === 'running')
    return { at: clock.now(), alive: new Map(alive.map((each) => [each.claim, each])) }
  }

  async function listOnce(signal: AbortSignalLike): Promise<Listed | undefined> {
    listing ??= listNow(signal)
    const mine = listing
    try {
      listed = await mine
      return listed
    } finally {
      if (listing === mine) listing = undefined
    }
  }

  return async (claim: NodeClaimName, signal: AbortSignalLike): Promise<Instance | undefined> => {
    const now = clock.now()
    looks = [...looks.filter((at) => at > now - RECENT_MS), now]
    if (listed !== undefined && listed.at <= now - RECENT_MS) listed = undefined
    const isMany = looks.length > Math.max(FEW_LOOKS, pages)
    const shown = listed ?? (isMany || listing !== undefined ? await listOnce(signal) : undefined)
    return shown?.alive.get(claim) ?? get(claim, signal)
  }
}
