/** The limit of a scenario's waits: the time that the requirement gives after a crash, plus room for a busy machine. */
export const PATIENCE_MS = 150_000
/** The limit of a test in the test runner. Several waits can follow each other in one test. */
export const TEST_TIMEOUT_MS = 420_000
/** Each pause is longer than the one before, because looks load API servers that other stacks share. */
const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 300
const GROWTH = 1.2

/** Waits until `missing` returns undefined. The error names what was still missing. */
export async function until(missing: () => Promise<string | undefined> | string | undefined, patienceMs = PATIENCE_MS): Promise<void> {
  const end = Date.now() + patienceMs
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    const now = await missing()
    if (now === undefined) return
    if (Date.now() > end) throw new Error(`after ${patienceMs / 1000} s still: ${now}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
