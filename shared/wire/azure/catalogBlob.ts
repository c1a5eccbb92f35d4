import * as z from 'zod'
import { parsedJson } from '../../base/json.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { sizeRecord } from './sizeRecord.ts'

const SCHEMA = 1
const fetchedAt = z
  .number()
  .int()
  .transform((value): EpochMs => epochMs(value))

const price = z.object({ onDemand: z.number().int().optional(), spot: z.number().int().optional() })
const usage = z.object({ limit: z.number(), used: z.number() })

/** `leftOut`: names of sizes by the rule that leaves them out. Older versions wrote none. */
const leftOut = z.record(z.string(), z.array(z.string())).default({})
const sizes = z.object({ schema: z.literal(SCHEMA), fetchedAt, sizes: z.array(sizeRecord), leftOut })
/** `disks`: prices of managed disks by tier. Older versions wrote none. */
const disks = z.record(z.string(), z.number().int()).default({})
const prices = z.object({ schema: z.literal(SCHEMA), fetchedAt, prices: z.record(z.string(), price), disks })
const quota = z.object({ schema: z.literal(SCHEMA), fetchedAt, usages: z.record(z.string(), usage) })

export type StoredSizes = Readonly<z.output<typeof sizes>>
/** Prices in micro-USD per hour, of machines by size name, of managed disks by tier. */
export type StoredPrices = Readonly<z.output<typeof prices>>
/** Limit and usage by quota name, for example `cores` or a family. */
export type StoredQuota = Readonly<z.output<typeof quota>>
export type SizePrice = Readonly<z.output<typeof price>>

export const readSizes = (text: string): StoredSizes | undefined => read(sizes, text)
export const readPrices = (text: string): StoredPrices | undefined => read(prices, text)
export const readQuota = (text: string): StoredQuota | undefined => read(quota, text)

export function writeSizes(value: Omit<StoredSizes, 'schema'>): string {
  return JSON.stringify({ schema: SCHEMA, ...value })
}

export function writePrices(value: Omit<StoredPrices, 'schema'>): string {
  return JSON.stringify({ schema: SCHEMA, ...value })
}

export function writeQuota(value: Omit<StoredQuota, 'schema'>): string {
  return JSON.stringify({ schema: SCHEMA, ...value })
}

/** Undefined if another version wrote the text. Then the data is fetched again. */
function read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  const parsed = schema.safeParse(parsedJson(text))
  return parsed.success ? parsed.data : undefined
}
