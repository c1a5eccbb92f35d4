// Azure's built-in roles, from the public data beside the repository. Empty if the data is absent.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import type { RoleDefinition } from '../../local/azure/arm/authorization/access.ts'
import { repositoryRoot } from '../../scripts/floors.ts'

const FILE = join(repositoryRoot, '../shared/data/azure-built-in-roles.json.gz')
const list = z.array(z.string())
const table = z.record(z.string(), z.tuple([z.string(), list, list, list, list]))

export type BuiltInRole = RoleDefinition & { readonly dataActions: readonly string[] }

export const HAS_BUILT_IN_ROLES = existsSync(FILE)

export function builtInRoles(): readonly BuiltInRole[] {
  if (!HAS_BUILT_IN_ROLES) return []
  const rows = table.parse(JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8')))
  return Object.entries(rows).map(([id, [, actions, notActions, dataActions]]) => ({ id, actions, notActions, dataActions }))
}
