import { vi } from 'vitest'
import type { Pod } from '../../cluster/client/objects.ts'
import { type MemoryWorkloads, memoryWorkloads } from '../../cluster/testing/memoryWorkloads.ts'
import { testPod } from '../../cluster/testing/objects.ts'
import { createPodWorkers, type PodWorkers, type PodWorkersOptions } from '../podWorkers.ts'

const TIMES = { startMs: 400, initMs: 300, stopMs: 500, jobMs: 2000 }

export type Machine = { readonly world: MemoryWorkloads; readonly workers: PodWorkers; pass(ms: number): Promise<void> }

/** A machine of 4 CPUs whose kubelet hears of all pods. The caller has fake timers. */
export function machine(over: Partial<PodWorkersOptions> = {}, world = memoryWorkloads()): Machine {
  let pods = 0
  const workers = createPodWorkers({
    api: world.context.api,
    allocatable: () => ({ cpu: 4_000, memory: 8 * 2 ** 30, pods: 10 }),
    hostIP: '10.224.0.4',
    nextPodIP: () => `10.244.0.${++pods}`,
    times: TIMES,
    speed: 1,
    now: world.context.now,
    log: world.context.log,
    ...over,
  })
  world.pods.onChange(workers.changed)
  const pass = async (ms: number): Promise<void> => {
    world.pass(ms)
    await vi.advanceTimersByTimeAsync(ms)
    await world.settle()
  }
  return { world, workers, pass }
}

export const bound = (name: string, parts: Parameters<typeof testPod>[1] = {}): Pod =>
  testPod(name, { ...parts, spec: { nodeName: 'one', containers: [{ name: 'main', image: 'pause' }], ...parts.spec } })
export const ofJob = (annotations: object): Parameters<typeof testPod>[1] => ({
  metadata: { name: 'work', namespace: 'default', uid: 'uid-work', annotations },
  spec: { restartPolicy: 'Never' },
})
export const see = ({ world }: Machine, name = 'web') => {
  const status = world.pods.get(`default/${name}`)?.status
  return [status?.phase, status?.conditions?.find(({ type }) => type === 'Ready')?.status]
}
export const leave = ({ world }: Machine, name = 'web', more: object = {}) =>
  world.edit(world.pods, `default/${name}`, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', ...more } })
