import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Job, Pod } from '../client/objects.ts'
import { activePods, BEGIN, ends, letGo, type MemoryWorkloads, memoryWorkloads, works } from '../testing/memoryWorkloads.ts'
import { startJobs } from './job.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const WORK = 'default/work'
const at = (seconds: number) => new Date(BEGIN + seconds * 1_000).toISOString().replace('.000Z', 'Z')

async function started(spec: object = {}): Promise<MemoryWorkloads> {
  const world = memoryWorkloads()
  await startJobs(world.context)
  const template = { metadata: { labels: { app: 'work' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'one' }] } }
  const metadata = { name: 'work', namespace: 'default', uid: 'uid-work', resourceVersion: '1', creationTimestamp: at(0) }
  world.jobs.put({ metadata, spec: { completions: 1, template, ...spec } } as unknown as Job)
  await world.settle()
  return world
}

const statusOf = (world: MemoryWorkloads) => world.jobs.get(WORK)?.status
const conditions = (world: MemoryWorkloads) => statusOf(world)?.conditions?.map(({ type, status, reason }) => [type, status, reason])
const first = (world: MemoryWorkloads): Pod => {
  const [pod] = activePods(world)
  if (pod === undefined) throw new Error('no pod works')
  return pod
}
async function end(world: MemoryWorkloads, phase: 'Succeeded' | 'Failed', count = 1): Promise<void> {
  for (let index = 0; index < count; index++) ends(world, first(world), phase)
  await world.settle()
}

