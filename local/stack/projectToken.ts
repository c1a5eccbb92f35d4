import { renameSync, writeFileSync } from 'node:fs'
import { messageOf } from '../../shared/base/result.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'

export type ProjectTokenOptions = {
  readonly client: KubeClient
  readonly namespace: string
  readonly account: string
  /** A pod that runs as the account. The token becomes invalid with the pod. */
  readonly pod: string
  readonly audience: string
  readonly expirationSeconds: number
  readonly file: string
  /** Resolves after `ms` milliseconds, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onNotice: (text: string) => void
  readonly signal: AbortSignal
}

/** Kubelet renews a token once this part of its lifetime is over. */
const RENEWED_AT = 0.8
const RETRY_MS = 1_000

/**
 * Keeps a service account token in a file until the signal aborts, as kubelet does for a projected volume. The token comes from the API server and is
 * bound to the pod. Each new token replaces the last in one step. Resolves once the first token is there.
 */
export async function projectToken(options: ProjectTokenOptions): Promise<void> {
  const { expirationSeconds, sleep, onNotice, signal } = options
  await writeToken(options)
  const keepFresh = async (): Promise<void> => {
    let wait = expirationSeconds * 1_000 * RENEWED_AT
    while (!signal.aborted) {
      await sleep(wait, signal)
      try {
        await writeToken(options)
        wait = expirationSeconds * 1_000 * RENEWED_AT
      } catch (cause) {
        if (signal.aborted) return
        onNotice(`${messageOf(cause)}; asking again`)
        wait = RETRY_MS
      }
    }
  }
  void keepFresh().catch(() => undefined)
}

async function writeToken({
  client,
  namespace,
  account,
  pod,
  audience,
  expirationSeconds,
  file,
  signal,
}: ProjectTokenOptions): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  const spec = { audiences: [audience], expirationSeconds, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod } }
  type TokenAnswer = { readonly status: { readonly token: string } }
  const made = await client.send<TokenAnswer>({ method: 'POST', path, body: { spec }, signal })
  if (!made.ok) {
    const message = `service account ${namespace}/${account} got no token for ${audience}: ${made.error.message}`
    throw new Fault('keep the token of the shim', problem('SETTING.INVALID', message))
  }
  writeFileSync(`${file}.next`, made.value.status.token, { mode: 0o600 })
  renameSync(`${file}.next`, file)
}
