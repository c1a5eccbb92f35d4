import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { NEWEST_IMAGE_VERSION } from '../../local/azure/arm/galleries.ts'
import { AZURE_LABEL } from '../../shared/adapters/azure/azureLabels.ts'
import { type CatalogStore, createCatalogStore } from '../../shared/adapters/azure/catalog/catalogStore.ts'
import { createCatalog } from '../../shared/adapters/azure/catalog.ts'
import { fetchPriceList } from '../../shared/adapters/azure/prices/priceList.ts'
import { defined } from '../../shared/base/values.ts'
import { vmSizeName } from '../../shared/model/ids.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { localDns } from '../builders/localDns.ts'
import { nodeClass, SIGNAL, SILENT, startHarness } from './harness.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
let harness: Harness | undefined

afterEach(() => harness?.azure.close())

const MINUTE = 60_000

async function start(options: Parameters<typeof startHarness>[0] = {}) {
  const started = await startHarness(options)
  harness = started
  let now = epochMs(1_800_000_000_000)
  const clock = { now: (): EpochMs => now, sleep: async () => undefined }
  const arm = { ...started.arm }
  const make = (store?: CatalogStore) =>
    createCatalog({
      ...(store && { store }),
      config: started.config,
      credential: started.credential,
      arm,
      pricesEndpoint: started.azure.pricesUrl,
      blobs: started.blobs,
      clock,
      telemetry: SILENT,
    })
  const newStore = (): CatalogStore => createCatalogStore(started.blobs, clock, started.config)
  const calls = () => [started.azure.requests.count({ type: 'skus' }) > 0, started.azure.requests.count({ type: 'usages' }) > 0]
  return { ...started, make, newStore, calls, pass: (ms: number) => void (now = epochMs(now + ms)) }
}

