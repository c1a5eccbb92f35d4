import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { candidateOf, claim, clusterConfig, nodeClass } from '../../../../test/azure/harness.ts'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { usdPerHour } from '../../../model/units.ts'
import { machineBody } from '../machines/machineBody.ts'
import { buildInstanceTypes } from './instanceTypes.ts'
import { diskFacts, osDiskOf } from './osDisk.ts'
import { usableSize } from './size.ts'

const CONFIG = clusterConfig({
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'eastus',
  resourceGroups: ['mc_a'],
  subnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
})
const MACHINE = 96_000
/** What a month of a disk costs in eastus, by the largest size in GiB, read by hand from the price list. */
const MONTHLY = {
  Premium_LRS: { 32: 5.28, 64: 10.21, 128: 19.71, 256: 38.02, 512: 73.22, 1024: 135.17, 2048: 259.05 },
  StandardSSD_LRS: { 32: 2.4, 64: 4.8, 128: 9.6, 256: 19.2, 512: 38.4, 1024: 76.8, 2048: 153.6 },
} as const

const flag = fc.constantFrom('True', 'False')
const gib = fc.constantFrom(0, 29, 30, 31, 50, 64, 127, 128, 129, 200, 300, 512, 1024, 1900, 2040, 3000)
const capabilities = fc.record(
  {
    EphemeralOSDiskSupported: flag,
    PremiumIO: flag,
    CachedDiskBytes: gib.map((each) => String(each * 1024 ** 3)),
    MaxResourceVolumeMB: gib.map((each) => String(each * 1024)),
    NvmeDiskSizeInMiB: gib.map((each) => String(each * 1024)),
    SupportedEphemeralOSDiskPlacements: fc.subarray(['ResourceDisk', 'CacheDisk', 'NvmeDisk']).map((some) => some.join(',')),
  },
  { requiredKeys: [] },
)
const osDiskSizeGb = fc.oneof(
  fc.integer({ min: 30, max: 2048 }),
  gib.filter((each) => each >= 30 && each <= 2048),
)

/** The bill of the disk in the body of the request, as Azure makes it: nothing on the host, else the next larger tier of its kind. */
function billOf({ osDisk }: NonNullable<ReturnType<typeof machineBody>['storageProfile']>): number | undefined {
  if (osDisk?.diffDiskSettings?.option === 'Local') return undefined
  const kind = osDisk?.managedDisk?.storageAccountType
  if (kind !== 'Premium_LRS' && kind !== 'StandardSSD_LRS') throw new Error(`the body names no kind of disk: ${kind}`)
  const tier = Object.entries(MONTHLY[kind]).find(([upTo]) => (osDisk?.diskSizeGB ?? 0) <= Number(upTo))
  return usdPerHour((tier?.[1] ?? Number.NaN) / 730)
}

function bought(given: Readonly<Record<string, string>>, spec: Parameters<typeof nodeClass>[0], diskPrices = {}) {
  const size = usableSize(sku({ capabilities: given }))
  if (size === undefined) throw new Error('the size must serve')
  const prices = { [size.record.name]: { onDemand: MACHINE, spot: 19_000 } }
  const theClass = nodeClass(spec)
  const [type] = buildInstanceTypes({ sizes: [size], prices, diskPrices, usages: {} }, theClass, CONFIG)
  if (type === undefined) throw new Error('the size must be offered')
  const request = { claim: claim('one'), nodeClass: theClass, candidate: candidateOf(type) }
  const disk = osDiskOf(diskFacts(size), theClass.spec)
  const body = machineBody({ name: 'n', request, config: CONFIG, tags: {}, interfaceId: '/i', imageId: '/g', customData: '', disk })
  return { type, storage: body.storageProfile ?? {} }
}

describe('the price of an offering', () => {
  it('has the bill of the very disk that the request for the machine asks for', () => {
    let [managed, ephemeral] = [0, 0]
    fc.assert(
      fc.property(capabilities, osDiskSizeGb, fc.constantFrom({}, { osDiskType: 'Managed' } as const), (given, sizeGb, kind) => {
        const { type, storage } = bought(given, { osDiskSizeGb: sizeGb, ...kind })
        const bill = billOf(storage)
        if ('osDiskType' in kind) expect(bill).toBeGreaterThan(0)
        if (bill === undefined) ephemeral++
        else managed++
        for (const { capacityType, price, diskPrice } of type.offerings) {
          expect(diskPrice).toBe(bill)
          expect(price).toBe((capacityType === 'spot' ? 19_000 : MACHINE) + (bill ?? 0))
        }
      }),
      { numRuns: 500 },
    )
    expect(Math.min(managed, ephemeral)).toBeGreaterThan(20)
  })

  it('takes the price of the tier from the price list before the constant', () => {
    const [first] = bought({}, {}, { P10: 40_000, P15: 1 }).type.offerings
    expect([first?.price, first?.diskPrice]).toEqual([MACHINE + 40_000, 40_000])
  })

  it('is not known if only that of the disk is', () => {
    const size = usableSize(sku({}))
    const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, nodeClass(), CONFIG)
    expect(type?.offerings.filter(({ price, diskPrice }) => price !== undefined || diskPrice !== undefined)).toEqual([])
  })
})

describe('a managed OS disk', () => {
  it.each([
    ['True', 'Premium_LRS', 'P10'],
    ['False', 'StandardSSD_LRS', 'E10'],
  ])('is of the best kind that the size takes, and the kind is named: premium %s', (PremiumIO, storageAccountType, tier) => {
    const size = { record: sku({ capabilities: { PremiumIO } }) }
    expect(osDiskOf(diskFacts(size), { osDiskSizeGb: 128 })).toEqual({ kind: 'managed', storageAccountType, tier })
    expect(bought({ PremiumIO }, {}).storage.osDisk?.managedDisk).toEqual({ storageAccountType })
  })

  it('has the largest tier if a class asks for more than the API server lets it', () => {
    expect(osDiskOf(diskFacts({ record: sku({}) }), { osDiskSizeGb: 4000 })).toMatchObject({ tier: 'P40' })
  })
})
