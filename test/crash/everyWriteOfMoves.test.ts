import { describe, expect, it } from 'vitest'
import { FAILED_WRITES, failuresAt, MODES } from './everyWrite.ts'
import { PODS, playMove, WITHIN_MS } from './moveStory.ts'

describe.each(MODES)('SV-02 SV-04 a $how $when a write of a move', (mode) => {
  // For a single process, a kill before a write equals a kill after the previous write.
  it.each(mode.how === 'kill' && mode.when === 'before' ? [[2]] : [[1], [2]])(
    `lets it complete with %i hosts, at ${FAILED_WRITES}`,
    async (hosts) => {
      const calm = await playMove({ hosts })
      const wrong: unknown[] = []
      for (const { n, mode: failure } of failuresAt(mode, calm.before + 1, calm.writes, hosts)) {
        const story = await playMove({ hosts, prepare: ({ world }) => world.failAt(n, failure) })
        const made = new Set(
          story.simulation.world.journal.entries.flatMap(({ operation, object }) => (operation === 'api.createClaim' ? [object] : [])),
        )
        if (story.took === undefined || story.took > WITHIN_MS || made.size !== 2 * PODS || story.wrong.length > 0) {
          wrong.push({ write: n - calm.before, took: story.took, made: [...made], wrong: story.wrong })
        }
      }
      expect(calm.writes - calm.before).toBeGreaterThan(20)
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
