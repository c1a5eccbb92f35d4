import { describe, expect, it } from 'vitest'
import { bootScript, customData, STAND_IN_TOKEN } from '../../shared/adapters/azure/bootstrap/customData.ts'
import { GPU_SIZES, needsFabricManager } from '../../shared/adapters/azure/sizes/gpuSizes.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { defined } from '../../shared/base/values.ts'
import type { KubeletSettings } from '../../shared/model/nodeClass.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from '../../test/azure/harness.ts'
import { sku } from '../../test/azure/skuBuilder.ts'
import { valueOf } from '../../test/conformance/harness.ts'
import { createAuthority } from '../certificates/authority.ts'
import { NODES } from '../cluster/client/resource.ts'
import { readBootConfig } from './bootConfig.ts'
import { fabricFailure, isSwitched } from './image/gpuFabric.ts'
import { NODE_IMAGES } from './image/nodeImage.ts'
import { testMachine } from './testing/machines.ts'
import { TEST_TOKEN, withCluster } from './testing/withCluster.ts'

const AZURE = {
  subscriptionId: '00000000-0000-0000-0000-000000000001',
  tenantId: '00000000-0000-0000-0000-000000000002',
  location: 'eastus',
  resourceGroups: ['MC_demo'],
  subnetId:
    '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/MC_demo/providers/Microsoft.Network/virtualNetworks/v/subnets/s',
}

const SIZE = 'Standard_D4s_v5'
const SKU = sku({ name: SIZE, capabilities: { vCPUs: '4', MemoryGB: '16' } })

function typeOf(config: ReturnType<typeof clusterConfig>, maxPods?: number) {
  const size = usableSize(SKU)
  const [type] = buildInstanceTypes(
    { sizes: size === undefined ? [] : [size], prices: {}, usages: {} },
    nodeClass(defined({ maxPods })),
    config,
  )
  if (type === undefined) throw new Error('the size must serve')
  return type
}

const LONG_LABEL = { [`team.example.com/${'a'.repeat(60)}`]: 'b', 'short.example.com/kind': 'c' }

type Facts = {
  readonly apiServer: string
  readonly ca: string
  readonly version?: string
  readonly kubelet?: KubeletSettings
  readonly labels?: { readonly [key: string]: string }
  readonly networkDataplane?: 'azure' | 'cilium'
  readonly vnetGuid?: string
  readonly maxPods?: number
}

/** Returns what the provider writes for a claim that joins the given API server and trusts its authority. */
function written(facts: Facts): string {
  return launched(facts).data
}

const IMAGE = '/CommunityGalleries/g/images/2404gen2containerd/versions/202608.21.0'

/** The boot data, and the instance type that the launch was planned with. */
function launched(facts: Facts) {
  const config = clusterConfig(AZURE, {
    apiServer: facts.apiServer,
    caBundle: Buffer.from(facts.ca).toString('base64'),
    kubernetesVersion: facts.version ?? '1.34.2',
    networkDataplane: facts.networkDataplane ?? 'azure',
    ...(facts.vnetGuid === undefined ? {} : { vnetGuid: facts.vnetGuid }),
  })
  const candidate = candidateOf(typeOf(config, facts.maxPods))
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
  const made = claim('default-abcde', { taints })
  const labelled = { ...made, meta: { ...made.meta, labels: { ...made.meta.labels, ...facts.labels } } }
  const theClass = nodeClass({ kubelet: facts.kubelet ?? {} })
  const script = valueOf(
    bootScript({ claim: labelled, nodeClass: theClass, candidate, config, imageId: IMAGE, bootstrapToken: STAND_IN_TOKEN }),
  )
  return { data: customData(script, TEST_TOKEN), type: candidate.instanceType }
}

/** The labels that the local Azure says its nodes need. */
const OVERLAY_LABELS = [
  'kubernetes.azure.com/podnetwork-type=overlay',
  'kubernetes.azure.com/azure-cni-overlay=true',
  'kubernetes.azure.com/nodenetwork-vnetguid=00000000-0000-4000-8000-00000000a00c',
]

const VERSIONS = ['1.28.15', '1.29.9', '1.30.1', '1.31.3', '1.32.9', '1.33.4', '1.34.2', '1.35.0', '1.36.1']

/** Kubelet settings of an AKSNodeClass, by a description. */
const KUBELETS: { readonly [sentence: string]: KubeletSettings } = {
  'nothing special': {},
  'a period of its own': { cpuCfsQuotaPeriod: '5ms' },
  'the usual period': { cpuCfsQuotaPeriod: '100ms' },
  'the usual period in other words': { cpuCfsQuotaPeriod: '0.1s' },
  everything: {
    cpuManagerPolicy: 'static',
    cpuCfsQuota: true,
    cpuCfsQuotaPeriod: '1s',
    imageGcHighThresholdPercent: 90,
    imageGcLowThresholdPercent: 70,
    topologyManagerPolicy: 'single-numa-node',
    allowedUnsafeSysctls: ['net.core.somaxconn', 'kernel.msg*'],
    containerLogMaxSize: '50Mi',
    containerLogMaxFiles: 5,
    podPidsLimit: 100,
    failSwapOn: false,
  },
}

