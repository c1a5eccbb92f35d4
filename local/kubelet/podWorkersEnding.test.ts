import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bound, leave, type Machine, machine, ofJob, see } from './testing/podMachine.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

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

  it.each([
    ['httpGet', { port: 80 }, 'public.ecr.aws/eks-distro/kubernetes/pause:3.2', 'False'],
    ['tcpSocket', { port: 80 }, 'registry.k8s.io/pause@sha256:7031c1b2', 'False'],
    ['grpc', { port: 80 }, 'pause', 'False'],
    ['exec', { command: ['true'] }, 'registry.k8s.io/pause:3.10', 'True'],
    ['httpGet', { port: 80 }, 'example.com/pause-service:1', 'True'],
  ])('of the kind %s with %j of the image %s leaves the pod with Ready %s', async (kind, action, image, ready) => {
    const one = machine()
    one.world.pods.put(bound('web', probed({ image, readinessProbe: { [kind]: action } })))
    await one.pass(600_000)
    expect(see(one)).toEqual(['Running', ready])
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
