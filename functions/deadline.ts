/** Far below the host's function timeout, which would end every invocation of the process, not only the slow one. */
export const WORK_BUDGET_MS = 60_000

/** The time one invocation may take: flows stop at their next wait once it is over, and the message comes back. */
export function workBudget(): AbortSignal {
  return AbortSignal.timeout(WORK_BUDGET_MS)
}
