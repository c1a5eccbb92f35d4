import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pods } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { microUsdPerHour } from '../../model/units.ts'
import { decideProvisioning } from './planningState.ts'

/** One large machine costs 100 millionths of a dollar an hour more than two small ones. */
const SIZES = [
  instanceType({ name: 'Standard_D2as_v6', cpus: 2, memoryGib: 8, price: 0.1, spotPrice: null, zones: ['eastus-1'] }),
  instanceType({ name: 'Standard_D4as_v6', cpus: 4, memoryGib: 16, price: 0.2001, spotPrice: null, zones: ['eastus-1'] }),
]

describe('two pods that fill two small machines, or one large machine that costs a little more', () => {
  it.each([
    { nodeCost: undefined, want: [100_000, 100_000] },
    { nodeCost: 0, want: [100_000, 100_000] },
    { nodeCost: 99, want: [100_000, 100_000] },
    { nodeCost: 101, want: [200_100] },
    { nodeCost: 5_000, want: [200_100] },
  ])('get what costs least with $nodeCost for each node, and the price that is shown is the bill', ({ nodeCost, want }) => {
    const { actions } = decideProvisioning(
      snapshot({
        types: SIZES,
        settings: nodeCost === undefined ? {} : { nodeCost: microUsdPerHour(nodeCost) },
        objects: { nodePool: [nodePool()], pod: pods(2, { cpus: 1.5, memoryGib: 4 }) },
      }),
    )
    expect(actions.flatMap((action) => (action.kind === 'createClaim' ? [action.choice.price] : []))).toEqual(want)
  })
})
