import { describe, expect, it } from 'vitest'
import type { Deployment } from '../client/objects.ts'
import { testSet } from '../testing/objects.ts'
import { deploymentStatus, sameStatus } from './deploymentStatus.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number): number => START + seconds * 1_000
const time = (seconds: number): string => new Date(at(seconds)).toISOString().replace('.000', '')

function deployment(status?: Deployment['status'], spec: object = {}): Deployment {
  const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: time(0), generation: 3 }
  return {
    metadata,
    spec: { replicas: 4, progressDeadlineSeconds: 600, ...spec },
    ...(status === undefined ? {} : { status }),
  } as Deployment
}

/** Returns the status that the controller writes after each look, with these numbers of existing and available pods of the new set. */
function after(looks: readonly (readonly [seconds: number, replicas: number, available: number, name?: string])[], spec: object = {}) {
  let status: Deployment['status']
  for (const [seconds, replicas, available, name = 'web-1'] of looks) {
    const set = testSet(name, replicas, available)
    status = deploymentStatus(deployment(status, spec), set, [set], at(seconds))
  }
  return { ...status, progress: status?.conditions?.find(({ type }) => type === 'Progressing'), availability: status?.conditions?.[0] }
}

describe('the status of a deployment', () => {
  it('counts the pods of all its sets, and those of the new one', () => {
    const next = { ...testSet('new', 2, 1), status: { replicas: 2, availableReplicas: 1, readyReplicas: 2 } }
    const old = { ...testSet('old', 3, 3), status: { replicas: 3, availableReplicas: 3, readyReplicas: 3 } }
    expect(deploymentStatus(deployment(), next, [next, old], START)).toMatchObject({
      observedGeneration: 3,
      replicas: 5,
      updatedReplicas: 2,
      readyReplicas: 5,
      availableReplicas: 4,
      // One pod more than desired does not make up for one pod that is unavailable.
      unavailableReplicas: 1,
    })
  })

  it.each([
    [4, 'True', 'MinimumReplicasAvailable'],
    [3, 'True', 'MinimumReplicasAvailable'],
    [2, 'False', 'MinimumReplicasUnavailable'],
  ])('with %d of 4 at work, where one may be missing, is available: %s', (working, status, reason) => {
    const spec = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }
    expect(after([[0, 4, working]], spec).availability).toMatchObject({ type: 'Available', status, reason })
  })
})

describe('progress', () => {
  it('is made while the counts change, and each change sets the clock back', () => {
    const looks = [
      [0, 1, 0],
      [500, 2, 1],
      [1_000, 3, 2],
    ] as const
    expect(after(looks).progress).toMatchObject({
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: 'ReplicaSet "web-1" is progressing.',
      lastTransitionTime: time(0),
      lastUpdateTime: time(1_000),
    })
  })

  it('has its old time while nothing changes, and is missed when the deadline is over', () => {
    expect(
      after([
        [0, 1, 0],
        [600, 1, 0],
      ]).progress,
    ).toMatchObject({ status: 'True', lastUpdateTime: time(0) })
    const late = after([
      [0, 1, 0],
      [601, 1, 0],
    ]).progress
    expect(late).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "web-1" has timed out progressing.',
      lastTransitionTime: time(601),
      lastUpdateTime: time(601),
    })
    expect(
      after([
        [0, 1, 0],
        [601, 1, 0],
        [700, 1, 0],
      ]).progress,
    ).toEqual(late)
    expect(
      after([
        [0, 1, 0],
        [601, 1, 0],
        [700, 2, 0],
      ]).progress,
    ).toMatchObject({ status: 'True', lastTransitionTime: time(700) })
  })

  it('has the deadline that the deployment gives', () => {
    const spec = { progressDeadlineSeconds: 30 }
    expect(
      after(
        [
          [0, 1, 0],
          [30, 1, 0],
        ],
        spec,
      ).progress,
    ).toMatchObject({ status: 'True' })
    expect(
      after(
        [
          [0, 1, 0],
          [31, 1, 0],
        ],
        spec,
      ).progress,
    ).toMatchObject({ status: 'False' })
  })

  it('is complete with all pods, and stays so while pods of that set merely come and go', () => {
    const complete = { status: 'True', reason: 'NewReplicaSetAvailable', lastUpdateTime: time(10) }
    expect(
      after([
        [0, 4, 0],
        [10, 4, 4],
      ]).progress,
    ).toMatchObject({ ...complete, lastTransitionTime: time(0) })
    expect(
      after([
        [0, 4, 0],
        [10, 4, 4],
        [5_000, 4, 3],
      ]).progress,
    ).toMatchObject(complete)
    expect(
      after([
        [0, 4, 0],
        [10, 4, 4],
        [5_000, 1, 0, 'web-2'],
      ]).progress,
    ).toMatchObject({ reason: 'ReplicaSetUpdated' })
  })

  it.each([
    ['a pod too many', 5, 4],
    ['a pod that does not work', 4, 3],
  ])('is not complete with %s', (_what, replicas, working) => {
    expect(after([[0, replicas, working]]).progress).toMatchObject({ reason: 'ReplicaSetUpdated' })
  })
})

describe('a status is written again', () => {
  const status = after([[0, 4, 4]])
  const known = { ...status, conditions: status.conditions ?? [] }
  it('not for times and order alone', () => {
    const conditions = [...known.conditions].reverse().map((condition) => ({ ...condition, lastUpdateTime: time(99) }))
    expect(sameStatus(known, { ...known, conditions })).toBe(true)
  })
  it.each([
    ['another count', { replicas: 5 }],
    ['a generation that was looked at', { observedGeneration: 4 }],
    ['another reason', { conditions: known.conditions.map((condition) => ({ ...condition, reason: 'Other' })) }],
    ['another state', { conditions: known.conditions.map((condition) => ({ ...condition, status: 'False' })) }],
    ['a condition less', { conditions: known.conditions.slice(1) }],
  ])('for %s', (_what, change) => expect(sameStatus(known, { ...known, ...change })).toBe(false))
})
