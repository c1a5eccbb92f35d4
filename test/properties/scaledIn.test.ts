import { describe, expect, it } from 'vitest'
import { scaledIn } from '../generators/scaledIn.ts'
import { casesOf, seedsOf } from './cases.ts'
import { settleByEngine } from './settled.ts'

const CASES = casesOf(10)

/** Above the size up to which a decision looks ahead. The larger clusters of `npm run bench:disruption` have the same generator. */
const SIZE = { least: 33, most: 70 }

describe(`${CASES} clusters with spread, anti-affinity and pods held to zones that were scaled in`, () => {
  it('buy no machine that no move names, and leave no pod without a place', { timeout: 10 * 60_000 }, () => {
    for (const seed of seedsOf(CASES)) {
      const { bought, snapshot } = settleByEngine(scaledIn(seed, { ...SIZE, hasRules: true }))
      expect(bought, `seed ${seed}`).toEqual([])
      expect(
        snapshot.objects.pod.filter(({ nodeName }) => nodeName === undefined),
        `seed ${seed}`,
      ).toEqual([])
    }
  })
})
