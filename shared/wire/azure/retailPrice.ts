import * as z from 'zod'

const item = z.object({
  currencyCode: z.string().optional(),
  tierMinimumUnits: z.number().optional(),
  retailPrice: z.number(),
  armRegionName: z.string().optional(),
  effectiveStartDate: z.string().optional(),
  effectiveEndDate: z.string().optional(),
  meterName: z.string(),
  productName: z.string(),
  skuName: z.string(),
  unitOfMeasure: z.string().optional(),
  type: z.string().optional(),
  isPrimaryMeterRegion: z.boolean().optional(),
  armSkuName: z.string().optional(),
})

/** One item of the public price list. */
export type RetailPrice = Readonly<z.output<typeof item>>

const page = z.object({ Items: z.array(z.unknown()), NextPageLink: z.string().nullish() })

/** Parses a page of the price list. Undefined if the page has another shape. Items that cannot be parsed are left out. */
export function parseRetailPage(value: unknown): { readonly items: readonly RetailPrice[]; readonly next: string | undefined } | undefined {
  const parsed = page.safeParse(value)
  if (!parsed.success) return undefined
  const items = parsed.data.Items.map((line) => item.safeParse(line)).flatMap((line) => (line.success ? [line.data] : []))
  return { items, next: parsed.data.NextPageLink === '' ? undefined : (parsed.data.NextPageLink ?? undefined) }
}
