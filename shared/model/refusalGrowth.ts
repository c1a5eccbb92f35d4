/**
 * How long offerings are blocked that Azure refuses again and again. The first refusal blocks for the time that the table of refusals gives. Each
 * further refusal soon after the end of a block doubles the time. A machine that was made after a block ended, or a long time without a refusal, ends
 * the row.
 */
import { canonicalJson } from '../base/json.ts'
import type { UnavailableOffering, UnavailableScope } from './unavailableOffering.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from './units.ts'

/**
 * The most that a block grows. The first time of a refusal says how fast its cause may pass, so the longest time is in proportion to it. Beyond three
 * hours, fewer calls are worth less than machines that come sooner.
 */
const MOST_GROWTH = 8
const LONGEST_MS = 3 * 3_600_000
/** For how long a block is remembered after its end. A machine that waits for it is asked for within minutes, and may fail a quarter hour later. */
const REMEMBERED = durationMs(2 * 3_600_000)

/** The block of the refusal with this number in a row, from 1. A block that is long at first does not grow. */
export function blockLength(firstMs: DurationMs, times: number): DurationMs {
  const grown = firstMs * Math.min(2 ** (times - 1), MOST_GROWTH)
  return durationMs(Math.max(firstMs, Math.min(grown, LONGEST_MS)))
}

/** Reports whether a refusal now would count as a further one in a row. */
export function isRemembered({ until }: UnavailableOffering, now: EpochMs): boolean {
  return now < later(until, REMEMBERED)
}

/** The number of refusals in a row. */
export function timesRefused({ again }: UnavailableOffering): number {
  return again?.times ?? 1
}

/**
 * The known offerings with refusals that came now. While a block lasts, a refusal of its scope is of a launch that began before, so it does not count
 * as a further one. Of two ends the later one counts.
 */
export function withRefusals(
  known: readonly UnavailableOffering[],
  refusals: readonly UnavailableOffering[],
  now: EpochMs,
): readonly UnavailableOffering[] {
  const byScope = new Map(known.filter((each) => isRemembered(each, now)).map((each) => [offeringsKeyOf(each), each]))
  for (const refusal of refusals) byScope.set(offeringsKeyOf(refusal), refused(byScope.get(offeringsKeyOf(refusal)), refusal, now))
  return [...byScope.values()]
}

function refused(known: UnavailableOffering | undefined, refusal: UnavailableOffering, now: EpochMs): UnavailableOffering {
  if (known === undefined) return refusal
  const firstMs = durationMs(refusal.until - now)
  const times = timesRefused(known)
  if (known.until > now) {
    const until = later(now, blockLength(firstMs, times))
    return until > known.until ? { ...known, ...refusal, until } : known
  }
  const again = { times: times + 1, at: now, openedAt: known.until, firstMs }
  return { ...refusal, until: later(now, blockLength(firstMs, times + 1)), again }
}

/** Offerings that Azure gave a machine of, which has joined its cluster. */
export type MadeOffering = { readonly scope: UnavailableScope; readonly launchedAt: EpochMs }

/**
 * The known offerings after machines of them were made. A block that was over when the machine was launched is forgotten. If Azure gave one machine
 * and refused another one after the same block, the block is as long as that of a first refusal.
 */
export function withMade(known: readonly UnavailableOffering[], made: readonly MadeOffering[]): readonly UnavailableOffering[] {
  const launches = new Map(made.map((each) => [canonicalJson(each.scope), each.launchedAt]))
  return known.flatMap((each) => afterLaunch(each, launches.get(canonicalJson(each.scope))) ?? [])
}

/** A machine of the offerings that was launched at this time or later ends the row. */
export function endsRowFrom({ until, again }: UnavailableOffering): EpochMs {
  return again?.openedAt ?? until
}

function afterLaunch(offering: UnavailableOffering, launchedAt: EpochMs | undefined): UnavailableOffering | undefined {
  const { again, ...first } = offering
  if (launchedAt === undefined || launchedAt < endsRowFrom(offering)) return offering
  if (again === undefined || launchedAt >= offering.until) return undefined
  return { ...first, until: epochMs(Math.min(offering.until, again.at + again.firstMs)) }
}

/** Two refusals with one key are about the same offerings, for the same clusters. */
export function offeringsKeyOf({ scope, of }: UnavailableOffering): string {
  return canonicalJson(of === undefined ? scope : [scope, of])
}
