/** Exit codes of a process whose worker is dead. Its parent starts it again, as the platform's host starts a worker again. */
export const EXIT_TIMED_OUT = 75
export const EXIT_WORKER_DIED = 76
/** The exit code of the parent after too many deaths. */
export const EXIT_HOST_ENDED = 77

/** A worker that dies a second time waits for its turn, 4 to 9 s as measured: the longer one counts. */
const FIRST_MS = 600
const LATER_MS = 9_000
const MOST_DEATHS = 3
/** Deaths that are further apart are not counted together. */
const APART_MS = 30 * 60_000

export type WorkerRestarts = {
  /** Says that the worker died. Returns how long the platform takes to have another one, and whether the host ends, too. */
  died(nowMs: number): { readonly waitMs: number; readonly hostEnds: boolean }
}

/** The restarts of a worker by one host. The third death within half an hour ends the host. */
export function createWorkerRestarts(): WorkerRestarts {
  let deaths = 0
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    died(nowMs) {
      deaths = nowMs - lastMs > APART_MS ? 1 : deaths + 1
      lastMs = nowMs
      const hostEnds = deaths === MOST_DEATHS
      if (hostEnds) deaths = 0
      return { waitMs: deaths === 1 ? FIRST_MS : LATER_MS, hostEnds }
    },
  }
}
