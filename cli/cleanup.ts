import { createLineTelemetry } from '../shared/adapters/telemetry/lineTelemetry.ts'
import { settle } from '../shared/base/concurrency.ts'
import { Fault } from '../shared/model/problem.ts'
import { askOnTerminal } from './askOnTerminal.ts'
import type { Access, Environment } from './clusterAccess.ts'
import { findInstallation, type Installation } from './down/azureRights.ts'
import type { DownCluster } from './down/downCluster.ts'
import { type NamedCluster, openDownCluster } from './down/openDownCluster.ts'
import { stepInOwnProcess } from './down/ownSteps.ts'
import { readPrices } from './down/readPrices.ts'
import { type DownDeps, type DownRequest, runDown } from './down/runDown.ts'
import type { RunProgram } from './down/runProgram.ts'

export type TakeDown = Omit<DownRequest, 'clusters' | 'installation'> & {
  readonly clusters: readonly NamedCluster[]
  readonly installation: Installation
}

export type TakeDownDeps = {
  readonly access: Access
  readonly run: RunProgram
  readonly environment: Environment
  readonly print: (line: string) => void
  readonly ask?: DownDeps['ask']
}

/** Opens the clusters and removes Joiner from all of them. Changes nothing until all clusters are open. Prints refusals from outside. */
export async function takeDown(request: TakeDown, deps: TakeDownDeps, signal: AbortSignal): Promise<0 | 1> {
  const done = await settle(() => takeAllDown(request, deps, signal))
  if (done.ok) return done.value
  if (!(done.error instanceof Fault)) throw done.error
  deps.print(`FAIL  ${done.error.problem.code}   ${done.error.message}`)
  deps.print('it stops here. Remove the cause and run it again: it continues where it stopped')
  return 1
}

async function takeAllDown(request: TakeDown, deps: TakeDownDeps, signal: AbortSignal): Promise<0 | 1> {
  const { access, run, environment, print, ask = askOnTerminal } = deps
  const { arm, clock } = access
  // Without log lines, since the drain prints its own progress.
  const telemetry = createLineTelemetry(clock, () => undefined, 'error')
  const clusters: DownCluster[] = []
  for (const named of request.clusters) {
    const opened = await openDownCluster(named, { access, run, telemetry })
    if (!opened.ok) {
      print(`FAIL  ${opened.error.code}   ${opened.error.message}`)
      return 1
    }
    if (opened.value === undefined) print(`cluster ${named.resourceId} does not exist any more, and its machines went with it`)
    else clusters.push(opened.value)
  }
  const usedIds = [...new Set([...request.installation.usedIds, ...clusters.flatMap((each) => each.usedIds)])]
  const installation = await findInstallation(arm, { ...request.installation, usedIds }, signal)
  const prices = (location: string) => readPrices(environment['PRICES_ENDPOINT'], location)
  const step = stepInOwnProcess({ clock, telemetry })
  return runDown({ ...request, clusters, installation }, { arm, clock, print, ask, step, prices }, signal)
}
