export function residentMebibytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss / 2 ** 20
}

/** Milliseconds. */
export async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Milliseconds of this process. */
export async function processorTime(work: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
