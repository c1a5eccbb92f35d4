// The templates of this repository, and the public data that they are checked against.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import type { Sources } from './checkInfra.ts'
import { LAYERS } from './parameterSets.ts'
import type { RoleTable } from './rules/rule.ts'
import { loadTypeIndex } from './types/typeIndex.ts'

/** Returns the folder of the public data. Undefined if it is not beside the repository. */
function dataFolder(root: string): string | undefined {
  const folder = join(root, '../shared/data')
  return existsSync(folder) ? folder : undefined
}

function readRepository(root: string): (path: string) => string | undefined {
  const texts = new Map<string, string | undefined>()
  return (path) => {
    if (!texts.has(path)) texts.set(path, existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
    return texts.get(path)
  }
}

/** Returns the paths of the Bicep files under `infra`. */
function bicepFiles(root: string): readonly string[] {
  return readdirSync(join(root, 'infra'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.bicep') || path.endsWith('.bicepparam'))
    .map((path) => `infra/${path.replaceAll('\\', '/')}`)
    .sort()
}

const roleRow = z.tuple([z.string(), z.array(z.string()), z.array(z.string()), z.array(z.string()), z.array(z.string())])

function loadRoles(data: string): RoleTable {
  const text = gunzipSync(readFileSync(join(data, 'azure-built-in-roles.json.gz'))).toString('utf8')
  const rows = z.record(z.string(), roleRow).parse(JSON.parse(text))
  return new Map(Object.entries(rows).map(([id, [name, actions, , dataActions]]) => [id, { name, actions: [...actions, ...dataActions] }]))
}

export function repositorySources(root: string): Sources {
  const data = dataFolder(root)
  return {
    files: bicepFiles(root),
    layers: LAYERS,
    readText: readRepository(root),
    isThere: (path) => existsSync(join(root, path)),
    index: data === undefined ? undefined : loadTypeIndex(join(data, 'bicep-types')),
    roles: data === undefined ? undefined : loadRoles(data),
    schema: data === undefined ? undefined : JSON.parse(readFileSync(join(data, 'azure.yaml.schema.json'), 'utf8')),
  }
}
