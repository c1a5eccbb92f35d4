import { ownValue } from '../../../base/values.ts'
import type { Usage } from '../../../model/askedCores.ts'
import type { LeftOutSizes } from '../../../model/instanceType.ts'
import type { BlobStore } from '../../../ports/blobStore.ts'
import type { AbortSignalLike, Clock } from '../../../ports/clock.ts'
import type { Versioned } from '../../../ports/ledgerStore.ts'
import {
  readPrices,
  readQuota,
  readSizes,
  type StoredPrices,
  writePrices,
  writeQuota,
  writeSizes,
} from '../../../wire/azure/catalogBlob.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import type { Market } from '../sizes/instanceTypes.ts'
import { LEFT_OUT, type Size, usableSize } from '../sizes/size.ts'
import type { FetchedSizes } from './fetchCatalog.ts'

/** The stored data of a region, read and parsed. */
export type Stored = Market & {
  /** Changes with each part. */
  readonly version: string
  readonly byName: ReadonlyMap<string, Size>
  readonly leftOut: LeftOutSizes
  readonly fetchedAt: { readonly sizes: number | undefined; readonly prices: number | undefined; readonly quota: number | undefined }
}

export interface CatalogStore {
  /** Returns the stored data as read lately. */
  load(signal: AbortSignalLike): Promise<Stored>
  /** Reads the stored data now. */
  reload(signal: AbortSignalLike): Promise<Stored>
  /** Saves the sizes. This and the two methods below return the number of entries. */
  saveSizes(sizes: FetchedSizes, signal: AbortSignalLike): Promise<number>
  savePrices(prices: Pick<Market, 'prices' | 'diskPrices'>, signal: AbortSignalLike): Promise<number>
  saveUsages(usages: Readonly<Record<string, Usage>>, signal: AbortSignalLike): Promise<number>
}

/** How long data from storage is used before it is read again. */
export const RECHECK_MS = 30_000
/** Quota data older than this is ignored: every launch counts as allowed until Azure refuses it. */
const QUOTA_TRUST_MS = 15 * 60_000

type ReadSizes = {
  readonly etag: string | undefined
  readonly sizes: readonly Size[]
  readonly leftOut: LeftOutSizes
  readonly fetchedAt: number | undefined
}

/** Stores the data in blobs by region, which all clusters of a subscription share. The last write wins, because all clusters fetch the same data. */
export function createCatalogStore(
  blobs: BlobStore,
  clock: Clock,
  config: Pick<ClusterConfig, 'subscriptionId' | 'location'>,
  recheckMs = RECHECK_MS,
): CatalogStore {
  const path = (part: string) => `regions/${config.subscriptionId}/${config.location}/catalog/${part}`
  let held: { readonly stored: Stored; readonly at: number } | undefined
  let sizesRead: ReadSizes | undefined
  const understood = (blob: Versioned<string> | undefined): ReadSizes => {
    if (sizesRead?.etag === blob?.etag && sizesRead !== undefined) return sizesRead
    const parsed = blob === undefined ? undefined : readSizes(blob.value)
    const sizes = (parsed?.sizes ?? []).map(usableSize).filter((size) => size !== undefined)
    return { etag: blob?.etag, sizes, leftOut: leftOutIn(parsed?.leftOut ?? {}), fetchedAt: parsed?.fetchedAt }
  }
  const reload = async (signal: AbortSignalLike): Promise<Stored> => {
    const parts = await Promise.all(['sizes', 'prices', 'quota'].map((part) => blobs.read(path(part), signal)))
    sizesRead = understood(parts[0])
    const stored = storedOf(sizesRead, parts[1], parts[2], clock.now())
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
    async saveSizes({ usable, leftOut }, signal) {
      await save(
        'sizes',
        writeSizes({
          fetchedAt: clock.now(),
          sizes: [...usable],
          leftOut: Object.fromEntries(Object.entries(leftOut).map(([rule, names]) => [rule, [...names]])),
        }),
        signal,
      )
      return usable.length
    },
    async savePrices({ prices, diskPrices: disks }, signal) {
      const count = Object.keys(prices).length
      // an empty list is never better than the one there is
      if (count > 0) await save('prices', writePrices({ fetchedAt: clock.now(), prices, disks: { ...disks } }), signal)
      return count
    },
    async saveUsages(usages, signal) {
      await save('quota', writeQuota({ fetchedAt: clock.now(), usages }), signal)
      return Object.keys(usages).length
    },
  }
}

/** A rule of another version has no words here. */
function leftOutIn(stored: { readonly [rule: string]: readonly string[] }): LeftOutSizes {
  return new Map(
    Object.entries(stored).flatMap(([rule, names]) => {
      const why = ownValue(WORDS, rule)
      return why === undefined ? [] : names.map((name) => [name, why] as const)
    }),
  )
}

const WORDS: { readonly [rule: string]: string } = LEFT_OUT

function pricesIn(stored: StoredPrices | undefined): Pick<Market, 'prices' | 'diskPrices'> {
  return stored === undefined ? { prices: {} } : { prices: stored.prices, diskPrices: stored.disks }
}

function storedOf(sizes: ReadSizes, prices: Versioned<string> | undefined, quota: Versioned<string> | undefined, now: number): Stored {
  const priced = prices === undefined ? undefined : readPrices(prices.value)
  const used = quota === undefined ? undefined : readQuota(quota.value)
  const isTrusted = used !== undefined && now - used.fetchedAt <= QUOTA_TRUST_MS
  return {
    version: [sizes.etag, prices?.etag, isTrusted ? quota?.etag : 'open'].join(' '),
    sizes: sizes.sizes,
    leftOut: sizes.leftOut,
    byName: new Map(sizes.sizes.map((size) => [size.record.name, size])),
    ...pricesIn(priced),
    usages: isTrusted ? used.usages : {},
    fetchedAt: { sizes: sizes.fetchedAt, prices: priced?.fetchedAt, quota: used?.fetchedAt },
  }
}
