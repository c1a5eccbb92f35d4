import { ok, type Result } from '../../shared/base/result.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Arm } from '../armCall.ts'
import { deleteResources, type Installation, listResources } from './azureRights.ts'
import { closeCluster } from './closeCluster.ts'
import { clusterRest, removeClusterRest } from './clusterRest.ts'
import { machineLines, type Prices } from './describe.ts'
import type { DownCluster } from './downCluster.ts'
import type { DownChoice, DownOptions } from './downOptions.ts'
import { type DrainDeps, drain } from './drain.ts'
import { heldClasses, releaseClasses } from './heldClasses.ts'
import { countOf, machinesOf, takeInventory } from './inventory.ts'
import { ourReleases, type Release, uninstall } from './releases.ts'

export type DownRequest = {
  readonly clusters: readonly DownCluster[]
  readonly installation: Installation
  readonly wish: DownOptions
  /** The release of the chart `joiner`. */
  readonly release: Release
  /** What terminates the machines: the app, or this process if the app is dead. */
  readonly by: DrainDeps['by']
  /** True: prints what would be removed, and removes nothing. */
  readonly dryRun: boolean
}

export type DownDeps = {
  readonly arm: Arm
  readonly clock: Clock
  readonly print: (line: string) => void
  readonly ask: (question: string) => Promise<boolean>
  readonly step: DrainDeps['step']
  /** Returns the prices of a region. Empty if the list cannot be read. */
  readonly prices: (location: string) => Promise<Prices>
}

const namesOf = ({ name }: Release): readonly string[] => [name, 'joiner-crd']

/**
 * Removes Joiner except for its own resource group: first the machines, then the charts, then its other resources in Azure. Each part begins only
 * when the previous one is complete, and all of it may be run again from the start. Returns the exit code: 1 if something is left that should not be.
 * Throws a Fault if an outside system refuses.
 */
export async function runDown(request: DownRequest, deps: DownDeps, signal: AbortSignal): Promise<0 | 1> {
  const { clusters, dryRun } = request
  const machines = await printMachines(request, deps, signal)
  if (dryRun) {
    for (const line of await leftOver(request, deps, signal)) deps.print(`would be removed: ${line}`)
    return 0
  }
  const wish = await decided(request.wish.machines, machines, deps)
  if (wish === undefined) return 1
  if (wish === 'drain') {
    const drained = await drainAll(request, deps, signal)
    if (!drained.ok) {
      for (const line of drained.error) deps.print(`FAIL  ${line}`)
      deps.print(afterFailedDrain(request.release))
      return 1
    }
  }
  for (const cluster of clusters) {
    await removeCharts(cluster, request.release, deps, signal)
    await removeClusterRest(cluster, request.release, signal)
    // Only now, when the app cannot write the finalizer again.
    await releaseClasses(cluster, await heldClasses(cluster, wish === 'drain', signal), signal)
  }
  await deleteResources(deps, request.installation, signal)
  const left = await leftOver({ ...request, wish: { ...request.wish, machines: wish } }, deps, signal)
  for (const line of left) deps.print(`FAIL  left: ${line}`)
  if (left.length === 0) deps.print(wish === 'keep' ? 'nothing is left but the machines above and their NodeClaims' : 'nothing is left')
  return left.length === 0 ? 0 : 1
}

function afterFailedDrain({ name, namespace }: Release): string {
  const back = `helm upgrade ${name} charts/joiner --namespace ${namespace} --reuse-values`
  return `the drain failed, so nothing else was removed. Remove the cause and run it again. To go back: ${back}; until then the app makes no new machines`
}

/** Prints the machines of all clusters and returns their number. */
async function printMachines({ clusters }: DownRequest, { arm, print, prices }: DownDeps, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const cluster of clusters) {
    const machines = machinesOf(await takeInventory(cluster, arm, signal), cluster)
    count += machines.length
    for (const line of machineLines(cluster.id, machines, machines.length === 0 ? {} : await prices(cluster.location))) print(line)
  }
  return count
}

async function decided(wish: DownChoice, machines: number, { ask, print }: DownDeps): Promise<'drain' | 'keep' | undefined> {
  if (wish === 'keep') print('these machines stay and still cost money; a later azd up takes them over, and npx joiner cleanup ends them')
  if (wish !== 'ask') return wish
  const question = machines === 0 ? 'Remove Joiner?' : 'Drain and delete these machines, and remove Joiner?'
  if (await ask(question)) return 'drain'
  print('nothing was changed; to remove Joiner and keep the machines: azd env set JOINER_DOWN keep')
  return undefined
}

async function drainAll(request: DownRequest, deps: DownDeps, signal: AbortSignal): Promise<Result<void, readonly string[]>> {
  const { clusters, by, wish } = request
  for (const cluster of clusters) if (await closeCluster(cluster, signal)) deps.print(`${cluster.id}: the app may make no new machines`)
  const drains = await Promise.all(clusters.map((cluster) => drain(cluster, { ...deps, by, limit: wish.limit }, signal)))
  const failed = drains.flatMap((each) => (each.ok ? [] : each.error))
  return failed.length === 0 ? ok(undefined) : { ok: false, error: failed }
}

async function removeCharts(cluster: DownCluster, release: Release, { print }: DownDeps, signal: AbortSignal): Promise<void> {
  for (const each of await ourReleases(cluster, namesOf(release), signal)) {
    await uninstall(cluster, each)
    print(`${cluster.id}: chart release ${each.namespace}/${each.name} is uninstalled`)
  }
}

/** Returns a line for each resource that exists now. Machines that are to be kept are not listed. */
async function leftOver(request: DownRequest, { arm }: DownDeps, signal: AbortSignal): Promise<readonly string[]> {
  const { clusters, release, installation, wish } = request
  const lines: string[] = []
  for (const cluster of clusters) {
    const machines = wish.machines === 'keep' ? '' : countOf(await takeInventory(cluster, arm, signal))
    if (machines !== '') lines.push(`${cluster.id}: ${machines}`)
    for (const { name, namespace } of await ourReleases(cluster, namesOf(release), signal))
      lines.push(`${cluster.id}: chart release ${namespace}/${name}`)
    for (const path of await clusterRest(cluster, release, signal)) lines.push(`${cluster.id}: ${path}`)
    for (const name of await heldClasses(cluster, wish.machines !== 'keep', signal))
      lines.push(`${cluster.id}: finalizer of aksnodeclass ${name}`)
  }
  for (const { what } of await listResources(arm, installation, signal)) lines.push(what)
  return lines
}
