import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { claim, clusterConfig, nodeClass } from '../../../../test/azure/harness.ts'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { localDns } from '../../../../test/builders/localDns.ts'
import { planLaunch } from '../../../engine/launch/planLaunch.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import { WELL_KNOWN_LABELS } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { epochMs } from '../../../model/units.ts'
import { parseResourceSku } from '../../../wire/azure/sizeRecord.ts'
import { buildInstanceTypes, type Market } from './instanceTypes.ts'
import { usableSize } from './size.ts'

const PLACE = {
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'eastus',
  resourceGroups: ['MC_a_b_eastus'],
  subnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
}
const CONFIG = clusterConfig(PLACE)
const D2 = sku({})
const ARM = sku({
  name: 'Standard_D2ps_v5',
  capabilities: { CpuArchitectureType: 'Arm64', HyperVGenerations: 'V2', TrustedLaunchDisabled: 'True' },
})
const T4 = sku({ name: 'Standard_NC4as_T4_v3', capabilities: { vCPUs: '4', MemoryGB: '28', GPUs: '1' } })
const AMD_GPU = sku({ name: 'Standard_NV4ads_V710_v5', capabilities: { vCPUs: '4', MemoryGB: '28', GPUs: '1', HyperVGenerations: 'V2' } })
const OLD_GPU = sku({ name: 'Standard_NC6', capabilities: { vCPUs: '6', MemoryGB: '56', GPUs: '1', HyperVGenerations: 'V1' } })
const UNENCRYPTED = sku({ name: 'Standard_D2_v3', capabilities: { EncryptionAtHostSupported: 'False' } })
const NAMES = { D2, ARM, T4, AMD_GPU, OLD_GPU, UNENCRYPTED }

function market(over: Partial<Market> = {}, records = Object.values(NAMES)): Market {
  return { sizes: records.map(usableSize).filter((size) => size !== undefined), prices: {}, usages: {}, ...over }
}

function build(spec: Parameters<typeof nodeClass>[0] = {}, given = market()): readonly InstanceType[] {
  return buildInstanceTypes(given, nodeClass(spec), CONFIG)
}

const namesOf = (types: readonly InstanceType[]) =>
  Object.entries(NAMES)
    .filter(([, record]) => types.some((type) => type.name === record.name))
    .map(([name]) => name)
const valuesOf = (type: InstanceType | undefined, key: string) => type?.requirements.find((requirement) => requirement.key === key)?.values

describe('a NodeClass decides which sizes serve', () => {
  const cases = {
    'by default: no GPU without a driver': { spec: {}, want: ['D2', 'ARM', 'T4', 'OLD_GPU', 'UNENCRYPTED'] },
    'without drivers: every GPU': { spec: { gpuMode: 'None' }, want: ['D2', 'ARM', 'T4', 'AMD_GPU', 'OLD_GPU', 'UNENCRYPTED'] },
    'Azure Linux: only GPUs it has drivers for': { spec: { imageFamily: 'AzureLinux' }, want: ['D2', 'ARM', 'T4', 'UNENCRYPTED'] },
    'encryption at host: only where it is supported': { spec: { encryptionAtHost: true }, want: ['D2', 'ARM', 'T4', 'OLD_GPU'] },
    'encryption at host refused: it does not matter': {
      spec: { encryptionAtHost: false },
      want: ['D2', 'ARM', 'T4', 'OLD_GPU', 'UNENCRYPTED'],
    },
    'trusted launch: second generation that is not barred': { spec: { trustedLaunch: { vtpm: true } }, want: ['D2', 'T4', 'UNENCRYPTED'] },
    'artifact streaming: no arm64': { spec: { artifactStreaming: true }, want: ['D2', 'T4', 'OLD_GPU', 'UNENCRYPTED'] },
    'local DNS: four CPUs at least': { spec: { localDns: localDns('Required') }, want: ['T4', 'OLD_GPU'] },
    'local DNS only preferred: no rule': { spec: { localDns: localDns('Preferred') }, want: ['D2', 'ARM', 'T4', 'OLD_GPU', 'UNENCRYPTED'] },
    'local DNS off: no rule': { spec: { localDns: localDns('Disabled') }, want: ['D2', 'ARM', 'T4', 'OLD_GPU', 'UNENCRYPTED'] },
    'FIPS without a shared gallery: nothing has an image': { spec: { fipsMode: 'FIPS' }, want: [] },
  } as const
  it('that has no room is named on the offering', () => {
    const usages = { standarddsv5family: { limit: 10, used: 9 }, lowprioritycores: { limit: 0, used: 0 } }
    const [type] = build({}, market({ usages }, [D2]))
    const of = (capacityType: string) => type?.offerings.find((offering) => offering.capacityType === capacityType)?.shortOf
    expect(of('on-demand')).toEqual({ code: 'AZURE.QUOTA.FAMILY', quota: 'standardDSv5Family', region: 'eastus', limit: 10, used: 9 })
    expect(of('spot')).toEqual({ code: 'AZURE.QUOTA.SPOT', quota: 'lowPriorityCores', region: 'eastus', limit: 0, used: 0 })
  })
  it.each(Object.entries(cases))('%s', (_sentence, { spec, want }) => {
    expect(namesOf(build(spec))).toEqual([...want])
  })
})

