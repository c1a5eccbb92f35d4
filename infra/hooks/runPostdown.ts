import { setValues } from './azdValues.ts'
import type { HookDeps } from './hookDeps.ts'
import { NOTHING_INSTALLED } from './hookValues.ts'

/**
 * Runs after azd has deleted everything. Forgets what the hooks found out about the clusters, so that the environment says nothing about an
 * installation that is gone. The choices of the person stay.
 */
export async function runPostdown(deps: Pick<HookDeps, 'run' | 'environment'>): Promise<0> {
  await setValues(deps, NOTHING_INSTALLED)
  return 0
}
