import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { decideProvisioning } from '../decideProvisioning.ts'

/** A core with 2 GiB costs the same in every size. */
const PER_CPU = 0.1
const SIZES = Array.from({ length: 100 }, (_, index) => {
  const cpus = index + 1
  return instanceType({
    name: `size-${cpus}`,
    cpus,
    memoryGib: 2 * cpus,
    pods: 10_000,
    overhead: {},
    price: PER_CPU * cpus,
    spotPrice: null,
  })
})

/** All combinations equally often. */
const CPUS = [0.1, 0.25, 0.5, 1, 1.5]
const GIBS = [0.1, 0.25, 0.5, 1, 2, 4]

describe('machines that hold many pods', () => {
  it.each([300, 1_200])('waste neither cores nor memory, with %i pods of thirty shapes', (count) => {
    const waiting = Array.from({ length: count }, (_, index) => ({
      cpus: CPUS[index % CPUS.length] ?? 0,
      memoryGib: GIBS[index % GIBS.length] ?? 0,
    }))
    const { actions } = decideProvisioning(
      snapshot({ types: SIZES, objects: { pod: waiting.map((each, index) => pod({ name: `pod-${index}`, ...each })) } }),
    )
    const price = actions.reduce((sum, action) => sum + (action.kind === 'createClaim' ? (action.choice.price ?? 0) / 1e6 : 0), 0)
    const cpus = waiting.reduce((sum, each) => sum + each.cpus, 0)
    const gibs = waiting.reduce((sum, each) => sum + each.memoryGib, 0)
    const least = PER_CPU * Math.max(cpus, gibs / 2)
    expect(price / least).toBeGreaterThanOrEqual(1)
    expect(price / least).toBeLessThan(1.005)
  })
})
