import { fetchPriceList } from '../../shared/adapters/azure/prices/priceList.ts'
import { priceTable } from '../../shared/adapters/azure/prices/priceTable.ts'
import { settle } from '../../shared/base/concurrency.ts'
import { PUBLIC_CLOUD } from '../../shared/model/cloud.ts'
import type { Prices } from './describe.ts'

const LIMIT_MS = 60_000

/** Returns prices for display only. Empty if the list cannot be read. */
export async function readPrices(endpoint: string | undefined, location: string): Promise<Prices> {
  const options = { endpoint: endpoint || PUBLIC_CLOUD.facts.prices, location, retries: 1, minRetryMs: 500 }
  const lines = await settle(() => fetchPriceList(options, AbortSignal.timeout(LIMIT_MS)))
  return lines.ok ? priceTable(lines.value, location) : {}
}
