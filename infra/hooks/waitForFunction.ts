import { isFine, refusalOf } from '../../cli/armCall.ts'
import type { Access } from '../../cli/clusterAccess.ts'
import { HookFailure } from './hookDeps.ts'

const VERSION = '2024-11-01'
const NAME = 'interruption'
/** Azure lists the functions of an app some time after its code is there. */
const PATIENCE_MS = 600_000
const PAUSE_MS = 5_000
const SAY_AFTER_MS = 30_000

/** Waits until Azure lists the function that Event Grid calls: an event subscription to a function that is not listed is refused. */
export async function waitForFunction(
  { arm, clock }: Pick<Access, 'arm' | 'clock'>,
  site: string,
  print: (line: string) => void,
): Promise<void> {
  const path = `${site}/functions/${NAME}`
  const started = clock.now()
  let hasSaid = false
  for (;;) {
    const answer = await arm({ method: 'GET', path, version: VERSION })
    if (isFine(answer)) return
    const waited = clock.now() - started
    // Not found is the only answer that time changes. The calls themselves are repeated by the client.
    if (answer.status !== 404 || waited >= PATIENCE_MS)
      throw new HookFailure(
        `AZURE.FAILED   Azure does not list the function ${NAME} of the app after ${Math.round(waited / 60_000)} minutes: ${refusalOf(answer)}; the log of the app says why, see docs/troubleshoot.md; then run: azd up`,
      )
    if (!hasSaid && waited >= SAY_AFTER_MS)
      print(`wait  until Azure lists the function ${NAME} of the app, at most ${PATIENCE_MS / 60_000} minutes`)
    hasSaid ||= waited >= SAY_AFTER_MS
    await clock.sleep(PAUSE_MS, AbortSignal.timeout(PATIENCE_MS))
  }
}
