import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AccessRow } from '../../local/azure/arm/authorization/access.ts'
import { repositoryRoot } from '../../scripts/floors.ts'

/** What the scenarios leave of the actions that ARM asked for, until the next run of the suite. */
const FOLDER = join(repositoryRoot, '.local/azure-audit')

export type AzureRows = { readonly scenarios: string; readonly rows: readonly AccessRow[] }

export function forgetAzureRows(): void {
  rmSync(FOLDER, { recursive: true, force: true })
}

/** Throws when anybody was denied anything. */
export function leaveAzureRows(testFile: string, rows: readonly AccessRow[]): void {
  const scenarios = basename(testFile)
  const left: AzureRows = { scenarios, rows }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, `${scenarios}.${process.pid}.${Date.now()}.json`), JSON.stringify(left))
  requireGranted(rows)
}

export function requireGranted(rows: readonly AccessRow[]): void {
  const denied = new Set(rows.flatMap(({ isGranted, action, scope }) => (isGranted ? [] : [`${action} on ${scope}`])))
  if (denied.size > 0) throw new Error(`the template does not give the app all it needs in Azure; denied: ${[...denied].join(', ')}`)
}

export function readAzureRows(): readonly AzureRows[] {
  try {
    return readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as AzureRows)
  } catch {
    return []
  }
}
