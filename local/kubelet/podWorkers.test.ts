import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryWorkloads } from '../cluster/testing/memoryWorkloads.ts'
import { type ProgramEnd, type Programs } from './podWorkers.ts'
import { bound, type Machine, machine, ofJob, see } from './testing/podMachine.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('a pod on its machine', () => {
  it('is pending until its containers have started, then runs with an address of its own', async () => {
    const one = machine()
    one.world.pods.put(bound('web'))
    one.world.pods.put(bound('other'))
    await one.pass(399)
    expect(see(one)).toEqual(['Pending', 'False'])
    expect(one.world.pods.get('default/web')?.status).toMatchObject({ startTime: '2026-01-01T00:00:00Z', hostIP: '10.224.0.4' })
    await one.pass(1)
    expect(see(one)).toEqual(['Running', 'True'])
    expect(['web', 'other'].map((name) => one.world.pods.get(`default/${name}`)?.status?.podIP)).toEqual(['10.244.0.1', '10.244.0.2'])
  })

  it('has conditions whose reasons and messages are those of their status, through all its stages', async () => {
    const one = machine()
    const seen = new Set<string>()
    const stale: string[] = []
    one.world.pods.onChange((now) => {
      for (const { type, status, reason, message } of now?.status?.conditions ?? []) {
        seen.add(`${type} ${status}`)
        if (status === 'True' && (reason ?? message) !== undefined) stale.push(`${type} ${reason}: ${message}`)
      }
    })
    one.world.pods.put(bound('web', { spec: { containers: [{ name: 'main', readinessProbe: { initialDelaySeconds: 3 } }] } }))
    one.world.pods.put(bound('work', ofJob({})))
    for (let step = 0; step < 50; step++) await one.pass(100)
    expect(stale).toEqual([])
    expect([...seen]).toEqual(expect.arrayContaining(['Ready False', 'Ready True', 'ContainersReady False', 'ContainersReady True']))
    const ready = one.world.pods.get('default/web')?.status?.conditions?.find(({ type }) => type === 'Ready')
    expect(ready).toEqual({ type: 'Ready', status: 'True', lastTransitionTime: expect.any(String) })
  })

  it('has the address of its machine where it shares its network', async () => {
    const one = machine()
    one.world.pods.put(bound('web', { spec: { hostNetwork: true } }))
    await one.pass(400)
    expect(one.world.pods.get('default/web')?.status?.podIP).toBe('10.224.0.4')
  })

  it('starts sooner on a quick machine', async () => {
    const one = machine({ speed: 10 })
    one.world.pods.put(bound('web'))
    await one.pass(40)
    expect(see(one)).toEqual(['Running', 'True'])
  })

  it('is ready as late as its probe says', async () => {
    const one = machine()
    one.world.pods.put(bound('web', { spec: { containers: [{ name: 'main', readinessProbe: { initialDelaySeconds: 3 } }] } }))
    await one.pass(400)
    expect(see(one)).toEqual(['Running', 'False'])
    await one.pass(2_999)
    expect(see(one)).toEqual(['Running', 'False'])
    await one.pass(1)
    expect(see(one)).toEqual(['Running', 'True'])
  })

  it('is written when something changes, and not otherwise', async () => {
    const one = machine()
    one.world.pods.put(bound('web'))
    await one.pass(60_000)
    expect(one.world.writes).toEqual(['PATCH pods/web', 'PATCH pods/web'])
    one.world.edit(one.world.pods, 'default/web', { metadata: { labels: { touched: 'yes' } } })
    await one.pass(60_000)
    expect(one.world.writes).toHaveLength(2)
  })

  it('is written again later where the API server refused it, and not where it is gone', async () => {
    const one = machine()
    one.world.refuse('PATCH pods')
    one.world.pods.put(bound('web'))
    await one.pass(400)
    expect(see(one)[0]).toBe('Pending')
    one.world.refuse(undefined)
    await one.pass(10_000)
    expect(see(one)).toEqual(['Running', 'True'])
    expect(one.world.lines[0]).toMatch(/^kubelet uid-web: .*report pod default\/web.*not you.*again in 50 ms$/)

    const other = machine()
    other.world.refuse('PATCH pods', { code: 404, reason: 'NotFound', message: 'gone' })
    other.world.pods.put(bound('web'))
    await other.pass(10_000)
    expect(other.world.lines).toEqual([])
  })
})

