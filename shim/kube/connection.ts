import { existsSync, readFileSync } from 'node:fs'
import type { KubeConnection } from '../../shared/kubeclient/client.ts'
import { connectTo, refreshed, serviceAccountToken } from '../../shared/kubeclient/connection.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { Clock } from '../clock.ts'
import { isLoopback } from '../loopback.ts'

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

export type ConnectionEnv = { readonly [name: string]: string | undefined }

/**
 * Returns the connection that KUBECONFIG names. Without it: the plain proxy on this machine (`kubectl proxy`) that KUBERNETES_API_SERVER names.
 * Without both: the connection of the pod's service account.
 */
export function connectionFrom(env: ConnectionEnv, clock: Clock): Promise<KubeConnection> {
  if (env['KUBECONFIG']) return fromKubeconfig(env['KUBECONFIG'], clock)
  return Promise.resolve(env['KUBERNETES_API_SERVER'] ? throughProxy(env['KUBERNETES_API_SERVER']) : fromServiceAccount(env, clock))
}

function wrong(message: string): Fault {
  return new Fault('find the API server', problem('SETTING.INVALID', message))
}

/** The proxy adds the credentials. */
function throughProxy(address: string): KubeConnection {
  const server = URL.parse(address)
  if (server?.protocol !== 'http:' || !isLoopback(server.hostname)) {
    throw wrong(
      `setting KUBERNETES_API_SERVER: ${JSON.stringify(address)} has to be http to a loopback address; point it at a kubectl proxy`,
    )
  }
  return connectTo({ server })
}

function fromServiceAccount(env: ConnectionEnv, clock: Clock): KubeConnection {
  const host = env['KUBERNETES_SERVICE_HOST']
  const folder = env['SERVICE_ACCOUNT_DIR'] ?? SERVICE_ACCOUNT
  if (!host) throw wrong('setting KUBERNETES_SERVICE_HOST: is not set; set KUBECONFIG, or run in a pod')
  if (!existsSync(`${folder}/ca.crt`))
    throw wrong(`there is no service account in ${folder}; give the pod one and let its token be mounted`)
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`
  return connectTo({ server, ca: readFileSync(`${folder}/ca.crt`) }, serviceAccountToken(folder, clock.monotonic))
}

/** The client library of kubeconfigs is loaded only here: it costs more memory than the whole rest of the shim, and a pod does not need it. */
async function fromKubeconfig(file: string, clock: Clock): Promise<KubeConnection> {
  const { connectionOf } = await import('../../shared/kubeclient/kubeconfig.ts')
  const found = connectionOf(file)
  if (!found.ok) throw wrong(`setting KUBECONFIG: ${found.error}`)
  return { server: found.value.server, options: refreshed(found.value.options, clock.monotonic) }
}
