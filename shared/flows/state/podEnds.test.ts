import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { DAEMON_SET, type PodShape, pod } from '../../../test/builders/pod.ts'
import type { Change } from '../../model/change.ts'
import { nodeName } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import { createDepartures, createPodEnds, type PodEnds } from './podEnds.ts'

const STAYING = nodeName('n')
const DRAINED = nodeName('drained')
const put = (shape: PodShape, at: EpochMs = NOW): Change => ({ seq: 1, at, key: 'default/pod', op: 'put', kind: 'pod', object: pod(shape) })
const gone = (at: EpochMs = NOW): Change => ({ seq: 2, at, key: 'default/pod', op: 'delete', kind: 'pod' })
const here: PodShape = { nodeName: STAYING }
const ending: PodShape = { ...here, deletedAt: hence(30 * SECOND) }

function ends(...versions: readonly (Change | undefined)[]): PodEnds {
  const known = createPodEnds((node) => node === STAYING)
  for (const [at, after] of versions.entries()) if (at > 0 && after !== undefined) known.note(versions[at - 1], after)
  return known
}

describe('the end of a pod', () => {
  it.each<[sentence: string, versions: readonly (Change | undefined)[], times: number, ending: number]>([
    ['counts when it begins', [put(here), put(ending)], 1, 1],
    ['counts once while it ends', [put(here), put(ending), put({ ...ending, labels: { team: 'a' } })], 1, 1],
    ['counts when it begins and when the pod is gone', [put(here), put(ending), gone()], 2, 0],
    ['counts when the pod is gone at once', [put(here), gone()], 1, 0],
    ['counts when the pod has succeeded', [put(here), put({ ...here, phase: 'Succeeded' })], 1, 0],
    ['does not count of a DaemonSet', [put({ ...here, owner: DAEMON_SET }), gone()], 0, 0],
    ['does not count without a node', [put({}), gone()], 0, 0],
    ['does not count on a node that is drained', [put({ nodeName: DRAINED }), put({ ...ending, nodeName: DRAINED }), gone()], 0, 0],
    ['does not count when nobody knew the pod', [undefined, put(ending)], 0, 0],
  ])('%s', (_sentence, versions, times, count) => {
    const known = ends(...versions)
    expect([known.since(NOW).length, known.ending(NOW)]).toEqual([times, count])
  })

  it('does not count as under way long after its deletion time', () => {
    const known = ends(put(here), put({ ...here, deletedAt: ago(MINUTE) }))
    expect([known.ending(ago(MINUTE)), known.ending(NOW)]).toEqual([1, 0])
  })

  it('is asked for since a time', () => {
    const known = ends(put(here), gone(ago(SECOND)))
    expect([known.since(ago(SECOND)).length, known.since(NOW).length]).toEqual([1, 0])
  })

  it('is forgotten ten seconds later', () => {
    const known = createPodEnds(() => true)
    for (let second = 0; second < 1_000; second++) known.note(put(here), gone(hence(second * SECOND)))
    expect(known.since(NOW).length).toBeLessThan(50)
    expect(known.since(hence(990 * SECOND)).length).toBe(10)
  })
})

const HOST = nodeName('n')
const ON_HOST: PodShape = { nodeName: HOST }

function leftAt(...steps: readonly (readonly [before: Change | undefined, after: Change])[]): EpochMs | undefined {
  const departures = createDepartures()
  for (const [before, after] of steps) departures.note(before, after)
  return departures.leftAt(HOST)
}

describe('a pod has left its node', () => {
  it.each<[sentence: string, before: Change | undefined, after: Change, hasLeft: boolean]>([
    ['when it is gone', put(ON_HOST), gone(), true],
    ['when it has succeeded', put(ON_HOST), put({ ...ON_HOST, phase: 'Succeeded' }), true],
    ['when it has failed', put(ON_HOST), put({ ...ON_HOST, phase: 'Failed' }), true],
    ['when a new one of its name is elsewhere', put(ON_HOST), put({ nodeName: 'other' }), true],
    ['not while it is there', put(ON_HOST), put({ ...ON_HOST, labels: { team: 'a' } }), false],
    ['not while it is being deleted', put(ON_HOST), put({ ...ON_HOST, deletedAt: NOW }), false],
    ['not when it had ended before', put({ ...ON_HOST, phase: 'Failed' }), gone(), false],
    ['not when it was of a DaemonSet', put({ ...ON_HOST, owner: DAEMON_SET }), gone(), false],
    ['not when it was on no node', put({}), gone(), false],
    ['not when nobody knew it', undefined, gone(), false],
    ['not when it was something else', { seq: 1, at: NOW, key: 'n', op: 'put', kind: 'node', object: node() }, gone(), false],
  ])('%s', (_sentence, before, after, hasLeft) => {
    expect(leftAt([before, after])).toBe(hasLeft ? NOW : undefined)
  })

  it('last at the latest of all times, in whichever order they come', () => {
    expect(leftAt([put(ON_HOST), gone(ago(SECOND))], [put(ON_HOST), gone(ago(MINUTE))])).toBe(ago(SECOND))
    expect(leftAt([put(ON_HOST), gone(ago(MINUTE))], [put(ON_HOST), gone(ago(SECOND))])).toBe(ago(SECOND))
  })
})
