import { requireGranted } from '../e2e/azureRows.ts'
import { takeInventory } from '../e2e/inventory.ts'
import { until as waitUntil } from '../e2e/until.ts'
import type { Environment } from './environment.ts'
import { inflict } from './faults.ts'
import { createLoad } from './load.ts'
import { type Plan, printPlan, type Timed } from './plan.ts'
import { leftover, machinesMade, madeTwice, problemAtRest } from './verify.ts'

const TOLD_LINES = Number(process.env['CHAOS_LINES'] ?? 100)
/** A wait this long counts as hung. It does not measure speed: on a quiet machine the cluster is at rest within seconds. */
const PATIENCE_MS = 240_000

const until = (missing: () => Promise<string | undefined>): Promise<void> => waitUntil(missing, PATIENCE_MS)

export type Outcome = { readonly machines: number; readonly restMs: number; readonly endMs: number }

/** Plays a plan and checks the result. Throws an error with what is wrong, the plan, and the last lines of output. */
export async function playSeed(environment: Environment, plan: Plan): Promise<Outcome> {
  const { stack, proxies } = environment
  environment.told.length = 0
  stack.azure.requests.clear()
  const load = createLoad(stack)
  try {
    const start = Date.now()
    await Promise.all([
      inTurn(plan.load, start, (step) => load.step(step)),
      ...plan.faults.map((fault) => inTurn([fault], start, (what) => inflict(environment, what))),
    ])
    for (const proxy of Object.values(proxies)) proxy.calm()
    const calmAt = Date.now()
    await until(() => load.unfinished())
    await until(() => takeInventory(stack).then((inventory) => problemAtRest(inventory, plan), String))
    const restAt = Date.now()
    await load.end()
    await until(() => takeInventory(stack).then(leftover, String))
    const endAt = Date.now()
    const requests = stack.azure.requests.all()
    const wrong = madeTwice(requests)
    if (wrong !== undefined) throw new Error(wrong)
    requireGranted(stack.azure.access.rows())
    return { machines: machinesMade(requests).size, restMs: restAt - calmAt, endMs: endAt - restAt }
  } catch (cause) {
    throw new Error([String(cause), printPlan(plan), ...environment.told.slice(-TOLD_LINES)].join('\n'), { cause })
  }
}

async function inTurn<What>(timed: readonly Timed<What>[], start: number, act: (what: What) => Promise<void>): Promise<void> {
  for (const { at, what } of timed) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + at - Date.now())))
    await act(what)
  }
}
