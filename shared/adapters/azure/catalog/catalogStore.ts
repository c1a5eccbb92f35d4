import type { BlobStore } from '../../../ports/blobStore.ts'
import type { AbortSignalLike, Clock } from '../../../ports/clock.ts'
import {
  readPrices,
  readQuota,
  readSizes,
  type SizePrice,
  type Usage,
  writePrices,
  writeQuota,
  writeSizes,
} from '../../../wire/azure/catalogBlob.ts'
import type { SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import type { Market } from '../sizes/instanceTypes.ts'
import { type Size, usableSize } from '../sizes/size.ts'

/** What storage holds of a region, read and understood. */
export type Stored = Market & {
  /** Changes when any part does. */
  readonly version: string
  readonly byName: ReadonlyMap<string, Size>
  readonly fetchedAt: { readonly sizes: number | undefined; readonly prices: number | undefined; readonly quota: number | undefined }
}

export interface CatalogStore {
  /** As read lately. */
  load(signal: AbortSignalLike): Promise<Stored>
  /** As it is now. */
  reload(signal: AbortSignalLike): Promise<Stored>
  /** Each answers how many entries it wrote. */
  saveSizes(sizes: readonly SizeRecord[], signal: AbortSignalLike): Promise<number>
  savePrices(prices: Readonly<Record<string, SizePrice>>, signal: AbortSignalLike): Promise<number>
  saveUsages(usages: Readonly<Record<string, Usage>>, signal: AbortSignalLike): Promise<number>
}

/** Quota older than this is not believed: everything counts as allowed until Azure says otherwise. */
const QUOTA_TRUST_MS = 15 * 60_000

/** Blobs by region, shared by all clusters of a subscription; whoever writes last wins, since all fetch the same. */
export function createCatalogStore(
  blobs: BlobStore,
  clock: Clock,
  config: Pick<ClusterConfig, 'subscriptionId' | 'location'>,
  recheckMs: number,
): CatalogStore {
  const path = (part: string) => `regions/${config.subscriptionId}/${config.location}/catalog/${part}`
  let held: { readonly stored: Stored; readonly at: number } | undefined
  let sizesRead: { readonly etag: string; readonly sizes: readonly Size[]; readonly fetchedAt: number | undefined } | undefined
  const reload = async (signal: AbortSignalLike): Promise<Stored> => {
    const [sizes, prices, quota] = await Promise.all([
      blobs.read(path('sizes'), signal),
      blobs.read(path('prices'), signal),
      blobs.read(path('quota'), signal),
    ])
    if (sizesRead?.etag !== sizes?.etag || sizesRead === undefined) {
      const parsed = sizes === undefined ? undefined : readSizes(sizes.value)
      sizesRead = {
        etag: sizes?.etag ?? '',
        sizes: (parsed?.sizes ?? []).map(usableSize).filter((size) => size !== undefined),
        fetchedAt: parsed?.fetchedAt,
      }
    }
    const priced = prices === undefined ? undefined : readPrices(prices.value)
    const used = quota === undefined ? undefined : readQuota(quota.value)
    const isTrusted = used !== undefined && clock.now() - used.fetchedAt <= QUOTA_TRUST_MS
    const stored: Stored = {
      version: [sizes?.etag, prices?.etag, isTrusted ? quota?.etag : 'open'].join(' '),
      sizes: sizesRead.sizes,
      byName: new Map(sizesRead.sizes.map((size) => [size.record.name, size])),
      prices: priced?.prices ?? {},
      usages: isTrusted ? used.usages : {},
      fetchedAt: { sizes: sizesRead.fetchedAt, prices: priced?.fetchedAt, quota: used?.fetchedAt },
    }
    held = { stored, at: clock.now() }
    return stored
  }
  const save = async (part: string, text: string, signal: AbortSignalLike): Promise<void> => {
    held = undefined
    await blobs.write(path(part), text, 'any', signal)
  }
  return {
    reload,
    load: (signal) => (held !== undefined && clock.now() - held.at < recheckMs ? Promise.resolve(held.stored) : reload(signal)),
    async saveSizes(sizes, signal) {
      await save('sizes', writeSizes({ fetchedAt: clock.now(), sizes: [...sizes] }), signal)
      return sizes.length
    },
    async savePrices(prices, signal) {
      const count = Object.keys(prices).length
      // an empty list is never better than the one there is
      if (count > 0) await save('prices', writePrices({ fetchedAt: clock.now(), prices }), signal)
      return count
    },
    async saveUsages(usages, signal) {
      await save('quota', writeQuota({ fetchedAt: clock.now(), usages }), signal)
      return Object.keys(usages).length
    },
  }
}
