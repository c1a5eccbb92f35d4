// A small cluster for tests: the embedded API server, all controllers, and kubelets on machines that the test starts.
import { HANGS_AFTER_MS } from '../../../test/builders/eventually.ts'
import { createApi, type KubeApi } from '../../cluster/client/api.ts'
import { createKubeClient } from '../../cluster/client/kubeClient.ts'
import { type StartControllersOptions, startControllers } from '../../cluster/startControllers.ts'
import type { LocalKubernetes } from '../../kubernetes/kubernetesOptions.ts'
import { startKubernetes } from '../../kubernetes/startKubernetes.ts'
import { type Kubelets, type StartKubeletsOptions, startKubelets } from '../startKubelets.ts'
import { tokenIssuer } from '../tokenIssuer.ts'
import { type BootFacts, type TestMachines, testCustomData, testMachine, testMachines } from './machines.ts'

export type TestCluster = {
  readonly api: KubeApi
  readonly kubernetes: LocalKubernetes
  readonly machines: TestMachines
  readonly kubelets: Kubelets
  /** Starts a machine with a valid boot script, changed by `facts`. */
  boot(name: string, facts?: Partial<BootFacts>): void
  /** Polls until `look` returns something. Fails with the last log lines. */
  until<Seen>(what: string, look: () => Promise<Seen | undefined | false>): Promise<Seen>
}

export const TEST_TOKEN = 'abcdef.0123456789abcdef'

export type TestClusterOptions = {
  readonly speed?: number
  readonly kubelets?: (kubernetes: LocalKubernetes) => Partial<StartKubeletsOptions>
  readonly controllers?: Pick<StartControllersOptions, 'which' | 'silenceMs'>
}

export async function withCluster(options: TestClusterOptions, use: (cluster: TestCluster) => Promise<void>): Promise<void> {
  const bootstrap = { token: TEST_TOKEN, user: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:bootstrappers:joiner'] }
  const kubernetes = await startKubernetes({ tokens: [bootstrap] })
  const lines: string[] = []
  const source = { url: kubernetes.url, ca: kubernetes.caCertificate, token: kubernetes.adminToken }
  const machines = testMachines()
  const speed = options.speed ?? 20
  const controllers = await startControllers({ ...source, machines, speed, log: (line) => lines.push(line), ...options.controllers })
  const kubelets = await startKubelets({ machines, speed, credentials: tokenIssuer(kubernetes), ...options.kubelets?.(kubernetes) })
  const client = createKubeClient({ url: source.url, ca: source.ca, credential: { kind: 'token', token: source.token } })
  const api = createApi(client, new AbortController().signal)
  const until: TestCluster['until'] = async (what, look) => {
    for (const end = Date.now() + HANGS_AFTER_MS; ; ) {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
      if (Date.now() > end) {
        const said = [...lines, ...kubelets.logs.map((line) => `${line.machine} ${line.stage}: ${line.message}`)]
        throw new Error(`never saw: ${what}\n${said.slice(-30).join('\n')}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const boot = (name: string, facts: Partial<BootFacts> = {}) =>
    machines.start(testMachine(name, testCustomData({ apiServer: new URL(source.url).host, ca: source.ca, token: TEST_TOKEN, ...facts })))
  try {
    await use({ api, kubernetes, machines, kubelets, boot, until })
  } finally {
    kubelets.close()
    controllers.close()
    client.close()
    await kubernetes.close()
  }
}