describe('an instance type', () => {
  it('has a requirement for every well-known label that a size can decide, in order of keys', () => {
    const notOurs = [
      'karpenter.sh/nodepool',
      'node.kubernetes.io/windows-build',
      'karpenter.azure.com/aksnodeclass',
      'karpenter.azure.com/capacity-reservation-id',
    ]
    for (const type of build()) {
      const keys = type.requirements.map((requirement) => requirement.key)
      expect(keys).toEqual([...keys].sort())
      expect([...WELL_KNOWN_LABELS].filter((key) => !keys.includes(key))).toEqual(notOurs)
    }
  })

  it('says what its name and capabilities say', () => {
    const type = build().find((entry) => entry.name === 'Standard_NC4as_T4_v3')
    const keys = [
      'sku-family',
      'sku-series',
      'sku-version',
      'sku-cpu',
      'sku-memory',
      'sku-gpu-name',
      'sku-gpu-manufacturer',
      'sku-gpu-count',
      'sku-storage-ephemeralos-maxsize',
    ]
    expect(keys.map((key) => valuesOf(type, `karpenter.azure.com/${key}`))).toEqual([
      ['N'],
      ['NCas_v3'],
      ['3'],
      ['4'],
      ['28672'],
      ['T4'],
      ['nvidia'],
      ['1'],
      [],
    ])
  })

  it('holds as many data disks as its capabilities say', () => {
    const sizes = [sku({ capabilities: { MaxDataDiskCount: '4' } }), UNENCRYPTED]
    expect(build({}, market({}, sizes)).map((type) => type.maxDataDisks)).toEqual([undefined, 4])
  })

  it('is offered in each zone and in none, on demand and spot, at the published price or at none', () => {
    const priced = market({ prices: { Standard_D2s_v5: { onDemand: 96_000 } } }, [D2])
    const [type] = build({}, priced)
    expect(type?.offerings.map((offering) => [offering.zone, offering.capacityType, offering.price, offering.available])).toEqual(
      ['eastus-1', 'eastus-2', 'eastus-3', '0'].flatMap((zone) => [
        [zone, 'on-demand', 96_000 + 27_000, true],
        [zone, 'spot', undefined, true],
      ]),
    )
  })

  it('keeps offerings nobody can have now, but leaves them out of its own requirements', () => {
    const full = market({ usages: { standarddsv5family: { limit: 10, used: 9 } } }, [D2])
    const [type] = build({}, full)
    expect(type?.offerings.filter((offering) => offering.available).map((offering) => offering.capacityType)).toEqual([
      'spot',
      'spot',
      'spot',
      'spot',
    ])
    expect(valuesOf(type, 'karpenter.sh/capacity-type')).toEqual(['spot'])
  })

  it('takes its pods from the class, else from the network plugin', () => {
    const podsOf = (over: Parameters<typeof clusterConfig>[1], maxPods?: number) =>
      buildInstanceTypes(market({}, [D2]), nodeClass(maxPods === undefined ? {} : { maxPods }), clusterConfig(PLACE, over))[0]?.capacity[
        'pods'
      ]
    expect([
      podsOf({}),
      podsOf({ networkPluginMode: '' }),
      podsOf({ networkPlugin: 'none' }),
      podsOf({ networkPlugin: 'kubenet', networkPluginMode: '' }),
      podsOf({}, 40),
    ]).toEqual([250, 30, 250, 110, 40])
  })
})

