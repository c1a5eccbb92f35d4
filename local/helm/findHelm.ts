import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoPrograms, builtFolder, type GoPrograms, hasGo } from '../goPrograms.ts'

const HELM: GoPrograms<'helm'> = {
  names: ['helm'],
  packages: { helm: 'helm.sh/helm/v4/cmd/helm' },
  module: join(import.meta.dirname, 'go'),
  linkFlags: '-s -w',
  patience: 'five minutes',
}

export type HelmPlaces = {
  /** `KUBEBUILDER_ASSETS`: a folder that may hold Helm beside the programs of a control plane. Undefined if it is not set. */
  readonly assets: string | undefined
  readonly cache: string
}

/** Returns the path of Helm in the given folder or of an earlier build. Undefined if Helm has to be built. */
export function findExistingHelm({ assets, cache }: HelmPlaces): string | undefined {
  const folders = [...(assets ? [assets] : []), builtFolder(HELM, cache)]
  return folders.map((folder) => join(folder, 'helm')).find((file) => existsSync(file))
}

/** Returns the path of Helm. Builds Helm if it is not there, which takes minutes once. */
export async function findHelm(places: HelmPlaces, say: (line: string) => void): Promise<string> {
  const present = findExistingHelm(places)
  if (present !== undefined) return present
  const folder = builtFolder(HELM, places.cache)
  await buildGoPrograms(HELM, folder, say)
  return join(folder, 'helm')
}

/** Returns why Helm can be neither found nor built, in a sentence. Undefined if Helm is available. */
export function helmObstacle(places: HelmPlaces, path: string): string | undefined {
  if (findExistingHelm(places) !== undefined || hasGo(path)) return undefined
  return 'Helm needs Go 1.26 or newer to be built, or KUBEBUILDER_ASSETS to name a folder that has it; this machine has neither'
}
