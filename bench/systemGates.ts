import type { Spread } from './quantiles.ts'
import { type Calls, sumOf } from './systemCalls.ts'

/** What one step of the load took. */
export type StepFigures = {
  readonly pods: number
  readonly firstClaimMs: number
  readonly lastClaimMs: number
  readonly claims: number
  readonly runningMs: number
  readonly machines: number
  /** Of the app's host and the shim together. */
  readonly cpuMs: number
  /** Resident, of the app's host and of the shim. */
  readonly mebibytes: readonly number[]
  /** Of the app at the API server, but for events about pods. */
  readonly calls: Calls
  /** Executions of functions, by name; `looks` at claims, also those that no function was executed for. */
  readonly runs: Calls
  readonly decisionToArmMs: Spread
  readonly readyToInitializedMs: Spread
}

export type GateRow = { readonly figure: string; readonly measured: number; readonly gate: number; readonly aim: number }

/** The figures of a step beside what they are held to. Those of time are meant for a machine that does nothing else. */
export function gateRows(step: StepFigures, floorMs: number): readonly GateRow[] {
  const { claims, runs, decisionToArmMs, readyToInitializedMs } = step
  const [app = 0, shim = 0] = step.mebibytes
  const each = (count: number): number => (claims === 0 ? 0 : rounded(count / claims))
  return [
    { figure: 'last pod runs, as a multiple of the floor', measured: rounded(step.runningMs / floorMs), gate: 1.6, aim: 1.15 },
    { figure: 'decision to first ARM call, p50, ms', measured: decisionToArmMs.p50, gate: 500, aim: 200 },
    { figure: 'decision to first ARM call, most, ms', measured: decisionToArmMs.max, gate: 3_000, aim: 1_000 },
    { figure: 'node ready to Initialized, p50, ms', measured: readyToInitializedMs.p50, gate: 1_000, aim: 300 },
    { figure: 'API calls a claim', measured: each(sumOf(step.calls)), gate: 25, aim: 12 },
    { figure: 'looks at a claim', measured: each(runs['looks'] ?? 0), gate: 5, aim: 3 },
    { figure: 'processor time of app and shim, s', measured: rounded(step.cpuMs / 1_000), gate: 7, aim: 4 },
    { figure: 'memory of the app, MiB', measured: app, gate: 300, aim: 200 },
    { figure: 'memory of the shim, MiB', measured: shim, gate: 90, aim: 64 },
    ...(step.pods === 1_000 ? [{ figure: 'machines for 1,000 pods', measured: step.machines, gate: 170, aim: 167 }] : []),
  ]
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
