/** The world of a suite: a real control plane, the embedded Azure, and the app and the forwarder of Joiner. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { type BinarySource, CACHE, findBinaries, type Release, releaseName } from '../../local/controlplane/binaries.ts'
import { startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { buildBundles } from '../../local/stack/buildBundles.ts'
import type { OwnedParts } from '../../local/stack/ownedParts.ts'
import { startStack } from '../../local/stack/startStack.ts'
import { repositoryRoot } from '../floors.ts'

/** Machines boot so many times as fast as in Azure. Pods start and stop as in a cluster: the suites measure their grace periods. */
const SPEED = 40
const POD_SPEED = 1

export type WorldOptions = {
  readonly release: Release
  readonly settings: { readonly [name: string]: string }
  /** The folder for the files of control plane and stack. */
  readonly directory: string
  /** The lines of app and forwarder. */
  readonly logFile: string
  readonly say: (line: string) => void
}

/** Returns the kubeconfig of the administrator. */
export async function startWorld(owner: OwnedParts, { release, settings, directory, logFile, say }: WorldOptions): Promise<string> {
  const source: BinarySource = { release, assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say }
  const binaries = await findBinaries(source)
  await buildBundles(repositoryRoot)
  const plane = await startControlPlane({ binaries, folder: join(directory, 'plane') })
  await owner.own(() => plane.close())
  const log = createWriteStream(logFile)
  await owner.own(() => log.end())
  const stack = await startStack({
    speed: SPEED,
    podSpeed: POD_SPEED,
    directory: join(directory, 'stack'),
    kubeconfig: plane.kubeconfigFile,
    kubernetesPort: 0,
    functionsPort: 0,
    appSettings: settings,
    onAppLine: (line) => log.write(`${line}\n`),
    onShimLine: (line) => log.write(`${line}\n`),
    onNotice: say,
  })
  await owner.own(() => stack.close())
  say(`Joiner runs on Kubernetes ${releaseName(source)}`)
  return plane.kubeconfigFile
}
