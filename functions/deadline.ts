/** Far below the host's function timeout, which would end all invocations of the process and not only the slow one. */
export const WORK_BUDGET_MS = 60_000

/** Returns a signal for the time that one invocation may take. When it aborts, flows stop at their next wait, and the message is delivered again. */
export function workBudget(): AbortSignal {
  return AbortSignal.timeout(WORK_BUDGET_MS)
}

/** Resolves after `ms` milliseconds without keeping the process alive. In a race it bounds how long other work is awaited. */
export function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(), { once: true })
  })
}
