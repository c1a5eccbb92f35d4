import { afterEach, describe, expect, it } from 'vitest'
import { zoneName } from '../../shared/model/ids.ts'
import type { NodeClass } from '../../shared/model/nodeClass.ts'
import { durationMs } from '../../shared/model/units.ts'
import type { ClusterConfigInput } from '../../shared/wire/clusterConfig.ts'
import { bodyProblems, hasTypes } from './bicepTypes.ts'
import { candidateOf, claim, nodeClass, SIGNAL, startHarness, typeNamed } from './harness.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
type Kind = {
  size: string
  capacityType: 'on-demand' | 'spot'
  zone?: string
  spec?: Partial<NodeClass['spec']>
  config?: Partial<ClusterConfigInput>
  requirements?: Parameters<typeof claim>[1]
}

const COMPUTE = 'compute-2025-04-01.json.gz'
const NETWORK = 'network-2025-05-01.json.gz'
const missing = !hasTypes(COMPUTE) || !hasTypes(NETWORK)
const GROUP = '/subscriptions/s/resourceGroups/g/providers'
const BALANCER = `${GROUP}/Microsoft.Network/loadBalancers/l`
const POOL = `${BALANCER}/backendAddressPools/p`
let harness: Harness | undefined

afterEach(async () => {
  await harness?.azure.close()
  harness = undefined
})

async function bodies(kind: Kind): Promise<{ vm: unknown; nic: unknown }> {
  harness = await startHarness({}, kind.config)
  harness.azure.putResource({ id: BALANCER, location: 'eastus', properties: { backendAddressPools: [{ id: POOL }] } })
  await harness.catalog.refresh(SIGNAL)
  const theClass = nodeClass(kind.spec)
  const type = typeNamed(await harness.catalog.instanceTypes(theClass, SIGNAL), kind.size)
  const candidate = candidateOf(type, {
    capacityType: kind.capacityType,
    ...(kind.zone === undefined ? {} : { zone: zoneName(kind.zone) }),
  })
  const launched = await harness.provider.launch(
    {
      claim: claim('one', kind.requirements),
      nodeClass: theClass,
      candidate,
      bootstrapToken: async () => 'abcdef.0123456789abcdef',
      within: durationMs(30_000),
    },
    SIGNAL,
  )
  if (!launched.ok) throw new Error(launched.error.problem.message)
  const { vms, nics } = harness.azure.state()
  return { vm: vms[0]?.body, nic: nics[0]?.body }
}

const KINDS: Record<string, Kind> = {
  'a regional machine on demand': { size: 'Standard_D2as_v6', capacityType: 'on-demand', zone: '0' },
  'a spot machine in a zone': { size: 'Standard_D4as_v6', capacityType: 'spot', zone: 'eastus-2' },
  'a machine with an ephemeral disk': { size: 'Standard_D8ds_v5', capacityType: 'on-demand', zone: 'eastus-1' },
  'a machine with every setting': {
    size: 'Standard_D4s_v5',
    capacityType: 'on-demand',
    zone: 'eastus-1',
    spec: { encryptionAtHost: true, trustedLaunch: { vtpm: true }, tags: { 'team/a': 'x' } },
    config: {
      nodeIdentities: [`${GROUP}/Microsoft.ManagedIdentity/userAssignedIdentities/i`],
      networkSecurityGroupId: `${GROUP}/Microsoft.Network/networkSecurityGroups/n`,
      backendPoolIds: [POOL],
      diskEncryptionSetId: `${GROUP}/Microsoft.Compute/diskEncryptionSets/d`,
      images: { gallery: 'shared' },
      networkPluginMode: '',
    },
    requirements: { requirements: [{ key: 'karpenter.azure.com/sku-storage-ultra-ssd', operator: 'In', values: ['true'] }] },
  },
}

describe('what is sent for', () => {
  it.skipIf(missing).each(Object.entries(KINDS))(
    '%s keeps to the public definition (skipped without ../shared/data)',
    async (_sentence, kind) => {
      const { vm, nic } = await bodies(kind)
      expect(bodyProblems(COMPUTE, 'Microsoft.Compute/virtualMachines@2025-04-01', vm)).toEqual([])
      expect(bodyProblems(NETWORK, 'Microsoft.Network/networkInterfaces@2025-05-01', nic)).toEqual([])
    },
  )

  it.skipIf(missing)('a made-up, a read-only and a missing member would be found', () => {
    const body = { properties: { vmId: 'x', colour: 'red' }, location: 3 }
    expect(bodyProblems(COMPUTE, 'Microsoft.Compute/virtualMachines@2025-04-01', body)).toEqual([
      'properties.vmId is read-only',
      'properties.colour does not exist',
      'location must be text',
    ])
  })
})

describe('a machine', () => {
  it('is in its zone, spot, with an ephemeral disk in the place its size has for it', async () => {
    const { vm } = await bodies({ size: 'Standard_D8ds_v5', capacityType: 'spot', zone: 'eastus-3' })
    expect(vm).toMatchObject({
      location: 'eastus',
      zones: ['3'],
      tags: {
        'karpenter.azure.com_cluster': 'demo',
        'karpenter.sh_nodepool': 'default',
        'compute.aks.billing': 'linux',
        'joiner.dev_cluster': 'demo',
      },
      properties: {
        hardwareProfile: { vmSize: 'Standard_D8ds_v5' },
        priority: 'Spot',
        evictionPolicy: 'Delete',
        billingProfile: { maxPrice: -1 },
        storageProfile: {
          osDisk: {
            name: 'joiner-one',
            diskSizeGB: 128,
            createOption: 'FromImage',
            deleteOption: 'Delete',
            caching: 'ReadOnly',
            diffDiskSettings: { option: 'Local', placement: 'CacheDisk' },
          },
          imageReference: {
            communityGalleryImageId:
              '/CommunityGalleries/AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2/images/2404gen2containerd/versions/202511.03.0',
          },
        },
        osProfile: { adminUsername: 'azureuser', computerName: 'joiner-one' },
      },
    })
  })

  it('has one address, or one a pod where pods live in the subnet of the nodes', async () => {
    const count = (nic: unknown) => (nic as { properties: { ipConfigurations: unknown[] } }).properties.ipConfigurations.length
    const overlay = await bodies({ size: 'Standard_D2as_v6', capacityType: 'on-demand' })
    await harness?.azure.close()
    const flat = await bodies({
      size: 'Standard_D2as_v6',
      capacityType: 'on-demand',
      config: { networkPluginMode: '' },
      spec: { maxPods: 15 },
    })
    expect([count(overlay.nic), count(flat.nic)]).toEqual([1, 15])
  })

  it('carries tags nobody can take from it, in the spelling Azure takes', async () => {
    const { vm } = await bodies({
      size: 'Standard_D2as_v6',
      capacityType: 'on-demand',
      spec: { tags: { 'karpenter.sh/nodepool': 'mine', 'a/b': 'class' } },
      config: { additionalTags: { 'a/b': 'setting', c: 'd' } },
    })
    expect((vm as { tags: object }).tags).toMatchObject({ 'karpenter.sh_nodepool': 'default', a_b: 'class', c: 'd' })
  })
})
