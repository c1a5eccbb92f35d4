import { join } from 'node:path'
import { buildBundles } from '../../local/stack/buildBundles.ts'
import { forgetAuditRows } from './auditRows.ts'
import { forgetAzureRows } from './azureRows.ts'

/** Runs before the first end-to-end test: removes the audit of earlier runs and builds the bundles of the stack's processes. */
export async function setup(): Promise<void> {
  forgetAuditRows()
  forgetAzureRows()
  await buildBundles(join(import.meta.dirname, '..', '..'))
}
