/**
 * Digests of the engine's decisions about 2,000 random clusters. A change that is meant to change no decision must leave them as they are. A change
 * of decisions renews the file with `node test/properties/renewCorpus.ts`. The first lines of the file then show the prices before and after.
 */
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../shared/base/json.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { wideSnapshot } from '../generators/wideSnapshot.ts'
import { outcomeOf } from './randomCase.ts'

export const CORPUS_FILE = new URL('./corpus.txt', import.meta.url)

const PLACEMENTS = ['price', 'firstFit'] as const
export const CORPUS_CASES = 2_000

/** The text of the corpus for the present engine: two lines of totals, then a line for each of the first `cases` clusters with a digest for each placement. */
export function corpusNow(cases = CORPUS_CASES): string {
  const totals = PLACEMENTS.map((placement) => ({ placement, placed: 0, refused: 0, price: 0 }))
  const lines = Array.from({ length: cases }, (_, index) => {
    const snapshot = clusterOf(index + 1)
    const digests = totals.map((total) => {
      const outcome = outcomeOf({ ...snapshot, settings: { ...snapshot.settings, placement: total.placement } })
      total.placed += outcome.placed.size
      total.refused += outcome.refused.size
      // An overlay may set any price. A few such clusters would outweigh all others.
      if (snapshot.objects.nodeOverlay.length === 0) total.price += outcome.price
      return digestOf(canonicalJson(outcome.decision))
    })
    return `${index + 1} ${digests.join(' ')}`
  })
  const heads = totals.map(
    ({ placement, placed, refused, price }) =>
      `${placement}: ${placed} pods placed, ${refused} refused, ${Math.round(price)} millionths of a dollar an hour for new machines`,
  )
  return [...heads, ...lines, ''].join('\n')
}

/** The cluster of a line of the corpus. */
function clusterOf(seed: number): ClusterSnapshot {
  return seed % 2 === 1 ? randomSnapshot(seed) : wideSnapshot(seed)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
