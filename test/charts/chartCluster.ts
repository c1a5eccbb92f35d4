import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Credential, connectionFrom, type KubeConnection } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient, type KubeRequest } from '../../local/cluster/client/kubeClient.ts'
import { CACHE, findBinaries, isBuilt } from '../../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import type { HelmOutcome } from '../../local/helm/runHelm.ts'
import { listenOnLoopback } from '../../shim/testing/listenOnLoopback.ts'
import { CHART, CRD_CHART, HELM, helm, NAMESPACE } from './helm.ts'
import { REQUIRED, type Values } from './valueSets.ts'

const assets = process.env['KUBEBUILDER_ASSETS']
const hasPlane = isBuilt({ assets, cache: CACHE })
export const CAN_INSTALL = hasPlane && HELM !== undefined
export const WHY_NOT = CAN_INSTALL ? '' : ' (skipped: not built; npm run controlplane -- --build-only, npm run helm)'
export const LIMIT_MS = 3 * 60_000

type Call = Omit<KubeRequest, 'signal'>
/** The answer of an API server: code 200 with a body, or the code and message of a refusal. */
export type Answer = { readonly code: number; readonly message: string; readonly body: unknown }

/** A real control plane of its own, with Helm. */
export interface ChartCluster {
  readonly plane: ControlPlane
  readonly admin: Caller
  /** A caller that the administrator impersonates. The API server adds the groups of service accounts by itself. */
  as(user: string): Caller
  with(credential: Credential): Caller
  helm(args: readonly string[], values?: Values): Promise<HelmOutcome>
  /** Installs both charts. Default: with the required values. */
  installCharts(values?: Values): Promise<void>
  /** An address without TLS on which every request is made as the user. For clients that can only send tokens. */
  doorOf(user: string): Promise<string>
  close(): Promise<void>
}

export type Caller = (call: Call) => Promise<Answer>

export async function startChartCluster(): Promise<ChartCluster> {
  const root = mkdtempSync(join(tmpdir(), 'joiner-chart-'))
  const plane = await startControlPlane({
    binaries: await findBinaries({ assets, cache: CACHE, say: () => {} }),
    folder: join(root, 'plane'),
  })
  const connection = connectionFrom({ kubeconfig: plane.kubeconfigFile })
  const clients: KubeClient[] = []
  const doors: { close(): Promise<void> }[] = []

  function callerOf(credential: Credential): Caller {
    const client = createKubeClient({ ...connection, credential })
    clients.push(client)
    return async (call) => {
      const answer = await client.send<unknown>({ ...call, signal: AbortSignal.timeout(LIMIT_MS) })
      return answer.ok
        ? { code: 200, message: '', body: answer.value }
        : { code: answer.error.code, message: answer.error.message, body: undefined }
    }
  }

  const helmHere: ChartCluster['helm'] = (args, values) =>
    helm([...args, '--kubeconfig', plane.kubeconfigFile, '--namespace', NAMESPACE], values)
  const admin = callerOf(connection.credential)
  await until(async () => (await admin({ method: 'GET', path: '/api/v1/namespaces/kube-system/serviceaccounts/default' })).code === 200)
  return {
    plane,
    admin,
    as: (user) => callerOf(impersonating(connection, user)),
    with: callerOf,
    helm: helmHere,
    async installCharts(values = REQUIRED) {
      for (const outcome of [
        await helmHere(['install', 'joiner-crd', CRD_CHART, '--create-namespace']),
        await helmHere(['install', 'joiner', CHART], values),
      ])
        if (outcome.code !== 0) throw new Error(outcome.errors)
    },
    async doorOf(user) {
      const door = await listenOnLoopback(openDoor(connection, user))
      doors.push(door)
      return `http://127.0.0.1:${door.port}`
    },
    async close() {
      for (const client of clients) client.close()
      for (const door of doors) await door.close()
      await plane.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function impersonating({ credential }: KubeConnection, user: string): Credential {
  const read = async () => {
    const own = credential.kind === 'kubeconfig' ? await credential.read() : {}
    return { ...own, headers: { ...own.headers, 'impersonate-user': user } }
  }
  return { kind: 'kubeconfig', read }
}

function openDoor(connection: KubeConnection, user: string) {
  const credential = impersonating(connection, user)
  return createServer((incoming, outgoing) => {
    const { authorization: _, host: __, ...headers } = incoming.headers
    const forward = async () => {
      const own = credential.kind === 'kubeconfig' ? await credential.read() : {}
      const ca = connection.ca === undefined ? {} : { ca: connection.ca }
      const options: RequestOptions = { method: incoming.method, ...ca, ...own, headers: { ...headers, ...own.headers } }
      const onward = request(new URL(incoming.url ?? '/', connection.url), options, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      incoming.pipe(onward)
    }
    void forward()
  })
}

/** Waits in real time: the condition becomes true in another process. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it did not come to pass within a minute')
    await pause(100)
  }
}
