import { describe, expect, it } from 'vitest'
import { err } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { findCondition } from '../../shared/model/condition.ts'
import { CREATION_FORBIDDEN, CREATION_PAUSED } from '../../shared/model/nodePool.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { pods } from '../builders/pod.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { scaleUp } from './stories.ts'

const FIVE_MINUTES = 5 * 60_000
const NO_RIGHT = problem('AZURE.FORBIDDEN', 'no right to write Microsoft.Compute/virtualMachines')

/** Azure while the app has no rights, or while its identity gets no token. */
const REFUSALS: { readonly [how: string]: (deps: ClusterDeps) => ClusterDeps['cloud'] } = {
  'the role is revoked': ({ cloud }) => ({ ...cloud, launch: async () => err({ problem: NO_RIGHT, unavailable: [], then: 'stop' }) }),
  'the identity gives no token': ({ cloud }) => {
    const refuse = async () => Promise.reject(new Fault('get a token', NO_RIGHT))
    return { ...cloud, launch: refuse, get: refuse, list: refuse, terminate: refuse }
  },
}

function pauseOf({ world: { objects } }: Simulation): string | undefined {
  const [pool] = objects.all('nodePool')
  const paused = findCondition(pool?.status.conditions ?? [], CREATION_PAUSED)
  return paused?.status === 'True' ? paused.reason : undefined
}

describe('F41: rights or credentials vanish while nodes run', () => {
  it.each(Object.entries(REFUSALS))(
    '%s: said within five minutes, nothing goes meanwhile, and all is well once they are back',
    async (_how, refused) => {
      let isRefused = false
      const between = (deps: ClusterDeps): ClusterDeps => {
        const now = (): ClusterDeps['cloud'] => (isRefused ? refused(deps) : deps.cloud)
        const cloud: ClusterDeps['cloud'] = {
          ...deps.cloud,
          launch: (...call) => now().launch(...call),
          get: (...call) => now().get(...call),
          list: (...call) => now().list(...call),
          terminate: (...call) => now().terminate(...call),
        }
        return { ...deps, cloud }
      }
      const simulation = createSimulation({ between })
      const { objects, telemetry } = simulation.world
      expect(await scaleUp(simulation, 2, { cpus: 3 })).toBeDefined()
      const running = objects.all('nodeClaim').map(({ name }) => name)
      isRefused = true
      const now = simulation.clock.now()
      for (const pod of pods(9, { name: 'more', cpus: 3, createdAt: now, unschedulableSince: now })) objects.put('pod', pod)
      expect(await simulation.runUntil(() => pauseOf(simulation) === CREATION_FORBIDDEN, FIVE_MINUTES)).toBeLessThan(FIVE_MINUTES)
      const told = telemetry.events.filter(({ fields }) => 'errorCode' in fields && fields['errorCode'] === 'AZURE.FORBIDDEN')
      expect(told.length).toBeGreaterThan(0)
      expect(objects.events.some(({ event }) => event.reason === CREATION_FORBIDDEN)).toBe(true)
      const made = objects.all('nodeClaim').length
      // The empty nodes stay, because Azure could not replace them.
      for (const pod of objects.all('pod')) if (pod.nodeName !== undefined) objects.remove('pod', pod.key)
      await simulation.runUntil(() => false, 60_000)
      expect(objects.all('nodeClaim').filter(({ name }) => running.includes(name))).toHaveLength(running.length)
      expect(objects.all('nodeClaim')).toHaveLength(made)
      isRefused = false
      const areRunning = (): boolean => objects.all('pod').every(({ nodeName }) => nodeName !== undefined)
      expect(await simulation.runUntil(areRunning, 2 * FIVE_MINUTES)).toBeDefined()
      expect(pauseOf(simulation)).toBeUndefined()
    },
  )
})
