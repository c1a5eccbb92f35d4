/** Smoke runs on the local ARM and a cluster of this process, with kubelets on the machines that the local ARM makes. */

import { type Access, openAccess } from '../../cli/clusterAccess.ts'
import { readInstallOptions } from '../../cli/preflight/installOptions.ts'
import { CLAIMS, CLASSES, POOLS, SETS } from '../../cli/smoke/appTrial.ts'
import type { KindName } from '../../cli/smoke/kinds.ts'
import type { SmokeRecord } from '../../cli/smoke/record.ts'
import { pathTemplate } from '../../cli/smoke/shapes.ts'
import { startSmoke } from '../../cli/smoke/startSmoke.ts'
import { networkLabelsOf } from '../../local/azure/networkLabels.ts'
import type { StartAzureOptions } from '../../local/azure/options.ts'
import type { LocalAzure } from '../../local/azure/startAzure.ts'
import { startControllers } from '../../local/cluster/startControllers.ts'
import { startKubelets } from '../../local/kubelet/startKubelets.ts'
import { tokenIssuer } from '../../local/kubelet/tokenIssuer.ts'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { callServer } from '../../local/kubernetes/testing/withServer.ts'
import { fetchKeys } from '../../local/stack/fetchKeys.ts'
import { KUBE_AUDIENCE } from '../../local/stack/identities.ts'
import type { AroundCall } from '../../shared/adapters/azure/clients.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { credentialFor, startHarness } from './harness.ts'
import { createSmokePrograms } from './smokePrograms.ts'

/** A machine goes two and a half seconds after its notice, which a busy computer needs to see the notice and to close the node. */
const SPEED = 12
const KUBELET_SPEED = 50
/** A pause of the command is shorter by this factor. */
const HURRY = 50

/** What a run of smoke is played on. */
type SmokeGrounds = {
  readonly azure: LocalAzure
  readonly kubernetes: { readonly url: string; readonly caCertificate: string; readonly adminToken: string }
  readonly hurry: number
}

/** A call that leaves the process: `PUT /subscriptions/{}/...`, `kube POST /api/v1/...`, or `token` for a call of the product's cluster adapter. */
type Leaving = <Value>(call: string, effect: () => Promise<Value>) => Promise<Value>
/** A call by its name and its number among the calls of that name, and whether its effect comes before the end. */
export type KillPoint = { readonly call: string; readonly nth: number; readonly when: 'before' | 'after' }

export type SmokeWorld = Awaited<ReturnType<typeof startSmokeWorld>>

type Given = {
  readonly kinds?: readonly KindName[]
  readonly resume?: SmokeRecord | undefined
  readonly onlyRemove?: boolean
  readonly maxCost?: number
  readonly environment?: { readonly [name: string]: string }
  /** Where the process ends, as by a power cut. */
  readonly kill?: KillPoint
  readonly stop?: AbortSignal
  readonly answer?: boolean
  /** Called before a call that leaves the process, by its name. */
  readonly before?: (call: string) => Promise<void>
}

/** A process that may be killed. After that nothing it does has an effect, and nothing it waits for comes. */
function createProcess(kill: KillPoint | undefined, before: Given['before']) {
  const calls: string[] = []
  const never = new Promise<never>(() => undefined)
  let end: () => void = () => undefined
  const killed = new Promise<'killed'>((resolve) => {
    end = () => resolve('killed')
  })
  let isDead = false
  const die = (): Promise<never> => {
    isDead = true
    end()
    return never
  }
  const leaving: Leaving = async (call, effect) => {
    if (isDead) return never
    const name = call.includes('/subscriptions/') ? `${call.split(' ')[0]} ${pathTemplate(call.split(' ')[1] ?? '')}` : nameless(call)
    calls.push(name)
    await before?.(name)
    const isHere = kill?.call === name && calls.filter((each) => each === name).length === kill.nth
    if (isHere && kill.when === 'before') return die()
    const value = await effect()
    if (isHere) return die()
    return isDead ? never : value
  }
  return { calls, killed, leaving, isDead: () => isDead, never }
}

/** The call without the name of the run in it. */
function nameless(call: string): string {
  return call.replaceAll(/smoke-[a-z]{6}/g, 'smoke-{}')
}

