/** Far below the host's function timeout, which would end every invocation of the process, not only the slow one. */
export const WORK_BUDGET_MS = 60_000

/** The time one invocation may take: flows stop at their next wait once it is over, and the message comes back. */
export function workBudget(): AbortSignal {
  return AbortSignal.timeout(WORK_BUDGET_MS)
}

/** Resolves after so long, and keeps no process alive for it: what is raced against it takes no longer. */
export function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(), { once: true })
  })
}
