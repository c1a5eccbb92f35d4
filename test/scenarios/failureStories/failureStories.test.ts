import { describe, expect, it } from 'vitest'
import { missingTests } from '../karpenterLines/shownTests.ts'
import { CHURN } from './churn.ts'
import { CLOUD_API } from './cloudApi.ts'
import { DRAIN_AND_SAFETY } from './drainAndSafety.ts'
import type { FailureStory } from './failureStory.ts'
import { STATE_AND_SCALE } from './stateAndScale.ts'

/** The stories about machines and moves, by group. */
const GROUPS: readonly (readonly [about: string, stories: string, rows: readonly FailureStory[]])[] = [
  ['churn', 'F1 F2 F4 F5 F6 F7 F8 F9', CHURN],
  ['calls to Azure', 'F12 F13 F14 F15 F18 F19 F20', CLOUD_API],
  ['state and scale', 'F22 F25 F26 F27 F28 F29', STATE_AND_SCALE],
  ['drain and safety', 'F30 F31 F32 F33 F34 F35 F36 F37 F40 F41 F42 F43 F44', DRAIN_AND_SAFETY],
]

describe.each(GROUPS)('failures by %s', (_about, stories, rows) => {
  it('have one row each', () => expect(rows.map(({ story }) => story).join(' ')).toBe(stories))

  it.each(rows)('$story: $holds', ({ shown }) => {
    expect(Object.values(shown).flat().length).toBeGreaterThan(0)
    expect(missingTests(shown)).toEqual([])
  })
})
