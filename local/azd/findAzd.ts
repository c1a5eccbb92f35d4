import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoPrograms, builtFolder, type GoPrograms, hasGo, pinnedVersion } from '../goPrograms.ts'

const MODULE = join(import.meta.dirname, 'go')
const NAME = 'github.com/azure/azure-dev/cli/azd'
/** The commit of the pinned version. azd refuses to start with a version that names no commit. */
const COMMIT = '3440050737c18537ae6cdbd1d64b98c594c495ad'

const VERSION = pinnedVersion(MODULE, NAME).replace(/^v/, '')

const AZD: GoPrograms<'azd'> = {
  names: ['azd'],
  packages: { azd: NAME },
  module: MODULE,
  // azd takes itself for a build of a developer otherwise, and `requiredVersions` of azure.yaml is not compared.
  linkFlags: `-s -w -X '${NAME}/internal.Version=${VERSION} (commit ${COMMIT})'`,
  patience: 'four minutes',
}

/** Returns the path of azd from an earlier build. Undefined if azd has to be built. */
export function findBuiltAzd(cache: string): string | undefined {
  const file = join(builtFolder(AZD, cache), 'azd')
  return existsSync(file) ? file : undefined
}

/** Returns the path of azd. Builds azd if it is not there, which takes minutes once. */
export async function findAzd(cache: string, say: (line: string) => void): Promise<string> {
  const present = findBuiltAzd(cache)
  if (present !== undefined) return present
  const folder = builtFolder(AZD, cache)
  await buildGoPrograms(AZD, folder, say)
  return join(folder, 'azd')
}

/** Returns why azd can be neither found nor built, in a sentence. Undefined if azd is available. */
export function azdObstacle(cache: string, path: string): string | undefined {
  return findBuiltAzd(cache) !== undefined || hasGo(path) ? undefined : 'azd needs Go 1.26 or newer to be built, and this machine has none'
}