describe('a job', () => {
  it('makes its pods from its template, as its own, with its name and uid as labels', async () => {
    const { metadata, spec } = first(await started())
    expect(metadata.labels).toEqual({
      app: 'work',
      'batch.kubernetes.io/controller-uid': 'uid-work',
      'batch.kubernetes.io/job-name': 'work',
      'controller-uid': 'uid-work',
      'job-name': 'work',
    })
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid: 'uid-work', controller: true, blockOwnerDeletion: true },
    ])
    expect(spec.restartPolicy).toBe('Never')
  })

  it('runs as many at once as it may, and no more than are left', async () => {
    const world = await started({ completions: 5, parallelism: 2 })
    const seen: number[] = []
    for (let done = 0; done < 5; done++) {
      seen.push(activePods(world).length)
      await end(world, 'Succeeded')
    }
    expect(seen).toEqual([2, 2, 2, 2, 1])
    expect(activePods(world)).toEqual([])
    expect([...world.pods.items()]).toHaveLength(5)
  })

  it('is complete with its last success, says so in order, and does nothing more', async () => {
    const world = await started({ completions: 2, parallelism: 2 })
    works(world, first(world))
    await world.settle()
    expect(statusOf(world)).toMatchObject({ startTime: at(0), active: 2, ready: 1, succeeded: 0, failed: 0 })
    world.pass(30_000)
    await end(world, 'Succeeded')
    expect(statusOf(world)).toMatchObject({ startTime: at(0), active: 1, succeeded: 1 })
    expect(conditions(world)).toBeUndefined()
    await end(world, 'Succeeded')
    expect(statusOf(world)).toMatchObject({ startTime: at(0), active: 0, ready: 0, succeeded: 2, failed: 0, completionTime: at(30) })
    expect(conditions(world)).toEqual([
      ['SuccessCriteriaMet', 'True', 'CompletionsReached'],
      ['Complete', 'True', 'CompletionsReached'],
    ])
    const [condition] = statusOf(world)?.conditions ?? []
    expect(condition).toMatchObject({
      message: 'Reached expected number of succeeded pods',
      lastProbeTime: at(30),
      lastTransitionTime: at(30),
    })
    const before = world.writes.length
    for (const pod of [...world.pods.items()]) world.pods.remove(`default/${pod.metadata.name}`)
    await world.settle()
    expect(world.writes).toHaveLength(before)
  })

  it('takes another pod for one that failed, until it failed once more than it may', async () => {
    const world = await started({ completions: 3, parallelism: 3, backoffLimit: 2 })
    await end(world, 'Failed', 2)
    expect(activePods(world)).toHaveLength(3)
    expect(statusOf(world)).toMatchObject({ active: 3, failed: 2 })
    await end(world, 'Failed')
    expect(activePods(world)).toEqual([])
    expect(conditions(world)).toEqual([
      ['FailureTarget', 'True', 'BackoffLimitExceeded'],
      ['Failed', 'True', 'BackoffLimitExceeded'],
    ])
    expect(statusOf(world)?.conditions?.[1]?.message).toBe('Job has reached the specified backoff limit')
    expect(statusOf(world)).toMatchObject({ failed: 3, active: 0 })
    expect(statusOf(world)).not.toHaveProperty('completionTime')
  })

  it('may fail six times where it does not say how often', async () => {
    const world = await started()
    for (let time = 0; time < 6; time++) await end(world, 'Failed')
    expect(conditions(world)).toBeUndefined()
    await end(world, 'Failed')
    expect(conditions(world)?.[1]).toEqual(['Failed', 'True', 'BackoffLimitExceeded'])
  })

  it('is over at its deadline, counted from its start, and its pods end', async () => {
    const world = await started({ activeDeadlineSeconds: 60 })
    works(world, first(world))
    await world.settle()
    world.pass(59_999)
    await vi.advanceTimersByTimeAsync(59_999)
    await world.settle()
    expect(activePods(world)).toHaveLength(1)
    world.pass(1)
    await vi.advanceTimersByTimeAsync(1)
    await world.settle()
    expect(activePods(world)).toEqual([])
    expect(conditions(world)).toEqual([
      ['FailureTarget', 'True', 'DeadlineExceeded'],
      ['Failed', 'True', 'DeadlineExceeded'],
    ])
    expect(statusOf(world)?.conditions?.[0]?.message).toBe('Job was active longer than specified deadline')
  })

  it('that is complete before its deadline stays so', async () => {
    const world = await started({ activeDeadlineSeconds: 60 })
    world.pass(10_000)
    await end(world, 'Succeeded')
    world.pass(60_000)
    await vi.advanceTimersByTimeAsync(60_000)
    await world.settle()
    expect(conditions(world)?.map(([type]) => type)).toEqual(['SuccessCriteriaMet', 'Complete'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that is suspended ends its pods, and makes them anew when it goes on', async () => {
    const world = await started({ completions: 2, parallelism: 2 })
    for (const pod of activePods(world)) works(world, pod)
    world.edit(world.jobs, WORK, { spec: { suspend: true } })
    await world.settle()
    expect(activePods(world)).toEqual([])
    expect(statusOf(world)).toMatchObject({ active: 0, failed: 0 })
    letGo(world)
    world.edit(world.jobs, WORK, { spec: { suspend: false } })
    await world.settle()
    expect(activePods(world)).toHaveLength(2)
  })

  it('of fewer at once than before ends what is too much', async () => {
    const world = await started({ completions: 9, parallelism: 4 })
    world.edit(world.jobs, WORK, { spec: { parallelism: 1 } })
    await world.settle()
    expect(activePods(world)).toHaveLength(1)
  })

  it('runs one at once where it does not say how many', async () => {
    expect(activePods(await started({ completions: 9 }))).toHaveLength(1)
  })

  it('of a work queue starts nothing after the first success, and is complete when the rest ran out', async () => {
    const world = await started({ completions: undefined, parallelism: 3 })
    await end(world, 'Failed')
    expect(activePods(world)).toHaveLength(3)
    await end(world, 'Succeeded')
    expect(activePods(world)).toHaveLength(2)
    await end(world, 'Failed')
    expect(activePods(world)).toHaveLength(1)
    expect(conditions(world)).toBeUndefined()
    await end(world, 'Succeeded')
    expect(conditions(world)?.[1]).toEqual(['Complete', 'True', 'CompletionsReached'])
    expect(statusOf(world)).toMatchObject({ succeeded: 2, failed: 2 })
  })

  it('of indexed completions is refused in words, and has no pods', async () => {
    const world = await started({ completionMode: 'Indexed' })
    expect(activePods(world)).toEqual([])
    expect(world.events).toEqual([
      expect.stringMatching(/^Warning NotImplemented Job\/work: the embedded job controller does not do completionMode Indexed; /),
    ])
    expect(world.writes).toEqual([])
  })

  it('that goes makes and writes nothing more', async () => {
    const world = await started({ completions: 3 })
    const before = world.writes.length
    world.edit(world.jobs, WORK, { metadata: { deletionTimestamp: at(1) } })
    await end(world, 'Succeeded')
    expect(world.writes).toHaveLength(before)
  })

  it('writes its status once while nothing changes', async () => {
    const world = await started({ suspend: true })
    expect(world.writes).toEqual(['PATCH jobs/work'])
    expect(statusOf(world)).toMatchObject({ startTime: at(0), active: 0 })
    world.edit(world.jobs, WORK, { metadata: { labels: { touched: 'yes' } } })
    await world.settle()
    expect(world.writes).toHaveLength(1)
  })

  it('tries again what is refused, but does not mind that it is gone', async () => {
    for (const [code, isTold] of [
      [403, true],
      [404, false],
      [409, false],
    ] as const) {
      const world = memoryWorkloads()
      world.refuse('PATCH jobs', { code, reason: 'x', message: 'y' })
      await startJobs(world.context)
      const metadata = { name: 'work', namespace: 'default', uid: 'uid-work', resourceVersion: '1', creationTimestamp: at(0) }
      world.jobs.put({ metadata, spec: { template: {} } } as unknown as Job)
      await world.settle()
      expect(world.lines.length > 0).toBe(isTold)
    }
  })
})
