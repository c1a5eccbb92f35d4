import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AccessRow } from '../../local/azure/arm/authorization/access.ts'
import { APP_IDENTITY } from '../../local/stack/identities.ts'
import { repositoryRoot } from '../../scripts/floors.ts'

/** The folder for the actions that ARM checked in the scenarios. The next run of the suite clears it. */
const FOLDER = join(repositoryRoot, '.local/azure-audit')

export type AzureRows = { readonly scenarios: string; readonly rows: readonly AccessRow[] }

export function forgetAzureRows(): void {
  rmSync(FOLDER, { recursive: true, force: true })
}

/** Stores the rows. Throws if the app was denied anything. */
export function leaveAzureRows(testFile: string, all: readonly AccessRow[]): void {
  const scenarios = basename(testFile)
  const rows = all.filter(({ principalId }) => principalId === APP_IDENTITY.objectId)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, `${scenarios}.${process.pid}.${Date.now()}.json`), JSON.stringify({ scenarios, rows } satisfies AzureRows))
  requireGranted(rows)
}

export function requireGranted(rows: readonly AccessRow[]): void {
  const denied = new Set(rows.flatMap((row) => (row.isGranted ? [] : [`${row.action} on ${row.scope}`])))
  if (denied.size > 0) throw new Error(`the template does not give the app all it needs in Azure; denied: ${[...denied].join(', ')}`)
}

export function readAzureRows(): readonly AzureRows[] {
  try {
    return readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as AzureRows)
  } catch {
    return []
  }
}
