import { describe, expect, it } from 'vitest'
import type { Pod } from '../../shared/model/pod.ts'
import { MIB } from '../builders/resources.ts'
import { clusterOf, type Owned, ownedPods, RULES, sizesAt } from './owners.ts'
import { outcomeOf } from './randomCase.ts'

const OWNERS = [1, 20, 100]
/** The largest ratio between the dearest and the cheapest division into Deployments. */
const MOST = 1.02

/** `even`: each CPU of a size costs the same. `rising`: the price per CPU rises with the size. */
const CATALOGS = { even: sizesAt(0), rising: sizesAt(1 / 500) }

type World = Pick<Owned, 'seed' | 'count' | 'sizes'> & { readonly catalog: keyof typeof CATALOGS }

const WORLDS: readonly World[] = [
  { seed: 23757, count: 3000, sizes: 2, catalog: 'even' },
  { seed: 15838, count: 3000, sizes: 5, catalog: 'rising' },
  { seed: 31676, count: 3000, sizes: 15, catalog: 'even' },
  { seed: 7919, count: 2000, sizes: 0, catalog: 'rising' },
]

describe.each(Object.keys(RULES))('the price of the same pods, %s', (name) => {
  const rule = RULES[name]
  if (rule === undefined) throw new Error(`no rule ${name}`)
  it.each(WORLDS)('does not depend on how they are cut into Deployments: $sizes sizes of pods, $catalog prices, seed $seed', (world) => {
    const prices = OWNERS.map((owners) => {
      const { refused, price } = outcomeOf(clusterOf(CATALOGS[world.catalog], ownedPods({ ...world, owners, rule })))
      expect(refused.size).toBe(0)
      return price
    })
    expect(Math.max(...prices) / Math.min(...prices), prices.join(' ')).toBeLessThan(MOST)
  })
})

/** The cost of rounding is below this factor. */
const HARDLY = 1.005

describe('pods of which each takes odd amounts', () => {
  it.each(Object.keys(CATALOGS) as readonly (keyof typeof CATALOGS)[])('cost no more than pods that take more, at %s prices', (catalog) => {
    const odd = ownedPods({ seed: 7919, count: 2000, sizes: 0, owners: 1, rule: () => ({}) })
    const priceOf = (pods: readonly Pod[]): number => outcomeOf(clusterOf(CATALOGS[catalog], pods)).price
    expect(priceOf(odd)).toBeLessThan(priceOf(odd.map(withMore)) * HARDLY)
  })
})

/** The pod with requests rounded up to a quarter of a CPU and 256 MiB, so that few pod sizes are left. */
function withMore(pod: Pod): Pod {
  const upTo = (amount: number | undefined, step: number): number => Math.ceil((amount ?? 0) / step) * step
  const { requests } = pod
  return { ...pod, requests: { ...requests, cpu: upTo(requests['cpu'], 250), memory: upTo(requests['memory'], 256 * MIB) } }
}