describe('the boot data the provider writes', () => {
  const authority = createAuthority('joiner local test')
  for (const image of NODE_IMAGES) {
    for (const [sentence, kubelet] of Object.entries(KUBELETS)) {
      it.each(VERSIONS)(`starts a kubelet of %s on an image ${image.name}: ${sentence}`, async (version) => {
        const { certificate: ca } = await authority
        const data = written({ apiServer: 'https://demo.example:8443', ca, version, kubelet, labels: LONG_LABEL })
        const boot = readBootConfig(data, image)
        expect(boot.ok ? undefined : boot.error).toBe(undefined)
        const known = ['short.example.com/kind', ...Object.keys(LONG_LABEL)]
        const custom = boot.ok ? Object.keys(boot.value.labels).filter((key) => key.includes('example.com')) : []
        // A key that nobody asked for is what is left of a label key that was cut.
        expect(custom.filter((key) => !known.includes(key))).toEqual([])
        expect(custom).toContain('short.example.com/kind')
      })
    }
  }

  it.each(VERSIONS.flatMap((version) => [30, 110, 250].map((maxPods) => [version, maxPods] as const)))(
    'reserves on a kubelet of %s with %s pods what the plan takes off',
    async (version, maxPods) => {
      const { certificate: ca } = await authority
      const { data, type } = launched({ apiServer: 'https://demo.example:8443', ca, version, maxPods })
      const boot = readBootConfig(data)
      const { reserved, eviction } = boot.ok ? boot.value.settings : expect.fail(boot.error.message)
      expect((reserved['memory'] ?? 0) + eviction.memoryBytes).toBe(type.overhead['memory'])
      expect(reserved['cpu']).toBe(type.overhead['cpu'])
      expect(eviction.memoryBytes).toBe((version.startsWith('1.28') ? 750 : 100) * 2 ** 20)
    },
  )

  it('starts the fabric manager on all sizes that are said to need it, and on no size of the series without a switch', () => {
    const known = GPU_SIZES.map((size) => `Standard_${size}`)
    expect(known.filter((size) => isSwitched(size) && !needsFabricManager(size))).toEqual([])
    expect(known.filter((size) => fabricFailure(size, needsFabricManager(size)) !== undefined)).toEqual([])
    expect(known.filter((size) => isSwitched(size)).length).toBeGreaterThan(10)
  })

  for (const version of ['1.29.9', '1.30.1', '1.33.4', '1.34.2', '1.35.0']) {
    it(`starts a kubelet of ${version}`, async () => {
      const { certificate: authority } = await createAuthority('joiner local test')
      const boot = readBootConfig(written({ apiServer: 'https://demo.example:8443', ca: authority, version }))
      expect(boot).toMatchObject({
        ok: true,
        value: {
          apiServer: { host: 'demo.example', port: 8443 },
          bootstrapToken: TEST_TOKEN,
          version: { text: version },
          arch: 'amd64',
          settings: {
            taints: [
              { key: 'team', value: 'a', effect: 'NoSchedule' },
              { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
            ],
          },
          labels: { 'karpenter.sh/nodepool': 'default', 'kubernetes.azure.com/role': 'agent' },
        },
      })
    })
  }

  it.each([
    ['cilium', 'ready'],
    ['azure', 'running'],
  ] as const)('brings the agent of the network to the node only where the cluster says so: %s', async (networkDataplane, want) => {
    const kubelets = () => ({ networkLabels: ['kubernetes.azure.com/ebpf-dataplane=cilium'] })
    await withCluster({ speed: 50, kubelets }, async ({ kubernetes, machines, kubelets: { logs }, until }) => {
      const size = { size: SIZE, cpus: 4, memoryBytes: 16 * 2 ** 30 }
      const data = written({ apiServer: kubernetes.url, ca: kubernetes.caCertificate, networkDataplane })
      machines.start(testMachine('joiner-default-abcde', data, size))
      const line = await until('what became of it', async () => logs.find(({ stage }) => stage === 'ready' || stage === 'running'))
      expect(line.stage).toBe(want)
    })
  })

  it.each([
    ['the network of the machines', '00000000-0000-4000-8000-00000000a00c', 'ready'],
    ['another network', '00000000-0000-4000-8000-00000000ffff', 'running'],
  ] as const)('makes a node of an overlay network ready only with the GUID of %s', async (_which, vnetGuid, want) => {
    const kubelets = () => ({ networkLabels: [...OVERLAY_LABELS] })
    await withCluster({ speed: 50, kubelets }, async ({ kubernetes, machines, kubelets: { logs }, until }) => {
      const data = written({ apiServer: kubernetes.url, ca: kubernetes.caCertificate, vnetGuid })
      machines.start(testMachine('joiner-default-abcde', data, { size: SIZE, cpus: 4, memoryBytes: 16 * 2 ** 30 }))
      const line = await until('what became of it', async () => logs.find(({ stage }) => stage === 'ready' || stage === 'running'))
      expect(line.stage).toBe(want)
    })
  })

  it('makes a machine a node', async () => {
    await withCluster({ speed: 50 }, async ({ api, kubernetes, machines, until }) => {
      const size = { size: SIZE, cpus: 4, memoryBytes: 16 * 2 ** 30 }
      machines.start(testMachine('joiner-default-abcde', written({ apiServer: kubernetes.url, ca: kubernetes.caCertificate }), size))
      const node = await until('a ready node', async () => {
        const seen = await api.get(NODES, { name: 'joiner-default-abcde' })
        const ready = seen.ok && seen.value.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True')
        return ready && seen.value
      })
      expect(node.metadata.labels).toMatchObject({ 'karpenter.sh/nodepool': 'default', 'node.kubernetes.io/instance-type': SIZE })
    })
  })
})
