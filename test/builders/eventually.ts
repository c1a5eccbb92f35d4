import { vi } from 'vitest'

/** What hangs ends here. No measure of speed: machines that run tests are shared. `expect.poll` has the same in vitest.config.ts. */
export const HANGS_AFTER_MS = 60_000

/** Looks again until the look no longer throws, and gives what it saw; fails with what it threw last. */
export function eventually<Seen>(look: () => Seen | Promise<Seen>): Promise<Seen> {
  return vi.waitFor(look, { timeout: HANGS_AFTER_MS, interval: 10 })
}

/** The same for a look that finds nothing for a while. */
export function untilFound<Found>(look: () => Found | undefined | Promise<Found | undefined>): Promise<Found> {
  return eventually(async () => {
    const found = await look()
    if (found === undefined) throw new Error('it never came')
    return found
  })
}
