/** Far below the host's function timeout, which would end all invocations of the process and not only the slow one. */
export const WORK_BUDGET_MS = 60_000
const STEP_MS = 1_000
/** The most that counts of the time between two steps. More means that the process did not run: the platform may stop it between invocations. */
const MOST_COUNTED_MS = 5_000

type Open = { left: number; readonly end: AbortController }

/** How budgets see time: a clock that never goes back, and a call each `STEP_MS`. `start` returns a function that ends the calls. */
export type Steps = { readonly now: () => number; readonly start: (step: () => void) => () => void }

const STEPS: Steps = {
  now: () => performance.now(),
  start(step) {
    // No budget keeps the process alive.
    const timer = setInterval(step, STEP_MS).unref()
    return () => clearInterval(timer)
  },
}

/**
 * Returns a function that makes budgets: signals that abort after `budgetMs` in which this process ran, exact to about a second. The time of a process
 * that was stopped does not count. Otherwise its work would wake up without time left, and fail as often as it is tried.
 */
export function createBudgets(budgetMs: number, steps: Steps = STEPS): () => AbortSignal {
  const open = new Set<Open>()
  let countedAt = 0
  let stop = (): void => undefined

  function step(): void {
    const passed = Math.min(steps.now() - countedAt, MOST_COUNTED_MS)
    countedAt = steps.now()
    for (const budget of open) {
      budget.left -= passed
      if (budget.left > 0) continue
      open.delete(budget)
      budget.end.abort(new DOMException(`the work took longer than ${budgetMs} ms`, 'TimeoutError'))
    }
    if (open.size === 0) stop()
  }

  return () => {
    const budget: Open = { left: budgetMs, end: new AbortController() }
    if (open.size === 0) {
      countedAt = steps.now()
      stop = steps.start(step)
    }
    open.add(budget)
    return budget.end.signal
  }
}

/** Returns a signal for the time that one invocation may take. When it aborts, flows stop at their next wait, and the message is delivered again. */
export const workBudget: () => AbortSignal = createBudgets(WORK_BUDGET_MS)

/** Resolves after `ms` milliseconds without keeping the process alive. In a race it bounds how long other work is awaited. */
export function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(), { once: true })
  })
}
