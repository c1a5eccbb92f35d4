import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { startKubernetes } from '../../local/kubernetes/startKubernetes.ts'
import { callServer } from '../../local/kubernetes/testing/withServer.ts'
import { bootstrapTokenId } from '../../shared/adapters/kube/bootstrapTokenCalls.ts'
import { createClusterApi } from '../../shared/adapters/kube/createClusterApi.ts'
import { clusterId, DEFAULT_MACHINE_NAMES } from '../../shared/model/ids.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { SILENT } from '../builders/telemetry.ts'
import type { ClusterApiHarness } from '../conformance/clusterApiHarness.ts'

const CLUSTER = clusterId('demo')
const CHART = new URL('../../charts/joiner-crd/templates/', import.meta.url)

/** Real time, because these tests talk to a real server. No test waits for the clock. */
const clock: Clock = {
  now: () => epochMs(Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

export { SILENT as silentTelemetry }

export type KubeHarness = ClusterApiHarness & {
  /** Calls the API server as its administrator. Fails the test if the server refuses a write. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ readonly code: number; readonly body: Body }>
}

/** The embedded API server with the definitions of the chart, a NodePool and an AKSNodeClass. */
export async function kubeHarness(): Promise<KubeHarness> {
  const server = await startKubernetes()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await callServer(server, { token: server.adminToken, method, path, body })
    if (answer.code >= 300 && method !== 'GET') throw new TypeError(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`)
    return answer as { code: number; body: Body }
  }
  for (const file of readdirSync(CHART)) {
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', parse(readFileSync(new URL(file, CHART), 'utf8')))
  }
  await call('POST', '/apis/karpenter.azure.com/v1beta1/aksnodeclasses', NODE_CLASS)
  await call('POST', '/apis/karpenter.sh/v1/nodepools', NODE_POOL)
  const matching = async (labels: { readonly [name: string]: string }) => {
    const selector = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
    const { body } = await call('GET', `/api/v1/namespaces/default/pods?labelSelector=${encodeURIComponent(selector.join(','))}`)
    return body.items?.length ?? 0
  }
  return {
    call,
    api: createClusterApi({
      server: server.url,
      caBundle: Buffer.from(server.caCertificate).toString('base64'),
      token: () => Promise.resolve(server.adminToken),
      cluster: CLUSTER,
      machineNames: DEFAULT_MACHINE_NAMES,
      clock,
      telemetry: SILENT,
    }),
    async makeNode(name, labels = {}) {
      await call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } })
    },
    async makeAttachment({ name, node, volume }) {
      const spec = { attacher: 'disk.csi.azure.com', nodeName: node, source: { persistentVolumeName: volume } }
      const path = '/apis/storage.k8s.io/v1/volumeattachments'
      await call('POST', path, { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name }, spec })
    },
    async makePod({ name, node, labels = {}, isNominated = false, refusal }) {
      const containers = [{ name: 'main', image: 'pause' }]
      const spec = isNominated ? { containers } : { nodeName: node, containers }
      await call('POST', '/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec })
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }]
      await call('PATCH', `/api/v1/namespaces/default/pods/${name}/status`, {
        status: isNominated ? { nominatedNodeName: node, ...refusedAs(refusal) } : { phase: 'Running', conditions },
      })
    },
    hasPod: async (key) => (await call('GET', `/api/v1/namespaces/default/pods/${key.split('/')[1]}`)).code === 200,
    async makeBudget({ name, labels, disruptionsAllowed }) {
      const minAvailable = (await matching(labels)) - disruptionsAllowed
      const spec = { minAvailable, selector: { matchLabels: labels } }
      const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
      await call('POST', path, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec })
    },
    async tokenOf(claim) {
      const { code, body } = await call('GET', `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${bootstrapTokenId(CLUSTER, claim)}`)
      if (code !== 200) return undefined
      const text = (key: string) => Buffer.from(body.data?.[key] ?? '', 'base64').toString('utf8')
      return { token: `${text('token-id')}.${text('token-secret')}`, expiresAt: Date.parse(text('expiration')) }
    },
    async events() {
      const { body } = await call('GET', '/api/v1/events')
      return (body.items ?? []).map(({ reason, message, count }) => `${reason} ${message} x${count}`)
    },
    close: () => server.close(),
  }
}

function refusedAs(message: string | undefined): object {
  if (message === undefined) return {}
  return {
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  }
}

type Body = {
  metadata?: { ownerReferences?: readonly object[] }
  items?: { metadata: { name: string }; reason: string; message: string; count: number; eventTime?: string }[]
  data?: { [key: string]: string }
}

const NODE_CLASS = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu', osDiskSizeGB: 128 },
}

const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
      },
    },
  },
}
