import type { TokenCredential } from '@azure/identity'
import { settle } from '../../base/concurrency.ts'
import { messageOf } from '../../base/result.ts'
import type { QuotaUsages } from '../../model/askedCores.ts'
import { PUBLIC_CLOUD } from '../../model/cloud.ts'
import type { VmSizeName } from '../../model/ids.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { localDnsState, type NodeClass } from '../../model/nodeClass.ts'
import { epochMs } from '../../model/units.ts'
import type { BlobStore } from '../../ports/blobStore.ts'
import type { Catalog, CatalogAge } from '../../ports/catalog.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ClusterConfig } from '../../wire/clusterConfig.ts'
import { type CatalogStore, createCatalogStore, RECHECK_MS, type Stored } from './catalog/catalogStore.ts'
import { fetchSizes, fetchUsages } from './catalog/fetchCatalog.ts'
import { createQuotaReporter } from './catalog/reportQuota.ts'
import { type ArmClients, type ArmOptions, createArmClients } from './clients.ts'
import { createImageVersions, type ImagePin, type ImageVersions, imageVersionsPath } from './images/imageVersions.ts'
import { nodeVersionsOf } from './images/nodeVersionsOf.ts'
import type { SizeFacts, SizeLookup } from './machines/machineDeps.ts'
import { fetchDiskPriceList, fetchPriceList } from './prices/priceList.ts'
import { diskPriceTable, priceTable } from './prices/priceTable.ts'
import { buildInstanceTypes } from './sizes/instanceTypes.ts'
import { diskFacts } from './sizes/osDisk.ts'
import { sizeProblem } from './sizes/servedSizes.ts'

export type CatalogOptions = {
  readonly config: ClusterConfig
  readonly credential: TokenCredential
  readonly arm?: Pick<ArmOptions, 'endpoint' | 'ca' | 'maxRetries' | 'retryDelayMs' | 'retryAfterLimiter' | 'around'>
  /** Default: the public price list. */
  readonly pricesEndpoint?: string
  readonly blobs: BlobStore
  /** The stored sizes, prices and quota of the region. The catalogs of several clusters may share a store. Default: a new store over `blobs`. */
  readonly store?: CatalogStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly periods?: Partial<CatalogPeriods>
  /** An operator set the Kubernetes version of the cluster, so that a lower version than before is followed. */
  readonly isVersionSet?: boolean
}

export type CatalogPeriods = {
  readonly sizesMs: number
  readonly pricesMs: number
  readonly quotaMs: number
  /** How long data from storage is used before it is read again. */
  readonly recheckMs: number
}

const HOUR_MS = 3_600_000
/** The time between a failed first fetch and the next try. */
const FIRST_AGAIN_MS = 60_000
const PERIODS: CatalogPeriods = { sizesMs: 12 * HOUR_MS, pricesMs: 12 * HOUR_MS, quotaMs: 600_000, recheckMs: RECHECK_MS }

/** The catalog of a region. One process fetches sizes, prices and quota and stores them for all. The NodeClass shapes the instance types. */
export function createCatalog(options: CatalogOptions): Catalog & SizeLookup & { readonly pinImage: ImagePin } {
  const { config, clock } = options
  const periods = { ...PERIODS, ...options.periods }
  const clients = createArmClients({
    credential: options.credential,
    subscriptionId: config.subscriptionId,
    clock,
    telemetry: options.telemetry,
    ...options.arm,
  })
  const store = options.store ?? createCatalogStore(options.blobs, clock, config, periods.recheckMs)
  const images = createImageVersions({ clients, ...config, clock, stored: { blobs: options.blobs, path: imageVersionsPath(config) } })
  const context: Context = { ...options, images, reportQuota: createQuotaReporter(options.telemetry, config.location) }
  const built = new Map<string, { readonly version: string; readonly types: readonly InstanceType[] }>()
  let fetching: Promise<unknown> | undefined
  let askedAt: number | undefined

  /** The stored catalog. If nothing was ever fetched, nothing can be decided. So the first caller fetches it, and other callers wait. */
  async function load(signal: AbortSignalLike): Promise<Stored> {
    const stored = await store.load(signal)
    if (stored.fetchedAt.sizes !== undefined) return stored
    if (fetching === undefined && (askedAt === undefined || clock.now() - askedAt >= FIRST_AGAIN_MS)) {
      askedAt = clock.now()
      fetching = firstFetch(signal).finally(() => {
        fetching = undefined
      })
    }
    await fetching
    return store.load(signal)
  }

  async function firstFetch(signal: AbortSignalLike): Promise<void> {
    try {
      await refresh(context, clients, store, periods, signal)
    } catch (error) {
      const reason = messageOf(error)
      options.telemetry.warn('nothing is known of the machine sizes of the region yet, and they could not be fetched', { reason })
    }
  }

  return {
    async instanceTypes(nodeClass, signal) {
      const stored = await load(signal)
      const key = shapeKey(nodeClass)
      const known = built.get(key)
      if (known?.version === stored.version) return known.types
      const types = buildInstanceTypes(stored, nodeClass, config)
      built.set(key, { version: stored.version, types })
      return types
    },
    async sizeProblem(nodeClass, signal) {
      return sizeProblem((await load(signal)).sizes, nodeClass, config)
    },
    nodeVersions: (nodeClass, signal) => nodeVersionsOf(nodeClass, { config, images, isVersionSet: options.isVersionSet === true }, signal),
    leftOutSizes: async (signal) => (await load(signal)).leftOut,
    quota: async (signal) => quotaIn(await store.load(signal)),
    pinImage: images.pin,
    async sizeFacts(size, signal) {
      return factsOf(await store.load(signal), size)
    },
    refresh: (signal) => refresh(context, clients, store, periods, signal),
  }
}

