import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../shared/base/values.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { freePort } from '../stack/freePort.ts'
import { createOwnedParts, type OwnedParts } from '../stack/ownedParts.ts'
import type { Binaries } from './binaries.ts'
import { CLIENTS, type Client, createKeys } from './keys.ts'
import { printKubeconfig } from './kubeconfig.ts'
import { type Program, startProgram } from './program.ts'
import { apiServer, authenticationFile, controllerManager, etcd, type Layout, scheduler, writeAuthentication } from './programs.ts'
import { serverIsReady } from './serverIsReady.ts'

export type ControlPlaneOptions = {
  readonly binaries: Binaries
  /** The folder of its files. It is removed when the control plane stops. */
  readonly folder: string
  /** Port of the API server. 0 takes a free port. */
  readonly port?: number
  /** Names in the certificate of the API server, in addition to its address. */
  readonly serverNames?: readonly string[]
  /** More flags of the controller manager. */
  readonly controllerManagerFlags?: readonly string[]
  /** An https address that is the issuer in tokens of service accounts. Default: the API server, which publishes the keys itself. */
  readonly issuer?: string
  /** `profiles` of the scheduler's configuration. Default: its default profile. */
  readonly schedulerProfiles?: readonly object[]
  /** Runs etcd and the API server only, so that only clients change objects. */
  readonly withoutControllers?: boolean
}

/** A real control plane on the loopback address: etcd, API server and, unless `withoutControllers` is set, controller manager and scheduler. */
export interface ControlPlane {
  readonly url: string
  /** PEM. */
  readonly caCertificate: string
  /** The kubeconfig of the administrator. */
  readonly kubeconfigFile: string
  readonly authenticationFile: string
  /** A JSON line for each answered request. */
  readonly auditFile: string
  /** The address at which etcd serves JSON over HTTP. */
  readonly etcdUrl: string
  /** Periods from the kill of the API server until it was ready again. It refuses every request until it has read its roles. */
  readonly restarts: readonly Period[]
  /** Rejects when a program ends without a request to end. */
  readonly failed: Promise<never>
  /** Kills the API server and starts it again on the same address, with the same data. */
  restartApiServer(): Promise<void>
  close(): Promise<void>
}

/** Epoch milliseconds. */
export type Period = { readonly from: number; readonly to: number }

/** A limit for a start that hangs. With tens of thousands of objects on a busy machine a start takes more than a minute. */
const READY_WITHIN_MS = 240_000

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const parts = createOwnedParts()
  try {
    return await start(options, parts)
  } catch (cause) {
    await parts.close()
    throw cause
  }
}

async function start(options: ControlPlaneOptions, parts: OwnedParts): Promise<ControlPlane> {
  const { folder, binaries, port = 0, issuer, schedulerProfiles } = options
  mkdirSync(folder, { recursive: true })
  await parts.own(() => rmSync(folder, { recursive: true, force: true }))
  const keys = await createKeys(join(folder, 'keys'), options.serverNames)
  const ports = { etcd: await freePort(), etcdPeer: await freePort(), apiServer: port === 0 ? await freePort() : port }
  const url = `https://127.0.0.1:${ports.apiServer}`
  const authentication = authenticationFile(folder)
  const kubeconfigOf = (client: Client): string => join(folder, client === 'admin' ? 'kubeconfig' : `${client}.kubeconfig`)
  for (const client of CLIENTS) {
    writeFileSync(kubeconfigOf(client), printKubeconfig({ url, authenticationFile: authentication }, keys, client), { mode: 0o600 })
  }
  writeAuthentication(authentication, [])
  const layout: Layout = { folder, binaries, keys, ports, kubeconfigOf, ...defined({ issuer, schedulerProfiles }) }

  const store = startProgram(etcd(layout))
  await parts.own(() => store.stop())
  let server = startProgram(apiServer(layout))
  await parts.own(() => server.stop())
  await ready(url, keys.caCertificate, [store, server])
  const controllers = options.withoutControllers ? [] : [controllerManager(layout, options.controllerManagerFlags ?? []), scheduler(layout)]
  const { promise: failed, reject } = Promise.withResolvers<never>()
  let isRestarting = false
  /** A controller that starts without an API server ends. Any other end without a request is a failure. */
  const watched = (program: Program): Program => {
    program.failed.catch((cause: unknown) => {
      if (!isRestarting) reject(cause)
    })
    return program
  }
  watched(store)
  watched(server)
  let helpers = controllers.map((program) => ({ program, running: watched(startProgram(program)) }))
  await parts.own(() => Promise.all(helpers.map(({ running }) => running.stop())))
  const restarts: Period[] = []
  return {
    url,
    caCertificate: keys.caCertificate,
    kubeconfigFile: kubeconfigOf('admin'),
    authenticationFile: authentication,
    auditFile: join(folder, 'audit.log'),
    etcdUrl: `http://127.0.0.1:${ports.etcd}`,
    restarts,
    failed,
    async restartApiServer() {
      const from = Date.now()
      isRestarting = true
      try {
        await server.kill()
        server = watched(startProgram(apiServer(layout)))
        await ready(url, keys.caCertificate, [store, server])
      } finally {
        isRestarting = false
      }
      // Controllers that have ended are started again, as a kubelet would do.
      helpers = helpers.map((each) => (each.running.isRunning() ? each : { ...each, running: watched(startProgram(each.program)) }))
      restarts.push({ from, to: Date.now() })
    },
    close: parts.close,
  }
}

/** Waits until the API server reports that it is ready. Fails if one of the programs ends first. */
async function ready(url: string, ca: string, programs: readonly Program[]): Promise<void> {
  const deadline = AbortSignal.timeout(READY_WITHIN_MS)
  const failed = Promise.race(programs.map((program) => program.failed))
  const isUp = serverIsReady(url, ca, deadline)
  if (!(await Promise.race([isUp, failed]))) {
    throw new Fault(
      'start the control plane',
      problem('SETTING.INVALID', `the API server was not ready within ${READY_WITHIN_MS / 1000} s`),
    )
  }
}
