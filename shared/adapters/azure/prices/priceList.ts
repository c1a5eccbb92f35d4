import pRetry, { AbortError } from 'p-retry'
import { mapBounded } from '../../../base/concurrency.ts'
import { addAll } from '../../../base/lists.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { parseRetailPage, type RetailPrice } from '../../../wire/azure/retailPrice.ts'
import { platformSignal } from '../platformSignal.ts'
import { DISK_PRODUCTS } from './priceTable.ts'

const API_VERSION = '2023-01-01-preview'
const PAGE_TIMEOUT_MS = 30_000
/** The most pages. A region has about fifty pages. Far more mean that the list links to itself. */
const MAX_PAGES = 1000

export type PriceListOptions = {
  readonly endpoint: string
  readonly location: string
  readonly retries: number
  readonly minRetryMs: number
}

/** Fetches all lines of the public price list for virtual machines of the region, from all pages or not at all. */
export function fetchPriceList(options: PriceListOptions, signal: AbortSignalLike): Promise<readonly RetailPrice[]> {
  return fetchLines(options, ["serviceFamily eq 'Compute'", "serviceName eq 'Virtual Machines'"], signal)
}

/** Fetches all lines for managed disks of the region, of the kinds that an OS disk can have. */
export async function fetchDiskPriceList(options: PriceListOptions, signal: AbortSignalLike): Promise<readonly RetailPrice[]> {
  const lines = await mapBounded(DISK_PRODUCTS, DISK_PRODUCTS.length, (product) =>
    fetchLines(options, ["serviceName eq 'Storage'", `productName eq '${product}'`], signal),
  )
  return lines.flat()
}

async function fetchLines(options: PriceListOptions, terms: readonly string[], signal: AbortSignalLike): Promise<readonly RetailPrice[]> {
  const lines: RetailPrice[] = []
  let next: string | undefined = firstPage(options, terms)
  for (let page = 0; next !== undefined; page++) {
    if (page === MAX_PAGES) throw failed(`the list did not end after ${MAX_PAGES} pages`)
    const url: string = next
    const answer = await pRetry(() => fetchPage(url, signal), {
      retries: options.retries,
      minTimeout: options.minRetryMs,
      randomize: true,
      signal: platformSignal(signal),
    })
    addAll(lines, answer.items)
    next = answer.next
  }
  return lines
}

async function fetchPage(url: string, signal: AbortSignalLike): ReturnType<typeof parsePage> {
  const response = await fetch(url, { signal: platformSignal(signal, PAGE_TIMEOUT_MS), headers: { accept: 'application/json' } })
  if (response.ok) return parsePage(response)
  const fault = failed(`${url} answered ${response.status}`)
  if (response.status === 408 || response.status === 429 || response.status >= 500) throw fault
  throw new AbortError(fault)
}

async function parsePage(response: Response): Promise<NonNullable<ReturnType<typeof parseRetailPage>>> {
  const page = parseRetailPage(await response.json())
  if (page === undefined) throw new AbortError(failed('a page has no list of items'))
  return page
}

function firstPage(options: PriceListOptions, terms: readonly string[]): string {
  const filter = ["priceType eq 'Consumption'", "currencyCode eq 'USD'", ...terms, `armRegionName eq '${options.location}'`].join(' and ')
  const query = new URLSearchParams({ 'api-version': API_VERSION, $filter: filter })
  return `${options.endpoint.replace(/\/$/, '')}/api/retail/prices?${query.toString()}`
}

function failed(message: string): Fault {
  return new Fault('fetch retail prices', problem('AZURE.FAILED', message))
}
