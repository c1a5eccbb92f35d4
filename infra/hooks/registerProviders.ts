import { isFine, member, refusalOf } from '../../cli/armCall.ts'
import type { InstallFacts } from '../../shared/model/installFacts.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'

const VERSION = '2021-04-01'
const PATIENCE_MS = 600_000
const PAUSE_MS = 5_000

/** Registers the resource providers that are not registered yet, and waits for them. A deployment that starts earlier fails in the middle. */
export async function registerProviders(
  { access, print }: Pick<HookDeps, 'access' | 'print'>,
  subscriptionId: string,
  providers: InstallFacts['providers'],
): Promise<void> {
  const { arm, clock } = access
  for (const { namespace, state } of providers) {
    if (state === 'Registered') continue
    const path = `/subscriptions/${subscriptionId}/providers/${namespace}`
    const asked = state === 'Registering' ? undefined : await arm({ method: 'POST', path: `${path}/register`, version: VERSION })
    const command = `az provider register --namespace ${namespace} --wait`
    if (asked !== undefined && !isFine(asked))
      throw new HookFailure(`PREFLIGHT.PROVIDER   ${namespace} was not registered: ${refusalOf(asked)}; run: ${command}`)
    const until = clock.now() + PATIENCE_MS
    let now: unknown
    for (;;) {
      now = member((await arm({ method: 'GET', path, version: VERSION })).body, 'registrationState')
      if (now === 'Registered' || clock.now() >= until) break
      await clock.sleep(PAUSE_MS, AbortSignal.timeout(PATIENCE_MS))
    }
    if (now !== 'Registered')
      throw new HookFailure(`PREFLIGHT.PROVIDER   ${namespace} is ${String(now)} after ${PATIENCE_MS / 60_000} minutes; run: ${command}`)
    print(`ok    resource provider ${namespace} is registered`)
  }
}
