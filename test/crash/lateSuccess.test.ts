import { describe, expect, it } from 'vitest'
import { err } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { problem } from '../../shared/model/problem.ts'
import { createSimulation } from './simulation.ts'
import { footprint, scaleDown, scaleUp } from './stories.ts'

const FAILED = problem('AZURE.FAILED', 'the operation timed out')
const FIVE_MINUTES = 5 * 60_000

/** The first launches report a failure, but their machines appear later. */
function latelySuccessful(failures: number): (deps: ClusterDeps) => ClusterDeps {
  let left = failures
  return (deps) => ({
    ...deps,
    cloud: {
      ...deps.cloud,
      async launch(request, signal) {
        const launched = await deps.cloud.launch(request, signal)
        if (left === 0) return launched
        left--
        return err({ problem: FAILED, unavailable: [], then: 'retry' })
      },
    },
  })
}

describe('F12: a launch that was called failed succeeds late', () => {
  it.each([1, 2, 5])(
    '%i of them: the machine is taken over or goes with all that belongs to it, and no claim gets two',
    async (failures) => {
      const simulation = createSimulation({ between: latelySuccessful(failures), gcEveryMs: 60_000 })
      expect(await scaleUp(simulation, 4, { cpus: 3 })).toBeDefined()
      await simulation.runUntil(() => false, FIVE_MINUTES)
      const { claims, nodes, machines, interfaces } = footprint(simulation)
      expect({ nodes, machines: machines.length, interfaces }).toEqual({ nodes: claims, machines: claims, interfaces: claims })
      expect(await scaleDown(simulation)).toBeDefined()
      expect(footprint(simulation)).toMatchObject({ machines: [], interfaces: 0, claims: 0, nodes: 0, tokens: 0, failing: 0 })
    },
  )
})
