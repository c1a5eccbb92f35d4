import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { APP_IDENTITY } from '../../local/stack/identities.ts'
import { RELEASE, SHIM_ACCOUNT } from '../../local/stack/installRights.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { type Audit, auditOf } from '../charts/rights.ts'

/** The folder for the audit rows of the scenarios on a real control plane. The next run of the suite clears it. */
const FOLDER = join(repositoryRoot, '.local/audit')

/** The users to whom the chart gives rights, as the API server names them. */
export const SUBJECTS = { app: APP_IDENTITY.objectId, shim: `system:serviceaccount:${RELEASE}:${SHIM_ACCOUNT}` } as const
export type Subject = keyof typeof SUBJECTS

export type AuditRows = { readonly scenarios: string } & { readonly [subject in Subject]: Audit }

export function forgetAuditRows(): void {
  rmSync(FOLDER, { recursive: true, force: true })
}

/** Reduces the audit log of the control plane of a test file and stores the rows. Throws if the app or the shim was denied anything. */
export function leaveAuditRows(testFile: string, plane: Pick<ControlPlane, 'auditFile' | 'restarts'>): void {
  const scenarios = basename(testFile)
  const rows: AuditRows = { scenarios, app: auditOf(plane, SUBJECTS.app), shim: auditOf(plane, SUBJECTS.shim) }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, `${scenarios}.${process.pid}.${Date.now()}.json`), JSON.stringify(rows, undefined, 2))
  const denied = [...rows.app.denied, ...rows.shim.denied]
  if (denied.length > 0) throw new Error(`the chart does not give app and shim all they need; denied: ${denied.join(', ')}`)
}

export function readAuditRows(): readonly AuditRows[] {
  try {
    return readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as AuditRows)
  } catch {
    return []
  }
}
