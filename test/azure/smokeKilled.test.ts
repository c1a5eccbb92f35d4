/** A smoke run that is killed at any of its calls leaves nothing once it is resumed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KillPoint, type SmokeWorld, startSmokeWorld } from './smokeWorld.ts'

let world: SmokeWorld
beforeAll(async () => {
  world = await startSmokeWorld()
})
afterAll(() => world.close())

const nameOf = ({ call, nth, when }: KillPoint): string => `${when} ${call} (${nth})`

/**
 * Not each run deletes its nodes, and the pod that waits for the notice: controllers of the cluster do it, too, once the machines are gone.
 */
const OF_CHANCE = /^kube DELETE \/api\/v1\/(?:nodes\/|namespaces\/kube-system\/pods\/\S+-notice)/

/** The first call of each name, and the first calls of the cluster adapter, which have one name. A read has no effect to be killed after. */
function killPoints(calls: readonly string[]): readonly KillPoint[] {
  const names = [...new Set(calls)].filter((name) => !OF_CHANCE.test(name))
  const firsts = names.filter((name) => name !== 'token').map((call) => ({ call, nth: 1 }))
  const tokens = Array.from({ length: Math.min(MOST_TOKENS, calls.filter((each) => each === 'token').length) }, (_, at) => ({
    call: 'token',
    nth: at + 1,
  }))
  // The machine that takes the place of the evicted one, and the eviction itself: the first request for one only tries the right.
  const second = names.filter((name) => /^PUT .*virtualMachines|^POST .*simulateEviction/.test(name)).map((call) => ({ call, nth: 2 }))
  return [...firsts, ...second, ...tokens].flatMap(({ call, nth }): readonly KillPoint[] => {
    const before = { call, nth, when: 'before' as const }
    return /^(?:kube )?GET|^token/.test(call) ? [before] : [before, { call, nth, when: 'after' }]
  })
}
/** Later calls take a token that is still held. */
const MOST_TOKENS = 3

describe('a smoke run that is killed', () => {
  it('leaves nothing once its record is resumed, wherever it was killed', async () => {
    const whole = await world.run()
    expect(whole.code).toBe(0)
    const points = killPoints(whole.calls)
    const wrong: string[] = []
    for (const kill of points) {
      const killed = await world.run({ kill })
      if (killed.code !== 'killed') wrong.push(`${nameOf(kill)}: was not killed, ${killed.code}`)
      const resumed = await world.run({ resume: killed.record, onlyRemove: true })
      if (resumed.code !== 0) wrong.push(`${nameOf(kill)}: ${resumed.lines.join('; ')}`)
      for (const each of await world.left()) wrong.push(`${nameOf(kill)}: ${each}`)
    }
    expect(wrong).toEqual([])
    expect(points.length).toBeGreaterThan(25)
  }, 600_000)
})
