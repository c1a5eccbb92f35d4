import { vi } from 'vitest'

/** A wait this long counts as hung. It does not measure speed: test machines are shared. vitest.config.ts has the same for `expect.poll`. */
export const HANGS_AFTER_MS = 60_000

/** Repeats `look` until it no longer throws, and returns its result. Throws the last error of `look` on timeout. */
export function eventually<Seen>(look: () => Seen | Promise<Seen>): Promise<Seen> {
  return vi.waitFor(look, { timeout: HANGS_AFTER_MS, interval: 10 })
}

/** Repeats `look` until it returns something other than undefined. */
export function untilFound<Found>(look: () => Found | undefined | Promise<Found | undefined>): Promise<Found> {
  return eventually(async () => {
    const found = await look()
    if (found === undefined) throw new Error('it never came')
    return found
  })
}
