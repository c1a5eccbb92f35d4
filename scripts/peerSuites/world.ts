/** The world of a suite: a real control plane, the embedded Azure, the app and the forwarder of Joiner, and what the suites expect of a cluster. */
import { createWriteStream, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import * as z from 'zod'
import { builtInSizes } from '../../local/azure/sizes/sizeFamilies.ts'
import type { VmSize } from '../../local/azure/sizes/vmSize.ts'
import { type BinarySource, CACHE, findBinaries, type Release, releaseName } from '../../local/controlplane/binaries.ts'
import { startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { buildBundles } from '../../local/stack/buildBundles.ts'
import { type FunctionsHost, requireSettings } from '../../local/stack/functionsHost.ts'
import type { OwnedParts } from '../../local/stack/ownedParts.ts'
import { startStack } from '../../local/stack/startStack.ts'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import { repositoryRoot } from '../floors.ts'
import { sourceFile } from './program.ts'
import { FIRST_SETTINGS, startStandIn } from './standIn.ts'
import type { AppSettings } from './translate.ts'

/** Machines boot so many times as fast as in Azure. Pods start and stop as in a cluster: the suites measure their grace periods. */
const SPEED = 40
const POD_SPEED = 1

/**
 * A spec asks for pods in four zones. A region of Azure has three zones or more. Source:
 * https://learn.microsoft.com/azure/reliability/availability-zones-overview, read on 2026-11-30.
 */
const ZONES = ['1', '2', '3', '4']

/** The specs of default constraints need these profiles of the scheduler. The file is the one of Karpenter's own runs. */
const SCHEDULER_CONFIG = 'test/suites/regression/testdata/kube-scheduler-config.yaml'
const SchedulerConfig = z.object({ profiles: z.array(z.record(z.string(), z.unknown())) })

const LOOK_AGAIN_MS = 100

export type WorldOptions = {
  readonly release: Release
  readonly settings: AppSettings
  /** The folder for the files of control plane and stack. */
  readonly directory: string
  /** The lines of app and forwarder. */
  readonly logFile: string
  readonly say: (line: string) => void
}

export type World = {
  /** The kubeconfig of the administrator. */
  readonly kubeconfig: string
  /** Rejects when specs would only wait. */
  readonly failed: Promise<never>
}

export async function startWorld(owner: OwnedParts, { release, settings, directory, logFile, say }: WorldOptions): Promise<World> {
  const source: BinarySource = { release, assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say }
  const binaries = await findBinaries(source)
  await buildBundles(repositoryRoot)
  const schedulerProfiles = SchedulerConfig.parse(parse(readFileSync(sourceFile(SCHEDULER_CONFIG), 'utf8'), KUBE_YAML)).profiles
  const plane = await startControlPlane({ binaries, folder: join(directory, 'plane'), schedulerProfiles })
  await owner.own(() => plane.close())
  const log = createWriteStream(logFile)
  await owner.own(() => log.end())
  const settingsFile = join(directory, 'settings.json')
  writeSettings(settingsFile, FIRST_SETTINGS)
  const stack = await startStack({
    speed: SPEED,
    podSpeed: POD_SPEED,
    directory: join(directory, 'stack'),
    kubeconfig: plane.kubeconfigFile,
    kubernetesPort: 0,
    functionsPort: 0,
    appSettings: settings,
    settingsFile,
    sizes: builtInSizes().map(inEachZone),
    onAppLine: (line) => log.write(`${line}\n`),
    onShimLine: (line) => log.write(`${line}\n`),
    onNotice: say,
  })
  await owner.own(() => stack.close())
  const { failed } = await startStandIn(owner, {
    client: stack.client,
    restart: async (next) => {
      writeSettings(settingsFile, next)
      await restart(stack.functions, owner.ending)
      say(`the app runs with ${JSON.stringify(next)}`)
    },
  })
  say(`Joiner runs on Kubernetes ${releaseName(source)}`)
  return { kubeconfig: plane.kubeconfigFile, failed }
}

/** A size that is in all zones is in the further zone as well. */
function inEachZone(size: VmSize): VmSize {
  return size.zones.length === ZONES.length - 1 ? { ...size, zones: ZONES, ultraSsdZones: ZONES } : size
}

/** A start that reads the file while it is written would see the old one. */
function writeSettings(file: string, settings: AppSettings): void {
  writeFileSync(`${file}.part`, JSON.stringify({ Values: settings }))
  renameSync(`${file}.part`, file)
}

/** Lets the app end its work, and waits until the next process serves. Fails if the app refuses its settings. */
async function restart({ child, ready }: FunctionsHost, signal: AbortSignal): Promise<void> {
  const before = child.pid()
  if (before !== undefined) process.kill(before, 'SIGTERM')
  while (child.pid() === before) await sleep(LOOK_AGAIN_MS, undefined, { signal })
  await requireSettings(await ready())
}
