import { canonicalJson } from '../../base/canonicalJson.ts'
import { largestOf, leastOf } from '../../base/lists.ts'
import { stableNumber } from '../../base/stableHash.ts'
import { timesRefused } from '../../model/refusalGrowth.ts'
import { formatTimestamp } from '../../model/timestamp.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/** The most that a wait is longer than the block, as a share of the block. */
const SPREAD = 0.1
const NUMBERS = 2 ** 32

/**
 * The blocks as this asker waits for them. After the second refusal and each later one, the wait is a little longer than the block. Each asker has its
 * own wait, so that requests do not come all at once. A refusal of the first request blocks the offering again before the other requests. If the first
 * request gets a machine, the other requests follow soon.
 * The time comes from a hash, so that it stays the same in each decision about the same block. All zones have one time, so that an asker that asks
 * tries them together. A launch does not wait: it has been decided on.
 */
export function waitsOf(asker: string, unavailable: readonly UnavailableOffering[]): readonly UnavailableOffering[] {
  if (unavailable.every(({ again }) => again === undefined)) return unavailable
  return unavailable.map((each) => {
    if (each.again === undefined) return each
    const share = stableNumber(`${asker} ${canonicalJson({ ...each.scope, zone: '' })} ${timesRefused(each)}`) / NUMBERS
    return { ...each, until: later(each.until, durationMs(Math.floor(SPREAD * share * (each.until - each.again.at)))) }
  })
}

/** When Azure is asked for a refused offering again, and how often it refused in a row. */
export type AskedAgain = { readonly at: EpochMs; readonly times: number }

/** Of several blocks the first end and the most refusals. Undefined if there is no block. */
export function askedAgain(blocks: readonly UnavailableOffering[]): AskedAgain | undefined {
  if (blocks.length === 0) return undefined
  return { at: epochMs(leastOf(blocks.map(({ until }) => until))), times: largestOf(blocks.map(timesRefused)) }
}

/** `; Azure refused 3 times in a row and is asked again from 2026-01-01T10:00:00Z`. Empty without a block. */
export function askedAgainText(asked: AskedAgain | undefined): string {
  if (asked === undefined) return ''
  const { at, times } = asked
  return `; Azure ${times === 1 ? '' : `refused ${times} times in a row and `}is asked again from ${formatTimestamp(at)}`
}
