import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { DAEMON_SET, type PodShape, pod } from '../../../test/builders/pod.ts'
import type { Change } from '../../model/change.ts'
import { nodeName } from '../../model/ids.ts'
import type { EpochMs } from '../../model/units.ts'
import { createDepartures } from './podEnds.ts'

const HOST = nodeName('n')
const put = (shape: PodShape, at: EpochMs = NOW): Change => ({ seq: 1, at, key: 'default/pod', op: 'put', kind: 'pod', object: pod(shape) })
const gone = (at: EpochMs = NOW): Change => ({ seq: 2, at, key: 'default/pod', op: 'delete', kind: 'pod' })
const here: PodShape = { nodeName: HOST }

function leftAt(...steps: readonly (readonly [before: Change | undefined, after: Change])[]): EpochMs | undefined {
  const departures = createDepartures()
  for (const [before, after] of steps) departures.note(before, after)
  return departures.leftAt(HOST)
}

describe('a pod has left its node', () => {
  it.each<[sentence: string, before: Change | undefined, after: Change, hasLeft: boolean]>([
    ['when it is gone', put(here), gone(), true],
    ['when it has succeeded', put(here), put({ ...here, phase: 'Succeeded' }), true],
    ['when it has failed', put(here), put({ ...here, phase: 'Failed' }), true],
    ['when a new one of its name is elsewhere', put(here), put({ nodeName: 'other' }), true],
    ['not while it is there', put(here), put({ ...here, labels: { team: 'a' } }), false],
    ['not while it is being deleted', put(here), put({ ...here, deletedAt: NOW }), false],
    ['not when it had ended before', put({ ...here, phase: 'Failed' }), gone(), false],
    ['not when it was of a DaemonSet', put({ ...here, owner: DAEMON_SET }), gone(), false],
    ['not when it was on no node', put({}), gone(), false],
    ['not when nobody knew it', undefined, gone(), false],
    ['not when it was something else', { seq: 1, at: NOW, key: 'n', op: 'put', kind: 'node', object: node() }, gone(), false],
  ])('%s', (_sentence, before, after, hasLeft) => {
    expect(leftAt([before, after])).toBe(hasLeft ? NOW : undefined)
  })

  it('last at the latest of all times, in whichever order they come', () => {
    expect(leftAt([put(here), gone(ago(SECOND))], [put(here), gone(ago(MINUTE))])).toBe(ago(SECOND))
    expect(leftAt([put(here), gone(ago(MINUTE))], [put(here), gone(ago(SECOND))])).toBe(ago(SECOND))
  })
})
