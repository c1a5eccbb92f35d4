import { describe, expect, it } from 'vitest'
import { customData } from '../../shared/adapters/azure/bootstrap/customData.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from '../../test/azure/harness.ts'
import { sku } from '../../test/azure/skuBuilder.ts'
import { valueOf } from '../../test/conformance/harness.ts'
import { createAuthority } from '../certificates/authority.ts'
import { NODES } from '../cluster/client/resource.ts'
import { readBootConfig } from './bootConfig.ts'
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

function typeOf(config: ReturnType<typeof clusterConfig>) {
  const size = usableSize(SKU)
  const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, nodeClass(), config)
  if (type === undefined) throw new Error('the size must serve')
  return type
}

/** What the provider writes for a claim, for an API server and its authority. */
function written(facts: { readonly apiServer: string; readonly ca: string; readonly version?: string }): string {
  const config = clusterConfig(AZURE, {
    apiServer: facts.apiServer,
    caBundle: Buffer.from(facts.ca).toString('base64'),
    kubernetesVersion: facts.version ?? '1.34.2',
  })
  const candidate = candidateOf(typeOf(config))
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
  return valueOf(
    customData({ claim: claim('default-abcde', { taints }), nodeClass: nodeClass(), candidate, config, bootstrapToken: TEST_TOKEN }),
  )
}

describe('the boot data the provider writes', () => {
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
