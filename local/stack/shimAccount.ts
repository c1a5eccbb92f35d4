import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeClient } from '../cluster/client/kubeClient.ts'
import { RELEASE, SHIM_ACCOUNT } from './installRights.ts'

export type ShimAccountOptions = {
  /** A client with the permissions of an administrator. */
  readonly client: KubeClient
  readonly url: string
  /** PEM. */
  readonly ca: string
  /** The folder for the files of the account. */
  readonly directory: string
  readonly signal: AbortSignal
}

/** Longer than any stack runs, because no kubelet renews the token here. */
const LIFE_SECONDS = 30 * 24 * 3600

/** Mounts the shim's service account as kubelet does. Returns the environment that leads the shim to the files. */
export async function mountShimAccount(options: ShimAccountOptions): Promise<{ readonly [name: string]: string }> {
  const { client, url, ca, directory, signal } = options
  const folder = join(directory, 'service-account')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = `/api/v1/namespaces/${RELEASE}/serviceaccounts/${SHIM_ACCOUNT}/token`
  type TokenAnswer = { readonly status: { readonly token: string } }
  const made = await client.send<TokenAnswer>({ method: 'POST', path, body: { spec: { expirationSeconds: LIFE_SECONDS } }, signal })
  if (!made.ok) {
    const message = `service account ${RELEASE}/${SHIM_ACCOUNT} got no token: ${made.error.message}`
    throw new Fault('mount the account of the shim', problem('SETTING.INVALID', message))
  }
  writeFileSync(join(folder, 'token'), made.value.status.token, { mode: 0o600 })
  writeFileSync(join(folder, 'ca.crt'), ca)
  const { hostname, port } = new URL(url)
  return {
    SERVICE_ACCOUNT_DIR: folder,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    LEASE_NAMESPACE: RELEASE,
    LEASE_NAME: SHIM_ACCOUNT,
  }
}
