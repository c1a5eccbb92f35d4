/** How long a scenario may take to come to its end: what the requirement gives it after a crash, and room for a busy machine. */
export const PATIENCE_MS = 150_000
/** For the test runner: several waits can follow each other in one test. */
export const TEST_TIMEOUT_MS = 420_000
/** Looks are calls of API servers that other stacks want, too: each pause is longer than the one before. */
const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 300
const GROWTH = 1.2

/** Waits until nothing is missing any more. The error names what was still missing in the end. */
export async function until(missing: () => Promise<string | undefined> | string | undefined, patienceMs = PATIENCE_MS): Promise<void> {
  const end = Date.now() + patienceMs
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    const now = await missing()
    if (now === undefined) return
    if (Date.now() > end) throw new Error(`after ${patienceMs / 1000} s still: ${now}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
