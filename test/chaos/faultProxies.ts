import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServingCertificate } from '../../local/certificates/serving.ts'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import type { Endpoints } from '../../local/stack/endpoints.ts'
import { type FaultProxy, openFaultProxy, type ProxyTarget } from './faultProxy.ts'

/** `kube`: from the function app to the API server. `watch`: from the shims to the API server. `posts`: from the shims to the function app. */
export const PROXY_NAMES = ['arm', 'blob', 'queue', 'kube', 'watch', 'posts'] as const
export type ProxyName = (typeof PROXY_NAMES)[number]
export type FaultProxies = { readonly [Name in ProxyName]: FaultProxy }

/** Opens a proxy to each service. Returns the proxies and the addresses that lead through them. */
export async function openFaultProxies(
  direct: Endpoints,
  directory: string,
): Promise<{ readonly proxies: FaultProxies; readonly endpoints: Endpoints }> {
  const certificate = await createServingCertificate('proxies')
  const trusted = direct.authorities
  const places = storagePlaces(direct.storageConnection)
  const proxies: FaultProxies = {
    arm: await openFaultProxy({ url: direct.armUrl, ca: trusted }, certificate),
    kube: await openFaultProxy({ url: direct.kubernetesUrl, ca: trusted }, certificate),
    // The proxy adds the credentials of the shim's kubeconfig: a client certificate reaches only the proxy.
    watch: await openFaultProxy(await watched(direct), certificate),
    blob: await openFaultProxy({ url: new URL(places.blob).origin }),
    queue: await openFaultProxy({ url: new URL(places.queue).origin }),
    posts: await openFaultProxy({ url: direct.functionsUrl }),
  }
  const over = (place: string, proxy: FaultProxy): string => place.replace(new URL(place).origin, proxy.url)
  return {
    proxies,
    endpoints: {
      armUrl: proxies.arm.url,
      kubernetesUrl: proxies.kube.url,
      kubernetesCa: certificate.authority,
      storageConnection: direct.storageConnection
        .replace(places.blob, over(places.blob, proxies.blob))
        .replace(places.queue, over(places.queue, proxies.queue)),
      shimEnv: { ...direct.shimEnv, ...shimEnvOver(proxies.watch, certificate.authority, direct, directory) },
      functionsUrl: proxies.posts.url,
      authorities: `${direct.authorities}\n${certificate.authority}`,
    },
  }
}

function storagePlaces(connection: string): { readonly blob: string; readonly queue: string } {
  const place = (service: string): string => new RegExp(`${service}Endpoint=([^;]+)`).exec(connection)?.[1] ?? ''
  return { blob: place('Blob'), queue: place('Queue') }
}

/** The API server with the credentials of the shim: from its kubeconfig, if there is one. A service account's token passes the proxy as it is. */
async function watched({ shimEnv, kubernetesUrl, authorities }: Endpoints): Promise<ProxyTarget> {
  const kubeconfig = shimEnv['KUBECONFIG']
  if (kubeconfig === undefined) return { url: kubernetesUrl, ca: authorities }
  const { url, ca, credential } = connectionFrom({ kubeconfig })
  const { cert, key, headers } = credential.kind === 'kubeconfig' ? await credential.read() : {}
  return { url, ca, certificate: cert?.toString(), key: key?.toString(), headers: (headers ?? {}) as { readonly [name: string]: string } }
}

function shimEnvOver(proxy: FaultProxy, authority: string, { shimEnv }: Endpoints, directory: string): Endpoints['shimEnv'] {
  const account = shimEnv['SERVICE_ACCOUNT_DIR']
  if (account === undefined) {
    const kubeconfig = join(directory, 'proxy.kubeconfig')
    writeFileSync(kubeconfig, kubeconfigOf(proxy.url, authority))
    return { KUBECONFIG: kubeconfig }
  }
  const copy = join(directory, 'line-account')
  mkdirSync(copy)
  writeFileSync(join(copy, 'ca.crt'), authority)
  // A link, because the token is rewritten from time to time.
  symlinkSync(join(account, 'token'), join(copy, 'token'))
  const { hostname, port } = new URL(proxy.url)
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_DIR: copy }
}

function kubeconfigOf(server: string, authority: string): string {
  const name = 'proxy'
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}
