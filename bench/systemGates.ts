import type { Figure } from './figures.ts'
import type { Spread } from './quantiles.ts'
import { type Calls, sumOf } from './systemCalls.ts'
import type { Scaled } from './systemLoad.ts'

/** The figures of one step of the load. */
export type StepFigures = {
  readonly pods: number
  readonly firstClaimMs: number
  readonly lastClaimMs: number
  readonly claims: number
  readonly runningMs: number
  readonly machines: number
  readonly nodesByPods: Scaled['nodesByPods']
  /** Processor time by process, in seconds. `app` is the worker with the app, `host` its parent. `emulators` are Azure, storage, kubelets and this bench. */
  readonly seconds: { readonly [process: string]: number }
  /** Resident memory of the worker with the app, and of the shim, in MiB. */
  readonly mebibytes: readonly number[]
  /** Calls of the app to the API server, without Events about pods. */
  readonly calls: Calls
  /** Executions of functions by name. `claimRuns` counts runs of the keys of claims. */
  readonly runs: Calls
  readonly decisionToArmMs: Spread
  readonly readyToInitializedMs: Spread
}

/** The number of pods for which the gates hold. */
export const GATED_PODS = 1_000

/** Returns the figures of a step with their limits. Limits of time hold for a machine that does nothing else. */
export function stepFigures(step: StepFigures, floorMs: number): readonly Figure[] {
  const { claims, runs, decisionToArmMs, readyToInitializedMs } = step
  const [app = 0, shim = 0] = step.mebibytes
  const each = (count: number): number => (claims === 0 ? 0 : rounded(count / claims))
  return [
    { what: 'last pod runs, as a multiple of the floor', value: rounded(step.runningMs / floorMs), unit: '', gate: 1.6, aim: 1.15 },
    { what: 'decision to first ARM call, p50', value: decisionToArmMs.p50, unit: 'ms', gate: 500, aim: 200 },
    { what: 'decision to first ARM call, most', value: decisionToArmMs.max, unit: 'ms', gate: 3_000, aim: 1_000 },
    { what: 'node ready to Initialized, p50', value: readyToInitializedMs.p50, unit: 'ms', gate: 1_000, aim: 300 },
    { what: 'API calls a claim', value: each(sumOf(step.calls)), unit: '', gate: 25, aim: 12 },
    { what: 'runs for a claim', value: each(runs['claimRuns'] ?? 0), unit: '', gate: 5, aim: 3 },
    {
      what: 'processor time of app and shim',
      value: rounded((step.seconds['app'] ?? Number.NaN) + (step.seconds['shim'] ?? Number.NaN)),
      unit: 's',
      gate: 7,
      aim: 4,
    },
    { what: 'memory of the app', value: app, unit: 'MiB', gate: 300, aim: 200 },
    { what: 'memory of the shim', value: shim, unit: 'MiB', gate: 90, aim: 64 },
    ...(step.pods === GATED_PODS ? [{ what: 'machines for 1,000 pods', value: step.machines, unit: '', gate: 170, aim: 167 }] : []),
  ]
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
