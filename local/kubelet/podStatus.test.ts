import { describe, expect, it } from 'vitest'
import type { Pod } from '../cluster/client/objects.ts'
import { testPod } from '../cluster/testing/objects.ts'
import { type PodStage, podStatus } from './podStatus.ts'

const BEGIN = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(BEGIN + seconds * 1_000).toISOString().replace('.000Z', 'Z')
const ms = (seconds: number) => BEGIN + seconds * 1_000
const PLACE = { acceptedAt: ms(1), hostIP: '10.224.0.4', podIP: '10.244.0.2' }

const plain = testPod('web')
const withInit = testPod('web', {
  spec: {
    initContainers: [
      { name: 'prepare', image: 'init' },
      { name: 'proxy', image: 'sidecar', restartPolicy: 'Always' },
    ],
    containers: [{ name: 'main', image: 'pause' }, { name: 'other' }],
  },
})

const status = (stage: PodStage, pod: Pod = plain) => podStatus(pod, stage, PLACE, ms(60))
const statuses = ({ conditions }: ReturnType<typeof status>) => (conditions ?? []).map((each) => `${each.type}=${each.status}`)

describe('the status of a pod that starts', () => {
  it('waits for its containers, and has no address yet', () => {
    expect(status({ kind: 'starting' })).toEqual({
      phase: 'Pending',
      startTime: at(1),
      hostIP: '10.224.0.4',
      hostIPs: [{ ip: '10.224.0.4' }],
      conditions: expect.any(Array),
      containerStatuses: [
        {
          name: 'main',
          image: 'pause',
          imageID: '',
          restartCount: 0,
          ready: false,
          started: false,
          state: { waiting: { reason: 'ContainerCreating' } },
        },
      ],
    })
    expect(statuses(status({ kind: 'starting' }))).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=True',
      'Ready=False',
      'ContainersReady=False',
      'PodScheduled=True',
    ])
  })

  it('names the containers that are not ready', () => {
    const conditions = status({ kind: 'starting' }, withInit).conditions?.filter(({ type }) => type.endsWith('Ready'))
    for (const condition of conditions ?? [])
      expect(condition).toMatchObject({ reason: 'ContainersNotReady', message: 'containers with unready status: [main other]' })
    expect(conditions).toHaveLength(2)
  })

  it('with init containers is not initialized, and its others wait for them', () => {
    const seen = status({ kind: 'starting' }, withInit)
    expect(statuses(seen)).toContain('Initialized=False')
    expect(seen.initContainerStatuses?.map(({ name, state }) => [name, state?.waiting?.reason])).toEqual([
      ['prepare', 'ContainerCreating'],
      ['proxy', 'PodInitializing'],
    ])
    expect(seen.containerStatuses?.map(({ name, image, state }) => [name, image, state?.waiting?.reason])).toEqual([
      ['main', 'pause', 'PodInitializing'],
      ['other', '', 'PodInitializing'],
    ])
  })
})

describe('the status of a pod that runs', () => {
  it('has its address, and its containers since when they run', () => {
    const seen = status({ kind: 'running', startedAt: ms(5), ready: true })
    expect(seen).toMatchObject({ phase: 'Running', podIP: '10.244.0.2', podIPs: [{ ip: '10.244.0.2' }] })
    expect(seen.containerStatuses).toEqual([
      {
        name: 'main',
        image: 'pause',
        imageID: '',
        restartCount: 0,
        containerID: 'containerd://uid-web-main',
        ready: true,
        started: true,
        state: { running: { startedAt: at(5) } },
      },
    ])
    expect(seen).not.toHaveProperty('initContainerStatuses')
    expect(statuses(seen)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ])
    for (const condition of seen.conditions ?? [])
      expect(condition).toEqual({ type: condition.type, status: 'True', lastTransitionTime: at(60) })
  })

  it('and is not ready yet says so of its containers and of itself', () => {
    const seen = status({ kind: 'running', startedAt: ms(5), ready: false })
    expect(seen.containerStatuses?.map(({ ready, started }) => [ready, started])).toEqual([[false, true]])
    expect(statuses(seen)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=False',
      'ContainersReady=False',
      'PodScheduled=True',
    ])
  })

  it('has init containers that are done, but for those that run on', () => {
    const seen = status({ kind: 'running', startedAt: ms(5), ready: true }, withInit)
    const done = { startedAt: at(5), finishedAt: at(5), containerID: 'containerd://uid-web-prepare', exitCode: 0, reason: 'Completed' }
    expect(seen.initContainerStatuses).toMatchObject([
      { name: 'prepare', ready: true, started: false, state: { terminated: done } },
      { name: 'proxy', ready: true, started: true, state: { running: { startedAt: at(5) } } },
    ])
    expect(statuses(seen)).toContain('Initialized=True')
  })
})

describe('the status of a pod that ended', () => {
  it.each([
    [0, 'Succeeded', 'Completed', 'PodCompleted'],
    [137, 'Failed', 'Error', 'PodFailed'],
  ])('with code %i is %s', (exitCode, phase, reason, why) => {
    const seen = status({ kind: 'ended', startedAt: ms(5), endedAt: ms(9), exitCode })
    expect(seen.phase).toBe(phase)
    const containerID = 'containerd://uid-web-main'
    expect(seen.containerStatuses).toMatchObject([
      {
        containerID,
        ready: false,
        started: false,
        state: { terminated: { startedAt: at(5), finishedAt: at(9), containerID, exitCode, reason } },
      },
    ])
    expect(statuses(seen)).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=True',
      'Ready=False',
      'ContainersReady=False',
      'PodScheduled=True',
    ])
    const ready = seen.conditions?.find(({ type }) => type === 'Ready')
    expect(ready).toEqual({ type: 'Ready', status: 'False', reason: why, lastTransitionTime: at(60) })
  })

  it('before anybody saw it start began when it ended', () => {
    const [main] = status({ kind: 'ended', endedAt: ms(9), exitCode: 0 }).containerStatuses ?? []
    expect(main?.state?.terminated).toMatchObject({ startedAt: at(9), finishedAt: at(9) })
  })

  it('does not blame its init containers', () => {
    const seen = status({ kind: 'ended', startedAt: ms(5), endedAt: ms(9), exitCode: 3 }, withInit)
    expect(seen.initContainerStatuses?.map(({ ready, state }) => [ready, state?.terminated?.exitCode])).toEqual([
      [true, 0],
      [false, 3],
    ])
  })
})

describe('the status of a pod that is turned away', () => {
  it('is failed, with the reason and nothing else', () => {
    expect(status({ kind: 'refused', reason: 'OutOfcpu', message: 'no cpu' })).toEqual({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: 'Pod was rejected: no cpu',
      startTime: at(1),
    })
  })
})

describe('a condition', () => {
  it('keeps the time since which it is so, and gets a new one when it changes', () => {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: at(20) },
      { type: 'ContainersReady', status: 'False', lastTransitionTime: at(20) },
      { type: 'PodScheduled', status: 'True' },
    ]
    const pod = testPod('web', { status: { conditions } })
    const seen = status({ kind: 'running', startedAt: ms(5), ready: true }, pod).conditions
    const since = Object.fromEntries((seen ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]))
    expect(since).toMatchObject({ Ready: at(20), ContainersReady: at(60), PodScheduled: at(60), Initialized: at(60) })
  })
})
