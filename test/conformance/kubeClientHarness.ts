import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import type { Closing } from './harness.ts'

export type KubeClientHarness = Closing & {
  /** Path of the kubeconfig of an administrator. */
  readonly kubeconfig: string
  /** Makes the server forget every version before its newest. */
  readonly forgetVersions: () => Promise<void> | void
  /** Makes the pages of lists that are being read expire. Absent: the proxy in front answers in the place of the server. */
  readonly expirePages?: () => void
}

/** An HTTP proxy for TLS, and the hosts that it was asked for. */
export async function connectProxy(): Promise<{ readonly url: string; readonly asked: () => readonly string[] }> {
  const asked: string[] = []
  const open: Duplex[] = []
  const server = createServer()
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const { hostname, port } = new URL(`tcp://${request.url}`)
    const far = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(far).pipe(socket)
    })
    for (const each of [far, socket]) {
      each.on('error', () => {})
      open.push(each)
    }
  })
  const { port, close } = await listenOnLoopback(server)
  onTestFinished(() => {
    for (const each of open) each.destroy()
    return close()
  })
  return { url: `http://127.0.0.1:${port}`, asked: () => asked }
}

/** Writes a text to a file for the time of a test. Returns its path. */
export function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-kubeclient-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'config'), text)
  return join(folder, 'config')
}

/** Writes a kubeconfig whose clusters are behind a proxy. Returns its path. */
export function kubeconfigWithProxy(kubeconfig: string, url: string): string {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as { clusters: { cluster: { [name: string]: unknown } }[] }
  for (const { cluster } of config.clusters) cluster['proxy-url'] = url
  return fileOf(stringify(config))
}
