import { describe, expect, it } from 'vitest'
import { createBudgets } from './deadline.ts'

/** A process whose steps come when the test says so. */
function scene() {
  let now = 1_000
  let step: (() => void) | undefined
  const budgetOf = createBudgets(60_000, {
    now: () => now,
    start(called) {
      step = called
      return () => {
        step = undefined
      }
    },
  })
  return {
    budgetOf,
    isStepping: () => step !== undefined,
    /** Lets time pass in which the process runs. */
    run(ms: number): void {
      for (let left = ms; left > 0; left -= 1_000) {
        now += Math.min(left, 1_000)
        step?.()
      }
    },
    /** Lets time pass in which the process is stopped. */
    freeze: (ms: number) => void (now += ms),
  }
}

describe('a budget', () => {
  it('is over after its time, and says so', () => {
    const { budgetOf, run, isStepping } = scene()
    const budget = budgetOf()
    run(59_000)
    expect(budget.aborted).toBe(false)
    run(1_000)
    expect(budget.reason).toMatchObject({ name: 'TimeoutError', message: 'the work took longer than 60000 ms' })
    expect(isStepping(), 'without budgets nothing is counted').toBe(false)
  })

  it('counts only five seconds of a time in which its process was stopped, however long that was', () => {
    const { budgetOf, run, freeze } = scene()
    const budget = budgetOf()
    run(30_000)
    for (let times = 0; times < 3; times++) {
      freeze(3_600_000)
      run(1_000)
    }
    run(14_000)
    expect(budget.aborted).toBe(false)
    run(1_000)
    expect(budget.aborted).toBe(true)
  })

  it('counts from its own begin, also after a time without budgets', () => {
    const { budgetOf, run, freeze } = scene()
    const first = budgetOf()
    run(40_000)
    const second = budgetOf()
    run(20_000)
    expect([first.aborted, second.aborted]).toEqual([true, false])
    run(40_000)
    freeze(600_000)
    const third = budgetOf()
    run(59_000)
    expect([second.aborted, third.aborted]).toEqual([true, false])
  })
})
