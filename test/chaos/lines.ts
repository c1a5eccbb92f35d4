import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { join } from 'node:path'
import { createServingCertificate } from '../../local/certificates/serving.ts'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import type { Wires } from '../../local/stack/wires.ts'
import { type Line, type LineTarget, openLine } from './line.ts'

/** `kube` is the function app's way to the API server, `watch` the shims'; `posts` leads from the shims to the function app. */
export const LINE_NAMES = ['arm', 'blob', 'queue', 'kube', 'watch', 'posts'] as const
export type LineName = (typeof LINE_NAMES)[number]
export type Lines = { readonly [Name in LineName]: Line }

/** A line into each service, and the addresses that lead over them. */
export async function openLines(straight: Wires, directory: string): Promise<{ readonly lines: Lines; readonly wires: Wires }> {
  const certificate = await createServingCertificate('lines')
  const trusted = straight.authorities
  const places = storagePlaces(straight.storageConnection)
  const lines: Lines = {
    arm: await openLine({ url: straight.armUrl, ca: trusted }, certificate),
    kube: await openLine({ url: straight.kubernetesUrl, ca: trusted }, certificate),
    // The credentials of the shim's own kubeconfig are added on the way: a client's certificate goes no further than the line.
    watch: await openLine(await watched(straight), certificate),
    blob: await openLine({ url: new URL(places.blob).origin }),
    queue: await openLine({ url: new URL(places.queue).origin }),
    posts: await openLine({ url: straight.functionsUrl }),
  }
  const over = (place: string, line: Line): string => place.replace(new URL(place).origin, line.url)
  return {
    lines,
    wires: {
      armUrl: lines.arm.url,
      kubernetesUrl: lines.kube.url,
      kubernetesCa: certificate.authority,
      storageConnection: straight.storageConnection
        .replace(places.blob, over(places.blob, lines.blob))
        .replace(places.queue, over(places.queue, lines.queue)),
      shimEnv: { ...straight.shimEnv, ...shimEnvOver(lines.watch, certificate.authority, straight, directory) },
      functionsUrl: lines.posts.url,
      authorities: `${straight.authorities}\n${certificate.authority}`,
    },
  }
}

function storagePlaces(connection: string): { readonly blob: string; readonly queue: string } {
  const place = (service: string): string => new RegExp(`${service}Endpoint=([^;]+)`).exec(connection)?.[1] ?? ''
  return { blob: place('Blob'), queue: place('Queue') }
}

/** As whom the shim comes: a kubeconfig says it to the line, a service account's token goes through it. */
async function watched({ shimEnv, kubernetesUrl, authorities }: Wires): Promise<LineTarget> {
  const kubeconfig = shimEnv['KUBECONFIG']
  if (kubeconfig === undefined) return { url: kubernetesUrl, ca: authorities }
  const { url, ca, credential } = connectionFrom({ kubeconfig })
  const options: RequestOptions = {}
  if (credential.kind === 'kubeconfig') await credential.apply(options)
  const { cert, key, headers } = options
  return { url, ca, certificate: cert?.toString(), key: key?.toString(), headers: (headers ?? {}) as { readonly [name: string]: string } }
}

function shimEnvOver(line: Line, authority: string, { shimEnv }: Wires, directory: string): Wires['shimEnv'] {
  const account = shimEnv['SERVICE_ACCOUNT_DIR']
  if (account === undefined) {
    const kubeconfig = join(directory, 'line.kubeconfig')
    writeFileSync(kubeconfig, kubeconfigOf(line.url, authority))
    return { KUBECONFIG: kubeconfig }
  }
  const copy = join(directory, 'line-account')
  mkdirSync(copy)
  writeFileSync(join(copy, 'ca.crt'), authority)
  // The token is written anew from time to time.
  symlinkSync(join(account, 'token'), join(copy, 'token'))
  const { hostname, port } = new URL(line.url)
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_DIR: copy }
}

function kubeconfigOf(server: string, authority: string): string {
  const name = 'line'
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}