/** The binding of the chart that lets machines ask for a certificate. */
const BINDING = {
  metadata: { name: 'joiner-bootstrap' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers:joiner' }],
}
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

export async function startSmokeWorld(options: StartAzureOptions = {}) {
  const durations = { nic: 120, vmCreate: 600, vmBoot: 700, vmDelete: 600, nicReservation: 600 }
  const harness = await startHarness({ speed: SPEED, durations, ...options })
  const { azure } = harness
  const oidc = { issuer: azure.issuer, audience: KUBE_AUDIENCE, keys: await fetchKeys(azure) }
  const kubernetes = await startKubernetes({ oidc })
  const source = { url: kubernetes.url, ca: kubernetes.caCertificate, token: kubernetes.adminToken }
  const controllers = await startControllers({ ...source, machines: azure.machines, speed: KUBELET_SPEED, log: () => undefined })
  const programs = createSmokePrograms(azure)
  const kubelets = await startKubelets({
    machines: azure.machines,
    speed: KUBELET_SPEED,
    credentials: tokenIssuer(kubernetes),
    networkLabels: networkLabelsOf(azure),
    programsOn: programs.on,
  })
  const { bind, run, left } = createSmokeRuns({ azure, kubernetes, hurry: HURRY })
  await bind(true)
  return {
    harness,
    azure,
    kubernetes,
    kubelets,
    programs,
    /** Whether the chart is there as far as machines need it to join. */
    bind,
    run,
    left,
    async close() {
      kubelets.close()
      controllers.close()
      await azure.close()
      await kubernetes.close()
      programs.close()
    },
  }
}

/** A clock that runs so many times as fast. */
function hurriedClock(times: number): Clock {
  const started = Date.now()
  return {
    now: () => epochMs(started + (Date.now() - started) * times),
    sleep: async (ms, signal) => {
      if (signal?.aborted) throw signal.reason
      await new Promise((resolve) => setTimeout(resolve, ms / times))
      if (signal?.aborted) throw signal.reason
    },
  }
}

export type SmokeRuns = ReturnType<typeof createSmokeRuns>

/** Plays the command in this process, as often as a test likes. */
export function createSmokeRuns({ azure, kubernetes, hurry }: SmokeGrounds) {
  const credential = credentialFor(azure)
  const authority = Buffer.from(kubernetes.caCertificate).toString('base64')
  const kubeconfig = JSON.stringify({ clusters: [{ cluster: { server: kubernetes.url, 'certificate-authority-data': authority } }] })
  azure.putResource({ id: azure.clusterResourceId, ...azure.getResource(azure.clusterResourceId), kubeconfig })
  const bind = (isBound: boolean) =>
    isBound
      ? callServer(kubernetes, { token: kubernetes.adminToken, method: 'POST', path: BINDINGS, body: BINDING })
      : callServer(kubernetes, { token: kubernetes.adminToken, method: 'DELETE', path: `${BINDINGS}/joiner-bootstrap`, body: undefined })
  const clock = hurriedClock(hurry)

  function open(recorded: AroundCall, leaving: Leaving, clock: Clock): Access {
    const around: AroundCall = (request, next) =>
      recorded(request, (sent) => leaving(`${sent.method} ${new URL(sent.url).pathname}`, () => next(sent)))
    const armOptions = { endpoint: azure.armUrl, ca: azure.caCertificate, maxRetries: 1, retryDelayMs: 20, around }
    const opened = openAccess({}, { credential, armOptions, clock })
    const transport: Access['transport'] = (server) => {
      const call = opened.transport(server)
      return (asked, signal) => leaving(`kube ${asked.method} ${asked.path}`, () => call(asked, signal))
    }
    return { ...opened, transport, token: () => leaving('token', () => Promise.resolve(kubernetes.adminToken)) }
  }

  /** Runs smoke from the record of an earlier run, or from none. */
  async function run(given: Given = {}) {
    const { kinds = ['default'], resume, onlyRemove = false, maxCost = 1, stop = new AbortController().signal, answer = true } = given
    const process = createProcess(given.kill, given.before)
    const written: SmokeRecord[] = []
    const lines: string[] = []
    const asked: string[] = []
    const environment = {
      AZURE_SUBSCRIPTION_ID: azure.subscriptionId,
      JOINER_CLUSTER_IDS: azure.clusterResourceId,
      JOINER_ALERTS: 'off',
      PRICES_ENDPOINT: azure.pricesUrl,
      ...given.environment,
    }
    const wishes = readInstallOptions(environment)
    if (!wishes.ok) throw new Error(wishes.error.join())
    const own: Clock = { now: clock.now, sleep: (ms, signal) => (process.isDead() ? process.never : clock.sleep(ms, signal)) }
    const outcome = startSmoke(
      { resourceId: azure.clusterResourceId, kinds, resume, onlyRemove, maxCost, environment, wishes: wishes.value },
      {
        open: (around) => open(around, process.leaving, own),
        clock: own,
        write: (record) => void (process.isDead() || written.push(record)),
        print: (line) => void lines.push(line),
        ask: (question) => {
          asked.push(question)
          return Promise.resolve(answer)
        },
        runName: () => Array.from({ length: 6 }, () => 'abcdefghijkmnpqrstuvwxyz'[Math.floor(Math.random() * 24)]).join(''),
      },
      stop,
    )
    const code = await Promise.race([outcome, process.killed])
    return { code, lines, asked, records: written, record: written.at(-1), calls: process.calls }
  }

  return { bind, run, left: () => leftIn({ azure, kubernetes }) }
}

/** What a run may leave, as Azure and the cluster have it. */
async function leftIn({ azure, kubernetes }: Pick<SmokeGrounds, 'azure' | 'kubernetes'>): Promise<readonly string[]> {
  const { vms, nics, disks } = azure.state()
  const inCluster = async (path: string) => {
    const answer = await callServer(kubernetes, { token: kubernetes.adminToken, method: 'GET', path, body: undefined })
    return ((answer.body as { items?: { metadata: { name: string } }[] }).items ?? []).map(
      ({ metadata }) => `${path.slice(path.lastIndexOf('/') + 1)}/${metadata.name}`,
    )
  }
  const secrets = (await inCluster('/api/v1/namespaces/kube-system/secrets')).filter((name) => name.includes('/bootstrap-token'))
  const nodes = (await inCluster('/api/v1/nodes')).filter((name) => name.includes('smoke'))
  const pods = await inCluster('/api/v1/namespaces/kube-system/pods')
  const trial = await Promise.all([CLASSES, POOLS, CLAIMS, SETS].map(inCluster))
  return [...[...vms, ...nics, ...disks].map(({ id }) => id), ...nodes, ...pods, ...secrets, ...trial.flat()]
}