type Context = CatalogOptions & { readonly images: ImageVersions; readonly reportQuota: ReturnType<typeof createQuotaReporter> }

/** Fetches the parts that are due. A part that fails keeps its old data and does not stop the others. */
async function refresh(
  options: Context,
  clients: ArmClients,
  store: CatalogStore,
  periods: CatalogPeriods,
  signal: AbortSignalLike,
): Promise<CatalogAge> {
  const { config, telemetry, clock } = options
  const before = await store.reload(signal)
  const isDue = (fetchedAt: number | undefined, periodMs: number) => fetchedAt === undefined || clock.now() - fetchedAt >= periodMs
  const failures: unknown[] = []
  const attempt = async (name: string, run: () => Promise<void>): Promise<void> => {
    const outcome = await settle(run)
    if (outcome.ok) return
    failures.push(outcome.error)
    telemetry.warn('catalog part was not fetched', { part: name, reason: messageOf(outcome.error) })
  }
  const part = async (
    name: string,
    fetchedAt: number | undefined,
    periodMs: number,
    fetchAndStore: () => Promise<number>,
  ): Promise<void> => {
    if (!isDue(fetchedAt, periodMs)) return
    await attempt(name, async () => {
      const startedAt = clock.now()
      const count = await fetchAndStore()
      telemetry.measure('azure.catalog', clock.now() - startedAt, { part: name, count })
    })
  }
  await part('sizes', before.fetchedAt.sizes, periods.sizesMs, async () =>
    store.saveSizes(await fetchSizes(clients, config, signal), signal),
  )
  await part('prices', before.fetchedAt.prices, periods.pricesMs, async () => {
    const list = {
      endpoint: options.pricesEndpoint ?? PUBLIC_CLOUD.facts.prices,
      location: config.location,
      retries: 4,
      minRetryMs: options.arm?.retryDelayMs ?? 1000,
    }
    const prices = priceTable(await fetchPriceList(list, signal), config.location)
    let { diskPrices = {} } = before
    await attempt('prices of disks', async () => {
      diskPrices = { ...diskPrices, ...diskPriceTable(await fetchDiskPriceList(list, signal), config.location) }
    })
    return store.savePrices({ prices, diskPrices }, signal)
  })
  await part('quota', before.fetchedAt.quota, periods.quotaMs, async () => {
    const usages = await fetchUsages(clients, config.location, signal)
    options.reportQuota(usages, clock.now())
    return store.saveUsages(usages, signal)
  })
  await attempt('images', () => options.images.refresh(signal))
  const after = await store.reload(signal)
  if (after.sizes.length === 0 && failures.length > 0) throw failures[0]
  return { sizes: after.sizes.length, prices: Object.keys(after.prices).length, fetchedAt: epochMs(after.fetchedAt.sizes ?? 0) }
}

function quotaIn({ usages, fetchedAt: { quota } }: Stored): QuotaUsages | undefined {
  return quota === undefined || Object.keys(usages).length === 0 ? undefined : { readAt: epochMs(quota), usages }
}

function factsOf(stored: Stored, name: VmSizeName): SizeFacts | undefined {
  const size = stored.byName.get(name)
  if (size === undefined) return undefined
  return { family: size.record.family ?? '', cpus: size.cpus, zones: size.record.zones, disk: diskFacts(size) }
}

/** A key of the fields of a NodeClass that shape its instance types. */
function shapeKey(nodeClass: NodeClass): string {
  const { spec, status } = nodeClass
  return JSON.stringify([spec, status.images, status.kubernetesVersion, localDnsState(nodeClass)])
}