describe('the offerings of a size', () => {
  const NO_SPOT = sku({
    name: 'Standard_B20ms',
    family: 'standardBSFamily',
    capabilities: { vCPUs: '20', MemoryGB: '80', LowPriorityCapable: 'False' },
  })
  const NO_ZONES = sku({ zones: [] })
  const ULTRA = sku({ ultraSsdZones: ['2'], capabilities: { UltraSSDAvailable: 'True' } })
  const PRIORITY = 'kubernetes.azure.com/scalesetpriority'
  const claimOf = (requirements: NodeClaim['spec']['requirements']) => claim('one', { requirements })
  const choicesOf = (types: readonly InstanceType[], requirements: NodeClaim['spec']['requirements'] = []) =>
    planLaunch(claimOf(requirements), types, [], epochMs(0)).candidates.map(({ choice }) => choice)

  it('IT-17 have no spot where the size is not sold as spot', () => {
    const open = build({}, market({}, [NO_SPOT]))[0]?.offerings.filter(({ available }) => available) ?? []
    expect([...new Set(open.map(({ capacityType }) => capacityType))]).toEqual(['on-demand'])
    expect(open).toHaveLength(4)
  })

  it('ZO-04, ZO-05 are without a zone only where the size has no zones', () => {
    const types = build({}, market({}, [NO_ZONES]))
    expect(valuesOf(types[0], 'topology.kubernetes.io/zone')).toEqual(['0'])
    expect(new Set(choicesOf(types).map(({ zone }) => zone))).toEqual(new Set(['0']))
  })

  it('IT-23 have ultra disks in some zones, and the size says both', () => {
    const [type] = build({}, market({}, [ULTRA]))
    expect(valuesOf(type, 'karpenter.azure.com/sku-storage-ultra-ssd')).toEqual(['false', 'true'])
    expect(valuesOf(build({}, market({}, [D2]))[0], 'karpenter.azure.com/sku-storage-ultra-ssd')).toEqual(['false'])
    const withUltra = choicesOf(
      [type].flatMap((each) => each ?? []),
      [{ key: 'karpenter.azure.com/sku-storage-ultra-ssd', operator: 'In', values: ['true'] }],
    )
    expect(new Set(withUltra.map(({ zone }) => zone))).toEqual(new Set(['eastus-2', '0']))
  })

  it.each(['spot', 'regular'])('AL-13 are chosen by the label of the priority: %s', (priority) => {
    const chosen = choicesOf(build({}, market({}, [D2])), [{ key: PRIORITY, operator: 'In', values: [priority] }])
    expect([...new Set(chosen.map(({ capacityType }) => capacityType))]).toEqual([priority === 'spot' ? 'spot' : 'on-demand'])
  })

  it.each([
    ['ED-07', 'Gt', ['2040'], false],
    ['ED-08', 'Gt', ['128'], true],
  ] as const)('%s are had by the size of their ephemeral disk: %s %j', (_line, operator, values, isHad) => {
    const disk = sku({ capabilities: { EphemeralOSDiskSupported: 'True', CachedDiskBytes: String(200 * 1024 ** 3) } })
    const chosen = choicesOf(build({}, market({}, [disk])), [
      { key: 'karpenter.azure.com/sku-storage-ephemeralos-maxsize', operator, values },
    ])
    expect(chosen.length > 0).toBe(isHad)
  })
})

