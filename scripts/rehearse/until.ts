export const PATIENCE_MS = 120_000
const LOOK_EVERY_MS = 200

/** Waits in real time, because the event happens in another process. `problem` returns why it has not happened yet. */
export async function until(what: string, problem: () => Promise<string | undefined>): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const now = await problem()
    if (now === undefined) return
    if (Date.now() > end) throw new Error(`it did not come to pass within ${PATIENCE_MS / 1000} s that ${what}: ${now}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
