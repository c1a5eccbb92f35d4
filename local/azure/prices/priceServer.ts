import { ownValue } from '../../../shared/base/values.ts'
import type { FaultBook } from '../faults.ts'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import type { VmSize } from '../sizes/vmSize.ts'

const PAGE = 100
const VERSIONS = ['2021-10-01-preview', '2023-01-01-preview']

type PriceItem = Readonly<Record<string, string | number | boolean>>

/** The retail price list: filters by equality, pages of 100, and also the kinds of items that a reader must leave out. */
export function createPriceServer(location: string, sizes: ReadonlyMap<string, VmSize>, faults: FaultBook, baseUrl: () => string) {
  const items = [...[...sizes.values()].flatMap((size) => itemsOf(size, location)), ...diskItems(location)]
  return (request: HttpRequest): HttpAnswer => {
    const fault = faults.takeHttp(request.method, request.url.pathname)
    if (fault?.drop !== undefined) return 'drop'
    if (fault?.status !== undefined)
      return {
        status: fault.status,
        headers: { 'retry-after': String(fault.retryAfterSeconds ?? 1) },
        body: { error: fault.message ?? 'a fault of the script' },
      }
    if (request.url.pathname !== '/api/retail/prices')
      return { status: 404, body: { error: `the price list is at /api/retail/prices, not ${request.url.pathname}` } }
    const version = request.url.searchParams.get('api-version')
    if (version !== null && !VERSIONS.includes(version))
      return { status: 400, body: { error: `api-version '${version}' is not one of ${VERSIONS.join(', ')}` } }
    const terms = parseFilter(request.url.searchParams.get('$filter') ?? '')
    if (terms === undefined) return { status: 400, body: { error: "$filter: only terms <field> eq '<value>' joined by and are served" } }
    return answerPage(
      request.url,
      items.filter((item) => terms.every(([field, value]) => fits(item, field, value))),
      baseUrl(),
    )
  }
}

function answerPage(url: URL, matching: readonly PriceItem[], base: string): HttpAnswer {
  const skip = Number(url.searchParams.get('$skip') ?? 0)
  const page = matching.slice(skip, skip + PAGE)
  const next = new URLSearchParams(url.searchParams)
  next.set('$skip', String(skip + PAGE))
  return {
    status: 200,
    body: {
      BillingCurrency: 'USD',
      CustomerEntityId: 'Default',
      CustomerEntityType: 'Retail',
      Items: page,
      NextPageLink: skip + PAGE < matching.length ? `${base}${url.pathname}?${next.toString()}` : null,
      Count: page.length,
    },
  }
}

/** Parses a filter such as `priceType eq 'Consumption' and armRegionName eq 'eastus'`. */
function parseFilter(filter: string): (readonly [field: string, value: string])[] | undefined {
  if (filter.trim() === '') return []
  const terms: (readonly [string, string])[] = []
  for (const part of filter.split(/\s+and\s+/)) {
    const match = /^\s*([A-Za-z]+)\s+eq\s+'([^']*)'\s*$/.exec(part)
    if (match?.[1] === undefined || match[2] === undefined) return undefined
    terms.push([match[1], match[2]])
  }
  return terms
}

function fits(item: PriceItem, field: string, value: string): boolean {
  return String(ownValue(item, field === 'priceType' ? 'type' : field) ?? '') === value
}

function itemsOf(size: VmSize, location: string): PriceItem[] {
  const sku = size.name.replace(/^Standard_/, '').replaceAll('_', ' ')
  const series = `Virtual Machines ${size.family} Series`
  const base = { location, size: size.name, series, sku }
  if (size.onDemandUsd === undefined) return []
  const usd = size.onDemandUsd
  return [
    item(base, { usd, skuName: sku, meterName: sku, productName: series }),
    item(base, { usd: usd * 1.9, skuName: sku, meterName: sku, productName: `${series} Windows` }),
    item(base, { usd: usd * 0.2, skuName: `${sku} Low Priority`, meterName: `${sku} Low Priority`, productName: series }),
    item(base, { usd: usd * 1.3, skuName: sku, meterName: sku, productName: `${size.family} Cloud Services` }),
    ...(size.spotUsd === undefined
      ? []
      : [item(base, { usd: size.spotUsd, skuName: `${sku} Spot`, meterName: `${sku} Spot`, productName: series })]),
  ]
}

/**
 * Managed disks as the list has them: prices of a month, a mount of a shared disk under the same name, and other kinds of disks. Source: items of the
 * list as the tests of public repositories quote them, read on 2026-11-30.
 */
function diskItems(location: string): PriceItem[] {
  const machine = item({ location, size: '' }, { usd: 0, skuName: '', meterName: '', productName: '' })
  const disk = { ...machine, serviceName: 'Storage', serviceId: 'DZH317F1HKN0', serviceFamily: 'Storage', unitOfMeasure: '1/Month' }
  return DISKS.flatMap(({ letter, product, armSku, monthly }) =>
    Object.entries(monthly).flatMap(([size, usd]) => {
      const [tier, productName] = [`${letter}${size}`, `${product} Managed Disks`]
      const own = { ...disk, productName, armSkuName: `${armSku}_Managed_Disk_${tier}` }
      const line = (redundancy: string, meter: string, price: number): PriceItem => {
        return {
          ...own,
          skuName: `${tier} ${redundancy}`,
          meterName: `${tier} ${redundancy} ${meter}`,
          retailPrice: price,
          unitPrice: price,
        }
      }
      return [line('LRS', 'Disk', usd), line('LRS', 'Disk Mount', usd / 20), line('ZRS', 'Disk', usd * 1.5)]
    }),
  )
}

const DISKS = [
  {
    letter: 'P',
    product: 'Premium SSD',
    armSku: 'Premium_SSD',
    monthly: { 4: 5.28, 6: 10.21, 10: 19.71, 15: 38.02, 20: 73.22, 30: 135.17, 40: 259.05 },
  },
  {
    letter: 'E',
    product: 'Standard SSD',
    armSku: 'Standard_SSD',
    monthly: { 4: 2.4, 6: 4.8, 10: 9.6, 15: 19.2, 20: 38.4, 30: 76.8, 40: 153.6 },
  },
  { letter: 'S', product: 'Standard HDD', armSku: 'Standard_HDD', monthly: { 10: 5.89 } },
] as const

function item(
  base: { readonly location: string; readonly size: string },
  price: { readonly usd: number; readonly skuName: string; readonly meterName: string; readonly productName: string },
): PriceItem {
  const usd = Math.round(price.usd * 1_000_000) / 1_000_000
  return {
    currencyCode: 'USD',
    tierMinimumUnits: 0,
    retailPrice: usd,
    unitPrice: usd,
    armRegionName: base.location,
    location: base.location,
    effectiveStartDate: '2026-06-01T00:00:00Z',
    meterId: '',
    meterName: price.meterName,
    productId: '',
    skuId: '',
    productName: price.productName,
    skuName: price.skuName,
    serviceName: 'Virtual Machines',
    serviceId: 'DZH313Z7MMC8',
    serviceFamily: 'Compute',
    unitOfMeasure: '1 Hour',
    type: 'Consumption',
    isPrimaryMeterRegion: true,
    armSkuName: base.size,
  }
}
