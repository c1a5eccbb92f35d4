import { describe, expect, it } from 'vitest'
import { hence, SECOND } from '../../../test/builders/clock.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { nodeClaimName } from '../../model/ids.ts'
import { createClusterState } from './clusterState.ts'
import { paceAfter } from './disruptionPace.ts'

describe('the pace of moves', () => {
  it('is ten seconds from a decision that could plan moves, whatever is decided between', () => {
    const { objects: _, ...context } = snapshot()
    const state = createClusterState()
    const decideAfter = (seconds: number) => {
      state.decide({ ...context, takenAt: hence(seconds * SECOND), ...state.disruptionPace() })
      return state.disruptionPace().disruptionResumesAt
    }
    expect(state.disruptionPace()).toEqual({})
    expect([0, 3, 9.9, 10, 15].map(decideAfter)).toEqual([10, 10, 10, 20, 20].map((seconds) => hence(seconds * SECOND)))
  })

  it('is that of the decisions while machines wait for their turn, and a decision between changes nothing', () => {
    const { objects: _, ...context } = snapshot()
    const turn = { isDrifted: false, rank: -1, claim: nodeClaimName('default-1') }
    expect(paceAfter({ ...context, takenAt: hence(0) }, { actions: [], reasons: [], turn })).toEqual({ disruptionCursor: turn })
    const waiting = { disruptionResumesAt: hence(10 * SECOND) }
    expect(paceAfter({ ...context, takenAt: hence(0), ...waiting }, { actions: [], reasons: [] })).toEqual(waiting)
  })
})
