import { describe, expect, it } from 'vitest'
import { hence, SECOND } from '../../../test/builders/clock.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { createClusterState } from './clusterState.ts'

describe('the pace of moves', () => {
  it('is ten seconds from a decision that could plan moves, whatever is decided between', () => {
    const { objects: _, ...context } = snapshot()
    const state = createClusterState()
    const decideAfter = (seconds: number) => {
      const movesFrom = state.movesFrom()
      state.decide({ ...context, takenAt: hence(seconds * SECOND), ...(movesFrom === undefined ? {} : { movesFrom }) })
      return state.movesFrom()
    }
    expect(state.movesFrom()).toBeUndefined()
    expect([0, 3, 9.9, 10, 15].map(decideAfter)).toEqual([10, 10, 10, 20, 20].map((seconds) => hence(seconds * SECOND)))
  })
})
