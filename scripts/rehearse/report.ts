import { messageOf } from '../../shared/base/result.ts'

// The report of a rehearsal: a line for each step, with its result.

export type Step = { readonly ok: boolean; readonly mode: string; readonly name: string; readonly shown: string; readonly ms: number }

export interface Report {
  /** Runs a step and prints its line. Rejects with the error of the step. */
  step<Value>(mode: string, name: string, run: () => Promise<readonly [shown: string, value: Value]>): Promise<Value>
  /** Prints what was not rehearsed, and how to rehearse it. */
  skip(mode: string, name: string, why: string): void
  readonly steps: readonly Step[]
  /** `8 steps went well, 0 failed, 1 was not rehearsed`. */
  summary(): string
}

export function createReport(print: (line: string) => void, now: () => number): Report {
  const steps: Step[] = []
  let skipped = 0
  const add = (step: Step): void => {
    steps.push(step)
    const [first = '', ...more] = step.shown.split('\n')
    print(`${step.ok ? 'ok  ' : 'FAIL'} ${step.mode.padEnd(8)} ${step.name}: ${first} (${(step.ms / 1000).toFixed(1)} s)`)
    for (const line of more) print(`                ${line}`)
  }
  return {
    steps,
    async step(mode, name, run) {
      const from = now()
      try {
        const [shown, value] = await run()
        add({ ok: true, mode, name, shown, ms: now() - from })
        return value
      } catch (cause) {
        add({ ok: false, mode, name, shown: messageOf(cause), ms: now() - from })
        throw cause
      }
    },
    skip(mode, name, why) {
      skipped += 1
      print(`skip ${mode.padEnd(8)} ${name}: ${why}`)
    },
    summary() {
      const failed = steps.filter(({ ok }) => !ok).length
      const missing = skipped === 0 ? '' : `, ${skipped} ${skipped === 1 ? 'was' : 'were'} not rehearsed`
      return `${steps.length - failed} steps went well, ${failed} failed${missing}`
    },
  }
}