describe('the catalog', () => {
  it('is fetched by the first who needs it, once for all who wait', async () => {
    const { make, azure } = await start()
    const catalog = make()
    const asked = await Promise.all([catalog.instanceTypes(nodeClass(), SIGNAL), catalog.instanceTypes(nodeClass(), SIGNAL)])
    expect(asked.map((types) => types.length > 60)).toEqual([true, true])
    expect(azure.requests.count({ type: 'usages' })).toBe(1)
    expect((await make().instanceTypes(nodeClass(), SIGNAL)).length).toBeGreaterThan(60)
    expect(azure.requests.count({ type: 'usages' })).toBe(1)
  })

  it('sells ultra disks in the zones that Azure names, as Azure spells them', async () => {
    const { make } = await start({ pageSize: 7 })
    const types = await make().instanceTypes(nodeClass(), SIGNAL)
    expect(types.length).toBeGreaterThan(60)
    const sold = types
      .find(({ name }) => name === 'Standard_D4s_v5')
      ?.offerings.flatMap(({ zone, requirements }) => {
        const ultra = requirements.find(({ key }) => key === AZURE_LABEL.ultraSsd)
        return ultra?.values.includes('true') ? [zone] : []
      })
    expect([...new Set(sold)]).toEqual(['eastus-1', 'eastus-2', 'eastus-3', '0'])
  })

  it('reads what is stored of a region once for all its clusters, which see at once what one of them fetched', async () => {
    const { make, newStore, blobs } = await start()
    await make().refresh(SIGNAL)
    let reads = 0
    const { read } = blobs
    blobs.read = (path, signal) => {
      reads++
      return read(path, signal)
    }
    const store = newStore()
    const [first, second] = [make(store), make(store)]
    const types = [await first.instanceTypes(nodeClass(), SIGNAL), await second.instanceTypes(nodeClass(), SIGNAL)]
    expect([types[0]?.length, reads]).toEqual([types[1]?.length, 3])
    await store.savePrices({ prices: { Standard_D2as_v6: {} } }, SIGNAL)
    const priced = (await second.instanceTypes(nodeClass(), SIGNAL)).flatMap(({ offerings }) =>
      offerings.flatMap(({ price }) => price ?? []),
    )
    expect(priced).toEqual([])
  })

  it('is empty while it cannot be fetched, and does not ask at each look', async () => {
    const { make, azure, pass } = await start()
    azure.script.http({ path: 'skus', status: 403, code: 'AuthorizationFailed' })
    const catalog = make()
    const look = () => catalog.instanceTypes(nodeClass(), SIGNAL)
    expect([await look(), await look()]).toEqual([[], []])
    const asked = azure.requests.count({ type: 'skus' })
    pass(MINUTE)
    azure.script.clear()
    expect((await look()).length).toBeGreaterThan(60)
    expect(azure.requests.count({ type: 'skus' })).toBeGreaterThan(asked)
  })

  it('says why no size serves a class once the sizes are known, and not before', async () => {
    const { make, azure, pass } = await start()
    azure.script.http({ path: 'skus', status: 403, code: 'AuthorizationFailed' })
    const catalog = make()
    const look = async () => (await catalog.sizeProblem(nodeClass({ fipsMode: 'FIPS' }), SIGNAL))?.code
    expect(await look()).toBeUndefined()
    pass(MINUTE)
    azure.script.clear()
    expect(await look()).toBe('AZURE.IMAGE_NOT_FOUND')
    expect(await catalog.sizeProblem(nodeClass(), SIGNAL)).toBeUndefined()
  })

  it('tells which sizes it leaves out and why, to every process', async () => {
    const size = { family: 'f', cpus: 8, memoryGib: 64, gpus: 0, zones: ['1'], capabilities: { vCPUs: '8', MemoryGB: '64' } }
    const { make } = await start({ sizes: [{ ...size, name: 'Standard_E8-4ds_v5' }] })
    const told = await make().leftOutSizes(SIGNAL)
    expect(told.get('Standard_E8-4ds_v5')).toBe('have constrained CPUs')
    expect(told.get('Standard_D4s_v5')).toBeUndefined()
    expect(await make().leftOutSizes(SIGNAL)).toEqual(told)
  })

  it('fetches sizes, prices and quota over all pages and keeps them for others', async () => {
    const { make, azure, blobs } = await start({ pageSize: 20 })
    const age = await make().refresh(SIGNAL)
    expect([age.sizes > 60, age.prices >= age.sizes - 1, age.fetchedAt]).toEqual([true, true, 1_800_000_000_000])
    const region = `regions/${azure.subscriptionId}/eastus/catalog`
    expect([...blobs.texts.keys()].sort()).toEqual([`${region}/prices`, `${region}/quota`, `${region}/sizes`])
    const [asked, types] = [azure.requests.count(), await make().instanceTypes(nodeClass(), SIGNAL)]
    expect([types.length > 60, azure.requests.count()]).toEqual([true, asked])
  })

  it('names the images of new nodes with their newest versions, asks for them once for all, and again when they are old', async () => {
    const { make, azure, pass } = await start()
    const asked = () => azure.requests.count({ type: 'communityGalleries' })
    const first = await make().nodeVersions(nodeClass(), SIGNAL)
    const ids = first.images?.map(({ id }) => id) ?? []
    expect([first.kubernetesVersion, ids.length > 0]).toEqual(['1.34.2', true])
    expect(ids.filter((id) => !id.endsWith(`/versions/${NEWEST_IMAGE_VERSION}`))).toEqual([])
    const before = asked()
    expect(await make().nodeVersions(nodeClass(), SIGNAL)).toEqual(first)
    expect([before, asked()]).toEqual([ids.length, ids.length])
    pass(6 * 60 * MINUTE)
    expect(await make().nodeVersions(nodeClass(), SIGNAL)).toEqual({ kubernetesVersion: '1.34.2' })
    await make().refresh(SIGNAL)
    expect([await make().nodeVersions(nodeClass(), SIGNAL), asked()]).toEqual([first, 2 * ids.length])
  })

  it('has prices on demand and spot, and none where the list has none', async () => {
    const { make } = await start()
    const catalog = make()
    await catalog.refresh(SIGNAL)
    const types = await catalog.instanceTypes(nodeClass(), SIGNAL)
    const prices = (name: string) => [
      ...new Set(
        types
          .find((type) => type.name === name)
          ?.offerings.map((offering) => `${offering.capacityType} ${offering.price} ${offering.available}`),
      ),
    ]
    expect(prices('Standard_D8ds_v5')).toEqual(['on-demand 452000 true', 'spot 158200 true'])
    expect(prices('Standard_D8as_v6')).toEqual(['on-demand 390200 true', 'spot 88700 true'])
    expect(prices('Standard_B2s_v2')).toEqual(['on-demand 110200 true', 'spot undefined false'])
  })

  it('has the disks of the price list, of each tier, and keeps the ones it has while the list of disks cannot be fetched', async () => {
    const { make, azure, newStore, pass } = await start()
    await make().refresh(SIGNAL)
    const { prices, diskPrices = {} } = await newStore().load(SIGNAL)
    expect(Object.keys(diskPrices).length).toBe(14)
    expect(diskPrices).toMatchObject({ P4: 7_233, P10: 27_000, P40: 354_863, E10: 13_151 })
    await newStore().savePrices({ prices: { Standard_D8as_v6: { onDemand: 1 } }, diskPrices: { P15: 7 } }, SIGNAL)
    pass(13 * 60 * MINUTE)
    const list = { endpoint: azure.pricesUrl, location: 'eastus', retries: 0, minRetryMs: 1 }
    const pages = Math.ceil((await fetchPriceList(list, SIGNAL)).length / 100)
    azure.script.http({ path: 'retail/prices', status: 400, skip: pages })
    await make().refresh(SIGNAL)
    expect(await newStore().load(SIGNAL)).toMatchObject({ prices, diskPrices: { P15: 7 } })
    const types = await make().instanceTypes(nodeClass({ osDiskSizeGb: 256 }), SIGNAL)
    const [first] = types.find(({ name }) => name === 'Standard_D8as_v6')?.offerings ?? []
    expect([first?.price, first?.diskPrice]).toEqual([363_207, 7])
  })

  it('fetches again only what is due', async () => {
    const { make, azure, calls, pass } = await start()
    const catalog = make()
    await catalog.refresh(SIGNAL)
    azure.requests.clear()
    await catalog.refresh(SIGNAL)
    const atOnce = calls()
    pass(10 * MINUTE)
    await catalog.refresh(SIGNAL)
    const afterTenMinutes = calls()
    pass(12 * 60 * MINUTE)
    await catalog.refresh(SIGNAL)
    expect([atOnce, afterTenMinutes, calls()]).toEqual([
      [false, false],
      [false, true],
      [true, true],
    ])
  })

  it('answers the same list until something changed', async () => {
    const { make, pass, azure } = await start({ quota: { families: { standardFSv2Family: 0 } } })
    const catalog = make()
    await catalog.refresh(SIGNAL)
    const first = await catalog.instanceTypes(nodeClass(), SIGNAL)
    expect(await catalog.instanceTypes(nodeClass(), SIGNAL)).toBe(first)
    expect(
      first
        .find((type) => type.name === 'Standard_F2s_v2')
        ?.offerings.filter((offering) => offering.available)
        .every((offering) => offering.capacityType === 'spot'),
    ).toBe(true)
    pass(16 * MINUTE)
    const open = await catalog.instanceTypes(nodeClass(), SIGNAL)
    expect(
      open
        .find((type) => type.name === 'Standard_F2s_v2')
        ?.offerings.some((offering) => offering.available && offering.capacityType === 'on-demand'),
    ).toBe(true)
    expect(azure.requests.count({ type: 'usages' })).toBeGreaterThan(0)
  })

  it('IT-13, IT-15 has another list for one class as local DNS is turned on and off, by its spec or its status', async () => {
    const { make } = await start()
    const catalog = make()
    await catalog.refresh(SIGNAL)
    const listOf = async (mode: string, localDnsState?: 'Enabled' | 'Disabled') => {
      const { status, ...rest } = nodeClass({ localDns: localDns(mode) })
      const types = await catalog.instanceTypes({ ...rest, status: { ...status, ...defined({ localDnsState }) } }, SIGNAL)
      return types.map(({ cpus }) => cpus)
    }
    const all = await listOf('Disabled')
    const large = all.filter((cpus) => cpus >= 4)
    expect([all.length > large.length, large.length > 0]).toEqual([true, true])
    expect(await listOf('Required')).toEqual(large)
    expect(await listOf('Preferred', 'Disabled')).toEqual(all)
    expect(await listOf('Preferred', 'Enabled')).toEqual(large)
    expect(await listOf('Preferred')).toEqual(all)
    expect(await listOf('Disabled', 'Enabled')).toEqual(all)
  })

  it('keeps what it has when one part cannot be fetched', async () => {
    const { make, azure, pass } = await start()
    const catalog = make()
    await catalog.refresh(SIGNAL)
    pass(13 * 60 * MINUTE)
    azure.script.http({ path: 'retail/prices', status: 400 })
    azure.script.http({ path: 'usages', status: 403, code: 'AuthorizationFailed' })
    const age = await catalog.refresh(SIGNAL)
    expect([age.prices > 60, (await catalog.instanceTypes(nodeClass(), SIGNAL)).length > 60]).toEqual([true, true])
  })

  it('says so when it has nothing and cannot get anything', async () => {
    const { make, azure } = await start()
    azure.script.http({ path: 'skus', status: 403, code: 'AuthorizationFailed', message: 'no right to read sizes' })
    await expect(make().refresh(SIGNAL)).rejects.toMatchObject({ name: 'Fault', problem: { code: 'AZURE.FORBIDDEN' } })
  })

  it('knows the facts a refusal needs', async () => {
    const { make } = await start()
    const catalog = make()
    await catalog.refresh(SIGNAL)
    expect(await catalog.sizeFacts(vmSizeName('Standard_D8ds_v5'), SIGNAL)).toEqual({
      family: 'standardDDSv5Family',
      cpus: 8,
      zones: ['1', '2', '3'],
      disk: {
        takesPremium: true,
        ephemeral: {
          maxSizeGib: 300,
          places: [
            { placement: 'CacheDisk', maxSizeGib: 200 },
            { placement: 'ResourceDisk', maxSizeGib: 300 },
          ],
        },
      },
    })
    expect(await catalog.sizeFacts(vmSizeName('Standard_None'), SIGNAL)).toBeUndefined()
  })
})

