import { describe, expect, it } from 'vitest'
import { err } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { problem } from '../../shared/model/problem.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import { pod } from '../builders/pod.ts'
import { createSimulation } from './simulation.ts'

const MINUTE = 60_000
const CODES = ['AZURE.QUOTA.REGION', 'AZURE.QUOTA.FAMILY', 'AZURE.QUOTA.SPOT', 'AZURE.SUBNET_FULL'] as const

describe('the last machine that Azure has room for', () => {
  it.each(CODES)('goes to the more important pod, whichever is larger (%s)', async (code) => {
    for (const important of ['small', 'large'] as const) {
      let left = 1
      const between = (deps: ClusterDeps): ClusterDeps => {
        const launch: ClusterDeps['cloud']['launch'] = async (...call) => {
          if (left-- > 0) return deps.cloud.launch(...call)
          const until = later(deps.clock.now(), durationMs(10 * MINUTE))
          const why = problem(code, 'the quota is used up')
          return err({
            problem: why,
            unavailable: (['spot', 'on-demand'] as const).map((capacityType) => ({
              scope: { kind: 'capacityType', capacityType },
              until,
              code,
              message: why.message,
            })),
            then: 'stop',
          })
        }
        return { ...deps, cloud: { ...deps.cloud, launch } }
      }
      const simulation = createSimulation({ between, isConcurrent: true })
      const { objects } = simulation.world
      const now = simulation.clock.now()
      for (const [name, cpus] of [
        ['small', 3],
        ['large', 6],
      ] as const) {
        const priority = name === important ? 1_000 : 0
        objects.put('pod', pod({ name, cpus, priority, createdAt: now, unschedulableSince: now }))
      }
      await simulation.runUntil(() => objects.all('node').length > 0, 2 * MINUTE)
      await simulation.runUntil(() => objects.all('pod').some(({ nodeName }) => nodeName !== undefined), MINUTE)
      const placed = objects.all('pod').flatMap(({ key, nodeName }) => (nodeName === undefined ? [] : [key]))
      expect(placed).toEqual([`default/${important}`])
    }
  })
})
