export function residentMebibytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss / 2 ** 20
}

/** Returns the wall time of the work in milliseconds. */
export async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Returns the processor time of the work in milliseconds. */
export async function processorTime(work: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