it('writes one status after the other', async () => {
  let [writing, most] = [0, 0]
  const world = memoryWorkloads()
  const { api } = world.context
  const patch: typeof api.patch = async (...write) => {
    most = Math.max(most, ++writing)
    await Promise.resolve()
    return api.patch(...write).finally(() => writing--)
  }
  const one = machine({ api: { ...api, patch } }, world)
  for (const name of ['web', 'other', 'third']) world.pods.put(bound(name))
  await one.pass(400)
  expect(['web', 'other', 'third'].map((name) => see(one, name)[0])).toEqual(['Running', 'Running', 'Running'])
  expect(most).toBe(1)
})

describe('a program that ends', () => {
  it.each([
    ['0', 'Succeeded'],
    ['3', 'Failed'],
  ])('with code %s is %s after its time, and does not run again', async (code, phase) => {
    const one = machine()
    one.world.pods.put(bound('work', ofJob({ 'local.joiner.dev/run-for': '5s', 'local.joiner.dev/exit-code': code })))
    await one.pass(400)
    await one.pass(4_999)
    expect(see(one, 'work')).toEqual(['Running', 'True'])
    await one.pass(1)
    expect(see(one, 'work')[0]).toBe(phase)
    expect(one.world.pods.get('default/work')?.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: Number(code),
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:05Z',
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts its time from its start, not from when it was ready', async () => {
    const one = machine()
    const parts = ofJob({ 'local.joiner.dev/run-for': '5s' })
    const containers = [{ name: 'main', readinessProbe: { initialDelaySeconds: 3 } }]
    one.world.pods.put(bound('work', { ...parts, spec: { restartPolicy: 'Never', containers } }))
    await one.pass(3_400)
    expect(see(one, 'work')).toEqual(['Running', 'True'])
    await one.pass(1_999)
    expect(see(one, 'work')[0]).toBe('Running')
    await one.pass(1)
    expect(see(one, 'work')[0]).toBe('Succeeded')
  })

  it('before it was ever ready ends unready', async () => {
    const one = machine()
    const parts = ofJob({ 'local.joiner.dev/run-for': '2s' })
    const containers = [{ name: 'main', readinessProbe: { initialDelaySeconds: 3 } }]
    one.world.pods.put(bound('work', { ...parts, spec: { restartPolicy: 'Never', containers } }))
    await one.pass(2_399)
    expect(see(one, 'work')).toEqual(['Running', 'False'])
    await one.pass(1)
    expect(see(one, 'work')[0]).toBe('Succeeded')
  })
})

describe('a program that a test gives', () => {
  /** Programs that end when the test says so. */
  function programs() {
    const ends = new Map<string, (end: ProgramEnd) => void>()
    const offs = new Map<string, AbortSignal>()
    const all: Programs = (pod) =>
      pod.metadata.name === 'plain'
        ? undefined
        : (off) => {
            offs.set(pod.metadata.name, off)
            return new Promise((resolve) => ends.set(pod.metadata.name, resolve))
          }
    return { all, ends, offs }
  }
  const annotations = { 'local.joiner.dev/run-for': '1s' }
  const work = (name: string) =>
    bound(name, { metadata: { name, namespace: 'default', uid: `uid-${name}`, annotations }, spec: { restartPolicy: 'Never' } })
  const terminated = (one: Machine, name: string) =>
    one.world.pods.get(`default/${name}`)?.status?.containerStatuses?.[0]?.state?.terminated

  it.each([
    [0, 'Succeeded'],
    [3, 'Failed'],
  ])('is started once and ends its pod with its code %i and its message, whatever the plan of the pod is', async (exitCode, phase) => {
    const { all, ends } = programs()
    const one = machine({ programs: all })
    one.world.pods.put(work('web'))
    await one.pass(399)
    expect(ends.size).toBe(0)
    await one.pass(60_000)
    expect(see(one)).toEqual(['Running', 'True'])
    ends.get('web')?.({ exitCode, message: 'x'.repeat(5_000) })
    await one.pass(1)
    expect(see(one)[0]).toBe(phase)
    expect(terminated(one, 'web')).toMatchObject({ exitCode, message: 'x'.repeat(4_096) })
  })

  it('is switched off with its machine and its pod, and reports nothing then', async () => {
    const { all, ends, offs } = programs()
    const one = machine({ programs: all })
    one.world.pods.put(work('web'))
    await one.pass(1_000)
    one.workers.close()
    expect(offs.get('web')?.aborted).toBe(true)
    ends.get('web')?.({ exitCode: 0, message: '' })
    await one.pass(1_000)
    expect(see(one)).toEqual(['Running', 'True'])
  })

  it('is not there for every pod: the others follow their plan', async () => {
    const one = machine({ programs: programs().all })
    one.world.pods.put(work('plain'))
    await one.pass(400)
    await one.pass(1_000)
    expect(see(one, 'plain')[0]).toBe('Succeeded')
    expect(terminated(one, 'plain')).not.toHaveProperty('message')
  })
})
