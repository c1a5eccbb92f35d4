import { describe, expect, it } from 'vitest'
import { clusterConfig, nodeClass } from '../../../../test/azure/harness.ts'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { localDns } from '../../../../test/builders/localDns.ts'
import { sizeProblem } from './servedSizes.ts'
import { usableSize } from './size.ts'

const CONFIG = clusterConfig({
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'eastus',
  resourceGroups: ['MC_a_b_eastus'],
  subnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
})
const D2 = sku({})
const ARM = sku({ name: 'Standard_D2ps_v5', capabilities: { CpuArchitectureType: 'Arm64', HyperVGenerations: 'V2' } })
const OLD = sku({ name: 'Standard_A2', capabilities: { HyperVGenerations: 'V1' } })
const V4 = sku({ name: 'Standard_D4_v3', capabilities: { EncryptionAtHostSupported: 'False', vCPUs: '4' } })

type Row = {
  readonly spec: Parameters<typeof nodeClass>[0]
  readonly sizes?: readonly ReturnType<typeof sku>[]
  readonly gallery?: 'shared'
  readonly want: object | undefined
}

describe('a NodeClass that no size of the region serves says why', () => {
  const rows: { readonly [sentence: string]: Row } = {
    'not where one serves': { spec: { encryptionAtHost: true }, sizes: [D2, V4], want: undefined },
    'not where no size is known': { spec: { fipsMode: 'FIPS' }, sizes: [], want: undefined },
    'not where shared galleries have its images': { spec: { fipsMode: 'FIPS' }, gallery: 'shared', want: undefined },
    'images that are in shared galleries alone': {
      spec: { fipsMode: 'FIPS' },
      want: {
        code: 'AZURE.IMAGE_NOT_FOUND',
        message:
          'aksnodeclass default: images of Ubuntu2004 with FIPS are in the shared galleries alone; set images.gallery of the cluster to shared, or spec.fipsMode to Disabled',
      },
    },
    'images that are nowhere': {
      spec: { imageFamily: 'AzureLinux', fipsMode: 'FIPS', trustedLaunch: { vtpm: true } },
      gallery: 'shared',
      want: {
        code: 'AZURE.IMAGE_NOT_FOUND',
        message: expect.stringContaining('there is no image of AzureLinux3 with FIPS with trusted launch; choose another spec.imageFamily'),
      },
    },
    'images that are for other sizes': {
      spec: { trustedLaunch: { vtpm: true } },
      sizes: [OLD],
      want: {
        code: 'NODECLASS.INVALID',
        message: expect.stringContaining('1 have no image of spec.imageFamily for their architecture and generation'),
      },
    },
    'what the sizes lack, the most of them first': {
      spec: { encryptionAtHost: true, localDns: localDns('Required') },
      sizes: [V4, D2, ARM],
      want: {
        code: 'NODECLASS.INVALID',
        message:
          'aksnodeclass default: none of the 3 sizes of the region serves it: 2 have less than the 4 CPUs and 244 MiB of spec.localDNS, 1 cannot do spec.encryptionAtHost; ask for less in its spec',
      },
    },
  }
  for (const [sentence, { spec, sizes = [D2, ARM], gallery = CONFIG.images.gallery, want }] of Object.entries(rows)) {
    it(sentence, () => {
      const known = sizes.map(usableSize).filter((size) => size !== undefined)
      const config = { ...CONFIG, images: { ...CONFIG.images, gallery } }
      const found = sizeProblem(known, nodeClass(spec), config)
      if (want === undefined) expect(found).toBeUndefined()
      else expect(found).toMatchObject(want)
    })
  }
})
