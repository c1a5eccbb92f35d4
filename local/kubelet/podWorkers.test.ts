import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Pod } from '../cluster/client/objects.ts'
import { type MemoryWorkloads, memoryWorkloads } from '../cluster/testing/memoryWorkloads.ts'
import { testPod } from '../cluster/testing/objects.ts'
import { createPodWorkers, type PodWorkers, type PodWorkersOptions, type ProgramEnd, type Programs } from './podWorkers.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const TIMES = { startMs: 400, initMs: 300, stopMs: 500, jobMs: 2000 }

type Machine = { readonly world: MemoryWorkloads; readonly workers: PodWorkers; pass(ms: number): Promise<void> }

/** A machine of 4 CPUs whose kubelet hears of all pods. */
function machine(over: Partial<PodWorkersOptions> = {}, world = memoryWorkloads()): Machine {
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

const bound = (name: string, parts: Parameters<typeof testPod>[1] = {}): Pod =>
  testPod(name, { ...parts, spec: { nodeName: 'one', containers: [{ name: 'main', image: 'pause' }], ...parts.spec } })
const ofJob = (annotations: object): Parameters<typeof testPod>[1] => ({
  metadata: { name: 'work', namespace: 'default', uid: 'uid-work', annotations },
  spec: { restartPolicy: 'Never' },
})
const see = ({ world }: Machine, name = 'web') => {
  const status = world.pods.get(`default/${name}`)?.status
  return [status?.phase, status?.conditions?.find(({ type }) => type === 'Ready')?.status]
}
const leave = ({ world }: Machine, name = 'web', more: object = {}) =>
  world.edit(world.pods, `default/${name}`, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', ...more } })

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

describe('a pod that is asked to go', () => {
  it.each([
    ['as quickly as programs do', {}, {}, 500, 'Succeeded'],
    ['in its own time', { 'local.joiner.dev/stop-after': '4s' }, {}, 4_000, 'Succeeded'],
    ['at the end of its grace', { 'local.joiner.dev/stop-after': '60s' }, { terminationGracePeriodSeconds: 10 }, 10_000, 'Failed'],
    ['at the end of the usual grace', { 'local.joiner.dev/stop-after': '60s' }, {}, 30_000, 'Failed'],
    [
      'exactly at the end of its grace',
      { 'local.joiner.dev/stop-after': '10s' },
      { terminationGracePeriodSeconds: 10 },
      10_000,
      'Succeeded',
    ],
  ])('stops %s and is gone', async (_how, annotations, spec, ms, phase) => {
    const one = machine()
    const phases: (string | undefined)[] = []
    one.world.pods.onChange((now) => phases.push(now?.status?.phase))
    one.world.pods.put(bound('web', { spec, metadata: { name: 'web', namespace: 'default', uid: 'uid-web', annotations } }))
    await one.pass(400)
    leave(one)
    await one.pass(ms - 1)
    expect(see(one)).toEqual(['Running', 'True'])
    await one.pass(1)
    expect(one.world.pods.get('default/web')).toBeUndefined()
    // The terminal phase is reported before the pod is deleted.
    expect(phases.slice(-2)).toEqual([phase, undefined])
    expect(one.world.writes.slice(-2)).toEqual(['PATCH pods/web', 'DELETE pods/web'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('with a grace of its own is given that, whatever the pod says', async () => {
    const one = machine()
    const annotations = { 'local.joiner.dev/stop-after': '60s' }
    one.world.pods.put(bound('web', { metadata: { name: 'web', namespace: 'default', uid: 'uid-web', annotations } }))
    await one.pass(400)
    leave(one, 'web', { deletionGracePeriodSeconds: 2 })
    await one.pass(1_999)
    expect(one.world.pods.get('default/web')).toBeDefined()
    // A second change during termination does not start the grace period again.
    leave(one, 'web', { labels: { touched: 'yes' } })
    await one.pass(1)
    expect(one.world.pods.get('default/web')).toBeUndefined()
  })

  it('before it has started is gone at once, and never starts', async () => {
    const one = machine()
    one.world.pods.put(bound('web'))
    await one.pass(100)
    leave(one)
    await one.pass(0)
    expect(one.world.pods.get('default/web')).toBeUndefined()
    await one.pass(60_000)
    expect(one.world.writes).toEqual(['PATCH pods/web', 'DELETE pods/web'])
  })

  it('and was asked before its kubelet knew it is gone too', async () => {
    const one = machine()
    one.world.pods.put(
      bound('web', { metadata: { name: 'web', namespace: 'default', uid: 'uid-web', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    )
    await one.pass(0)
    expect(one.world.pods.get('default/web')).toBeUndefined()
  })
})

describe('a pod that its machine has no room for', () => {
  const wants = (cpu: string) => ({ spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] } })

  it('is turned away with the reason, and takes no room', async () => {
    const one = machine()
    one.world.pods.put(bound('web', wants('3')))
    one.world.pods.put(bound('big', wants('2')))
    one.world.pods.put(bound('last', wants('1')))
    await one.pass(400)
    expect(see(one, 'big')[0]).toBe('Failed')
    expect(one.world.pods.get('default/big')?.status).toMatchObject({
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000",
    })
    expect(see(one, 'last')).toEqual(['Running', 'True'])
  })

  it('finds the room of one that has ended, and of one that is gone', async () => {
    const one = machine()
    const parts = ofJob({ 'local.joiner.dev/run-for': '1s' })
    one.world.pods.put(bound('work', { ...parts, spec: { restartPolicy: 'Never', ...wants('4').spec } }))
    await one.pass(1_400)
    one.world.pods.put(bound('web', wants('4')))
    await one.pass(400)
    expect(see(one)).toEqual(['Running', 'True'])
    one.world.pods.remove('default/web')
    one.world.pods.put(bound('next', wants('4')))
    await one.pass(400)
    expect(see(one, 'next')).toEqual(['Running', 'True'])
  })
})

describe('a kubelet that starts anew', () => {
  const runs = (ready: 'True' | 'False') => ({
    status: {
      phase: 'Running',
      podIP: '10.244.9.9',
      startTime: '2025-12-31T00:00:00Z',
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: '2025-12-31T00:00:05Z' }],
      containerStatuses: [{ name: 'main', state: { running: { startedAt: '2025-12-31T00:00:05Z' } } }],
    },
  })

  it('goes on with the pods that run: their addresses, their times, their readiness', async () => {
    const one = machine()
    one.world.pods.put(bound('web', runs('True')))
    await one.pass(60_000)
    expect(one.world.pods.get('default/web')?.status).toMatchObject({
      phase: 'Running',
      podIP: '10.244.9.9',
      startTime: '2025-12-31T00:00:00Z',
      containerStatuses: [{ ready: true, state: { running: { startedAt: '2025-12-31T00:00:05Z' } } }],
    })
    expect(see(one)).toEqual(['Running', 'True'])
  })

  it('makes ready what was not, and does not turn away what runs where there is no room', async () => {
    const one = machine()
    one.world.pods.put(bound('web', { ...runs('False'), spec: { containers: [{ name: 'main', resources: { requests: { cpu: '9' } } }] } }))
    await one.pass(1)
    expect(see(one)).toEqual(['Running', 'True'])
  })

  it.each(['Succeeded', 'Failed'])('leaves alone what is %s', async (phase) => {
    const one = machine()
    one.world.pods.put(bound('web', { status: { phase } }))
    await one.pass(60_000)
    expect(one.world.writes).toEqual([])
  })
})

describe('a machine that goes off', () => {
  it('says nothing more of its pods', async () => {
    const one = machine()
    one.world.pods.put(bound('web'))
    await one.pass(100)
    one.workers.close()
    await one.pass(60_000)
    expect(one.world.writes).toEqual(['PATCH pods/web'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('forgets a pod that another of the same name replaces', async () => {
    const one = machine()
    one.world.pods.put(bound('web', { metadata: { name: 'web', namespace: 'default', uid: 'first', resourceVersion: '1' } }))
    await one.pass(300)
    one.world.pods.put(bound('web', { metadata: { name: 'web', namespace: 'default', uid: 'second', resourceVersion: '9' } }))
    await one.pass(399)
    expect(see(one)[0]).toBe('Pending')
    await one.pass(1)
    expect(see(one)).toEqual(['Running', 'True'])
  })
})

describe('a probe', () => {
  const FAILING = 'local.joiner.dev/failing-probes'
  const probed = (probes: object, more: object = {}) => ({ spec: { containers: [{ name: 'main', ...probes }], ...more } })
  const annotate = ({ world }: Machine, value: string) =>
    world.edit(world.pods, 'default/web', { metadata: { annotations: { [FAILING]: value } } })
  const first = ({ world }: Machine) => world.pods.get('default/web')?.status?.containerStatuses?.[0]

  it.each([
    ['false', ['false']],
    ['exit 1', ['sh', '-c', 'test -f /ready; exit 1']],
    ['/bin/false', ['/bin/false']],
  ])('of readiness with the command %s keeps the pod from being ready', async (_sentence, command) => {
    const one = machine()
    one.world.pods.put(bound('web', probed({ readinessProbe: { exec: { command } } })))
    await one.pass(600_000)
    expect(see(one)).toEqual(['Running', 'False'])
    expect(first(one)).toMatchObject({ started: true, ready: false, restartCount: 0 })
  })

  it.each([['true'], ['exit 0'], ['cat /tmp/falsehood']])('with the command %s succeeds', async (command) => {
    const one = machine()
    const exec = { command: ['sh', '-c', command] }
    one.world.pods.put(bound('web', probed({ readinessProbe: { exec }, startupProbe: { exec, initialDelaySeconds: 2 } })))
    await one.pass(2_399)
    expect([see(one), first(one)?.started]).toEqual([['Running', 'False'], false])
    await one.pass(1)
    expect([see(one), first(one)?.started]).toEqual([['Running', 'True'], true])
  })

  it('of readiness fails while the annotation names it', async () => {
    const one = machine()
    one.world.pods.put(bound('web', probed({ readinessProbe: { periodSeconds: 5, failureThreshold: 2 } })))
    await one.pass(400)
    expect(see(one)).toEqual(['Running', 'True'])
    annotate(one, 'startup, readiness')
    await one.pass(9_999)
    expect(see(one)).toEqual(['Running', 'True'])
    await one.pass(1)
    expect(see(one)).toEqual(['Running', 'False'])
    annotate(one, '')
    await one.pass(1)
    expect(see(one)).toEqual(['Running', 'True'])
  })

  it('that no container has does not fail', async () => {
    const one = machine()
    one.world.pods.put(bound('web'))
    await one.pass(400)
    annotate(one, 'readiness,startup')
    await one.pass(600_000)
    expect([see(one), first(one)?.restartCount]).toEqual([['Running', 'True'], 0])
  })

  it('of startup that fails restarts the pod, later each time, until it succeeds', async () => {
    const one = machine()
    one.world.pods.put(bound('web', probed({ startupProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 3 } })))
    const restarts: unknown[] = []
    for (const ms of [3_399, 1, 1, 3_000, 10_000, 3_000]) {
      await one.pass(ms)
      restarts.push([first(one)?.restartCount, Object.keys(first(one)?.state ?? {})[0], see(one)[1]])
    }
    expect(restarts).toEqual([
      [0, 'running', 'False'],
      [1, 'waiting', 'False'],
      [1, 'running', 'False'],
      [2, 'waiting', 'False'],
      [2, 'running', 'False'],
      [3, 'waiting', 'False'],
    ])
    expect(first(one)).toMatchObject({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 137 } } })
    one.world.edit(one.world.pods, 'default/web', { spec: { containers: [{ name: 'main', startupProbe: { periodSeconds: 1 } }] } })
    await one.pass(20_001)
    expect([see(one), first(one)?.restartCount]).toEqual([['Running', 'True'], 3])
  })

  it('of startup that fails ends a pod that is not to be restarted', async () => {
    const one = machine()
    one.world.pods.put(bound('web', probed({ startupProbe: { exec: { command: ['false'] } } }, { restartPolicy: 'Never' })))
    await one.pass(30_400)
    expect(see(one)[0]).toBe('Failed')
    expect(first(one)?.state?.terminated?.exitCode).toBe(137)
  })
})
