import { describe, expect, it } from 'vitest'
import { createLoadedClusters, type Holding } from './decider.ts'

function holdingOf(objects: number): Holding & { readonly holds: () => number } {
  let held = objects
  return {
    size: () => held,
    holds: () => held,
    forget() {
      held = 0
    },
  }
}

describe('what a process holds of its clusters', () => {
  it('stays below its bound: the cluster used longest ago is let go first', () => {
    const loaded = createLoadedClusters(100)
    const [first, second, third] = [holdingOf(40), holdingOf(40), holdingOf(40)]
    loaded.used(first)
    loaded.used(second)
    loaded.used(first)
    loaded.used(third)
    expect([first.holds(), second.holds(), third.holds()]).toEqual([40, 0, 40])
  })

  it('lets go as many as it must, and never the one in use', () => {
    const loaded = createLoadedClusters(100)
    const small = [holdingOf(30), holdingOf(30), holdingOf(30)]
    for (const each of small) loaded.used(each)
    const huge = holdingOf(500)
    loaded.used(huge)
    expect([...small, huge].map((each) => each.holds())).toEqual([0, 0, 0, 500])
    loaded.used(huge)
    expect(huge.holds()).toBe(500)
  })
})