describe('every size', () => {
  const SKUS = '../shared/data/resource-skus.southcentralus.json'
  const published = existsSync(SKUS)
    ? (JSON.parse(readFileSync(SKUS, 'utf8')) as unknown[]).flatMap((record) => parseResourceSku(record, 'southcentralus') ?? [])
    : []

  it.each([
    ['made up here', Object.values(NAMES)],
    [`of the published list (none without ${SKUS})`, published],
  ])('IT-24 has CPUs, memory, a disk and pods: %s', (_which, records) => {
    for (const { name, capacity } of build({ gpuMode: 'None' }, market({}, records)))
      for (const resource of ['cpu', 'memory', 'ephemeral-storage', 'pods'])
        expect(capacity[resource] ?? 0, `${name} ${resource}`).toBeGreaterThan(0)
  })

  it('IT-22 has labels that are true or false, and nothing else', () => {
    const keys = ['sku-networking-accelerated', 'sku-storage-premium-capable', 'sku-storage-ultra-ssd'].map(
      (key) => `karpenter.azure.com/${key}`,
    )
    const odd = sku({ capabilities: { AcceleratedNetworkingEnabled: 'yes', PremiumIO: '', UltraSSDAvailable: 'TRUE' } })
    for (const type of build({}, market({}, [odd, ...Object.values(NAMES)])))
      for (const key of keys) for (const value of valuesOf(type, key) ?? ['none']) expect(['true', 'false']).toContain(value)
  })
})

describe('quota', () => {
  const available = (usages: Market['usages'], capacityType: string) =>
    build({}, market({ usages }, [D2]))[0]?.offerings.some((offering) => offering.available && offering.capacityType === capacityType)
  const cases = {
    'exactly enough': { usages: { standarddsv5family: { limit: 10, used: 8 } }, want: [true, true] },
    'not enough of the family': { usages: { standarddsv5family: { limit: 10, used: 9 } }, want: [false, true] },
    'not enough of the region': { usages: { cores: { limit: 1, used: 0 } }, want: [false, true] },
    'not enough for spot': { usages: { lowprioritycores: { limit: 1, used: 0 } }, want: [true, false] },
    'not known': { usages: {}, want: [true, true] },
  }
  it.each(Object.entries(cases))('%s', (_sentence, { usages, want }) => {
    expect([available(usages, 'on-demand'), available(usages, 'spot')]).toEqual(want)
  })
})

describe('sizes that are built together', () => {
  const zonal = sku({ name: 'Standard_D8s_v5', capabilities: { vCPUs: '8' }, zones: ['2'], ultraSsdZones: ['2'] })
  const nowhere = sku({ name: 'Standard_E4s_v5', zones: [], capabilities: { LowPriorityCapable: 'False', UltraSSDAvailable: 'True' } })
  const records = [...Object.values(NAMES), zonal, nowhere]

  it('are those that are built alone: nothing of one size gets into another', () => {
    const alone = records.flatMap((record) => build({}, market({}, [record])))
    const together = build({}, market({}, records))
    expect(together).toEqual([...alone].sort((one, other) => (one.name < other.name ? -1 : 1)))
    expect(together.length).toBeGreaterThan(5)
  })

  it('share equal requirements, which a region has tens of thousands of', () => {
    const types = build({}, market({}, records))
    const all = types.flatMap(({ requirements, offerings }) => [...requirements, ...offerings.flatMap((each) => each.requirements)])
    const texts = new Set(all.map((each) => JSON.stringify(each)))
    // Lists of offerings and labels of types are made apart.
    expect(new Set(all).size).toBeLessThanOrEqual(2 * texts.size)
    for (const { requirements } of types) {
      const keys = requirements.map(({ key }) => key)
      expect(keys).toEqual([...keys].sort())
    }
  })
})
