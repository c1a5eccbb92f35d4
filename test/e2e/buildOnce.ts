import { join } from 'node:path'
import { buildBundles } from '../../local/stack/buildBundles.ts'

/** Before the first end-to-end test: the bundles that the stack's processes run. */
export async function setup(): Promise<void> {
  await buildBundles(join(import.meta.dirname, '..', '..'))
}