describe('published lists', () => {
  const files = { skus: '../shared/data/resource-skus.southcentralus.json', prices: '../shared/data/vm-prices.json' }
  it.skipIf(!existsSync(files.skus))('become the region (skipped without ../shared/data)', async () => {
    const { make } = await start({ location: 'southcentralus', withoutBuiltInSizes: true, sizeFiles: files })
    const catalog = make()
    await catalog.refresh(SIGNAL)
    const types = await catalog.instanceTypes(nodeClass(), SIGNAL)
    const priceOf = (name: string) => types.find((type) => type.name === name)?.offerings[0]?.price
    expect([types.length, priceOf('Standard_D4s_v3'), priceOf('Standard_NC16as_T4_v3')]).toEqual([16, 247_000, 1_445_000])
  })
})

describe('the price list', () => {
  const options = (endpoint: string) => ({ endpoint, location: 'eastus', retries: 2, minRetryMs: 1 })

  it('is read again after a throttled page', async () => {
    const { azure } = await start()
    azure.script.http({ path: 'retail/prices', status: 429, times: 2 })
    expect((await fetchPriceList(options(azure.pricesUrl), SIGNAL)).length).toBeGreaterThan(300)
  })

  it('is all or nothing', async () => {
    const { azure } = await start()
    azure.script.http({ path: 'retail/prices', status: 503 })
    await expect(fetchPriceList(options(azure.pricesUrl), SIGNAL)).rejects.toMatchObject({
      name: 'Fault',
      operation: 'fetch retail prices',
    })
  })

  it('stops when it is told to', async () => {
    const { azure } = await start()
    const controller = new AbortController()
    controller.abort(new DOMException('enough', 'AbortError'))
    await expect(fetchPriceList(options(azure.pricesUrl), controller.signal)).rejects.toThrow('enough')
  })
})
