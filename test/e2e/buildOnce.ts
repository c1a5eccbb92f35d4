import { join } from 'node:path'
import { buildBundles } from '../../local/stack/buildBundles.ts'
import { forgetAuditRows } from './auditRows.ts'
import { forgetAzureRows } from './azureRows.ts'

/** Before the first end-to-end test: the bundles that the stack's processes run, and no audit of an earlier run. */
export async function setup(): Promise<void> {
  forgetAuditRows()
  forgetAzureRows()
  await buildBundles(join(import.meta.dirname, '..', '..'))
}
