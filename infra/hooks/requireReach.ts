import type { Access } from '../../cli/clusterAccess.ts'
import { settle } from '../../shared/base/concurrency.ts'
import { messageOf } from '../../shared/base/result.ts'
import { HookFailure } from './hookDeps.ts'

// A private app takes its code from its network only: its Kudu answers 403 "Ip Forbidden" to others (MicrosoftDocs/azure-docs issues 85717, 2021-12,
// and 109558, 2024-09).

const LIMIT_MS = 30_000

/** Throws if this machine does not reach the Kudu of the app, with what helps. */
export async function requireReach({ web }: Pick<Access, 'web'>, endpoint: string): Promise<void> {
  const url = kuduOf(endpoint)
  const asked = await settle(async () => {
    const { status, body } = await web(url, { signal: AbortSignal.timeout(LIMIT_MS), redirect: 'manual' })
    await body?.cancel()
    return status
  })
  if (asked.ok && asked.value !== 403) return
  const why = asked.ok ? `answered ${asked.value}` : `did not answer: ${messageOf(asked.error)}`
  throw new HookFailure(
    `AZURE.FAILED   ${url} ${why}. With network=private, the app takes its code from its network only; run azd up again on a machine in the network of a cluster, with the folder .azure of this one: see docs/install.md#networks`,
  )
}

/** The name of Kudu has `scm` after its first part, with and without the name of the region in it. */
function kuduOf(endpoint: string): string {
  const { protocol, host } = new URL(endpoint)
  return `${protocol}//${host.replace('.', '.scm.')}/`
}
