import { PUBLIC_CLOUD } from '../../shared/model/cloud.ts'

/** The source of a price. `listed`: read by a person from the public price list at the given date. `remembered`: not looked up. */
type Sureness = 'listed' | 'remembered'

export type UnitPrice = {
  readonly usd: number
  /** Number of units that `usd` is the price of. */
  readonly per: number
  readonly unit: string
  /** Units a month that are free. They are granted once for each subscription or billing account, so other apps may have used them. */
  readonly free?: number
  readonly sure: Sureness
  readonly asOf: string
  readonly source: string
}

const LIST = `${PUBLIC_CLOUD.facts.prices}/api/retail/prices`
const FUNCTIONS = 'https://azure.microsoft.com/pricing/details/functions'
const MONITOR = 'https://azure.microsoft.com/pricing/details/monitor'

function listed(usd: number, unit: string, asOf: string, more: Partial<UnitPrice> = {}): UnitPrice {
  return { usd, per: 1, unit, sure: 'listed', asOf, source: LIST, ...more }
}

function remembered(usd: number, unit: string, source: string, more: Partial<UnitPrice> = {}): UnitPrice {
  return { usd, per: 1, unit, sure: 'remembered', asOf: '2026-11', source, ...more }
}

/** Prices in US dollars before tax, for East US and East US 2, pay as you go. */
export const PRICES = {
  onDemandGbSeconds: listed(0.000026, 'GB-s', '2026-09-26', { free: 100_000, source: FUNCTIONS }),
  onDemandExecutions: listed(0.4, 'executions', '2026-09-26', { per: 1_000_000, free: 250_000, source: FUNCTIONS }),
  alwaysReadyBaseline: listed(0.000004, 'GB-s', '2026-09-26'),
  alwaysReadyGbSeconds: listed(0.000016, 'GB-s', '2026-09-26'),
  alwaysReadyExecutions: listed(0.4, 'executions', '2026-09-26', { per: 1_000_000 }),
  queueOperations: listed(0.004, 'operations', '2026-09', { per: 10_000 }),
  blobReads: listed(0.004, 'operations', '2026-09', { per: 10_000 }),
  blobWrites: listed(0.05, 'operations', '2026-09', { per: 10_000 }),
  storedGb: listed(0.0184, 'GB', '2026-09'),
  logGb: listed(2.3, 'GB', '2026-08-09', { free: 5 }),
  logAlertEvery15Minutes: listed(0.5, 'rules', '2026-09'),
  logAlertEvery5Minutes: listed(1.5, 'rules', '2026-09'),
  metricAlertSeries: listed(0.1, 'series', '2026-09', { free: 10, source: MONITOR }),
  eventGridOperations: remembered(0.6, 'operations', 'https://azure.microsoft.com/pricing/details/event-grid', {
    per: 1_000_000,
    free: 100_000,
  }),
  natGatewayHours: remembered(0.045, 'hours', 'https://azure.microsoft.com/pricing/details/azure-nat-gateway'),
  natGatewayGb: remembered(0.045, 'GB', 'https://azure.microsoft.com/pricing/details/azure-nat-gateway'),
  publicAddressHours: remembered(0.005, 'hours', 'https://azure.microsoft.com/pricing/details/ip-addresses'),
  privateEndpointHours: listed(0.01, 'hours', '2026-09'),
  privateEndpointGb: listed(0.01, 'GB', '2026-09'),
  privateDnsZones: remembered(0.5, 'zones', 'https://azure.microsoft.com/pricing/details/dns'),
} satisfies { readonly [name: string]: UnitPrice }

export type PriceName = keyof typeof PRICES
