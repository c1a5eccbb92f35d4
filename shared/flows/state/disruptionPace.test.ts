import { describe, expect, it } from 'vitest'
import { hence, SECOND } from '../../../test/builders/clock.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { Action } from '../../model/decision.ts'
import { type NodeClaimName, nodeClaimName, uid } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import { createClusterState } from './clusterState.ts'
import { createPaceKeeper, paceAfter } from './disruptionPace.ts'

describe('the pace of moves', () => {
  it('is ten seconds from a decision that could plan moves, whatever is decided between', () => {
    const { objects: _, ...context } = snapshot()
    const state = createClusterState()
    const decideAfter = (seconds: number) => {
      const takenAt = hence(seconds * SECOND)
      state.decide({ ...context, takenAt, ...state.disruptionPace(takenAt) })
      return state.disruptionPace(takenAt).disruptionResumesAt
    }
    expect(state.disruptionPace(hence(0))).toEqual({})
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

describe('the next round after a round that deleted nodes', () => {
  const { objects: _, ...context } = snapshot()
  const claims = ['default-1', 'default-2'].map((name) => nodeClaimName(name))

  /** Decides once a second. The first decision deletes the claims. Returns the seconds in which moves were planned. */
  function planned(until: number, isDrained: (claim: NodeClaimName, second: number) => boolean, ending = 0): readonly number[] {
    let second = 0
    const keeper = createPaceKeeper({
      podEnds: { since: () => [], ending: () => (second > 0 ? ending : 0) },
      pods: () => 100,
      isDrained: (claim) => isDrained(claim, second),
    })
    const found: number[] = []
    for (; second <= until; second++) {
      const takenAt = hence(second * SECOND)
      const pace = keeper.at(takenAt)
      if ((pace.disruptionResumesAt ?? 0) <= takenAt) found.push(second)
      keeper.decided({ ...context, takenAt, ...pace }, { actions: second === 0 ? claims.map(deletion) : [], reasons: [] })
    }
    return found
  }

  it('begins when all of these nodes are drained', () => {
    expect(planned(20, (claim, second) => second >= (claim === claims[0] ? 4 : 6))).toEqual([0, 6, 16])
  })

  it('begins three seconds later at the earliest', () => {
    expect(planned(20, () => true)).toEqual([0, 3, 13])
  })

  it('begins ten seconds later if a node is not drained until then', () => {
    expect(planned(20, (claim) => claim === claims[0])).toEqual([0, 10, 20])
  })

  it('waits for a scale-down all the same', () => {
    expect(planned(25, () => true, 50)).toEqual([0, 18])
  })

  it('counts the nodes of all decisions of the round', () => {
    const drained = new Set(claims.slice(1))
    const keeper = createPaceKeeper({
      podEnds: { since: () => [], ending: () => 0 },
      pods: () => 100,
      isDrained: (claim) => drained.has(claim),
    })
    const turn = { isDrifted: false, rank: -1, claim: nodeClaimName('default-1') }
    keeper.decided({ ...context, takenAt: hence(0) }, { actions: claims.slice(0, 1).map(deletion), reasons: [], turn })
    keeper.decided(
      { ...context, takenAt: hence(SECOND), ...keeper.at(hence(SECOND)) },
      { actions: claims.slice(1).map(deletion), reasons: [] },
    )
    expect(keeper.at(hence(5 * SECOND))).toEqual({ disruptionResumesAt: hence(11 * SECOND) })
    for (const claim of claims) drained.add(claim)
    expect(keeper.at(hence(5 * SECOND))).toEqual({})
  })

  const deletion = (claim: NodeClaimName): Action => ({ kind: 'deleteClaim', claim, uid: uid(claim), because: 'Underutilized' })
})

describe('moves while workloads are scaled down', () => {
  const { objects: _, ...context } = snapshot()
  const PODS = 300

  /** Decides once a second. `endsIn` are the seconds in which as many pods end. Returns the seconds in which moves were planned. */
  function planned(
    until: number,
    endsIn: (second: number) => number,
    isEnding: (second: number) => boolean = () => false,
  ): readonly number[] {
    const all: EpochMs[] = []
    let second = 0
    const podEnds = { since: (from: EpochMs) => all.filter((at) => at >= from), ending: () => (isEnding(second) ? PODS : 0) }
    const keeper = createPaceKeeper({ podEnds, pods: () => PODS, isDrained: () => false })
    const found: number[] = []
    for (; second <= until; second++) {
      const takenAt = hence(second * SECOND)
      for (let ends = endsIn(second); ends > 0; ends--) all.push(takenAt)
      const pace = keeper.at(takenAt)
      if ((pace.disruptionResumesAt ?? 0) <= takenAt) found.push(second)
      keeper.decided({ ...context, takenAt, ...pace }, { actions: [], reasons: [] })
    }
    return found
  }

  it('wait until no pod has ended for three seconds', () => {
    expect(planned(18, (second) => (second >= 8 && second <= 12 ? 50 : 0))).toEqual([0, 15])
  })

  it('wait until the ending pods have been gone for three seconds', () => {
    const endsIn = (second: number): number => (second === 9 || second === 17 ? 50 : 0)
    expect(planned(22, endsIn, (second) => second >= 9 && second < 17)).toEqual([0, 20])
  })

  it('wait fifteen seconds at most, each time that they are due', () => {
    expect(planned(60, () => 50)).toEqual([15, 40])
    expect(
      planned(
        60,
        () => 50,
        () => true,
      ),
    ).toEqual([15, 40])
  })

  it('do not wait for fewer than a hundredth of all pods', () => {
    expect(planned(20, (second) => (second === 9 ? 2 : 0))).toEqual([0, 10, 20])
    expect(planned(20, (second) => (second === 9 ? 3 : 0))).toEqual([0, 12])
  })

  it('do not wait in the middle of a round', () => {
    const keeper = createPaceKeeper({ podEnds: { since: (from) => [from], ending: () => PODS }, pods: () => PODS, isDrained: () => false })
    const turn = { isDrifted: false, rank: -1, claim: nodeClaimName('default-1') }
    keeper.decided({ ...context, takenAt: hence(0) }, { actions: [], reasons: [], turn })
    expect(keeper.at(hence(SECOND))).toEqual({ disruptionCursor: turn })
  })
})
