import { describe, expect, it } from 'vitest'
import { ago, hence, SECOND } from '../../../../../test/builders/clock.ts'
import { DAEMON_SET, type PodShape, pod, STATEFUL_SET } from '../../../../../test/builders/pod.ts'
import { nodeName } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { createWaitingPods } from './waitingPods.ts'

/** A pod that the scheduler has not looked at yet. */
function unseen(shape: PodShape): Pod {
  const { unschedulableSince: _, ...rest } = pod(shape)
  return rest
}

function wanted(...pods: readonly Pod[]): readonly string[] {
  const waiting = createWaitingPods()
  for (const each of pods) waiting.add(each)
  return waiting
    .values()
    .flatMap((replicas) => replicas.pods())
    .map(({ key }) => key.split('/')[1] ?? key)
}

describe('a pod the scheduler has not come to', () => {
  it('is planned with the pod of the same owner that was refused', () => {
    expect(wanted(pod({ name: 'first' }), unseen({ name: 'second', createdAt: ago(5 * SECOND) }))).toEqual(['first', 'second'])
  })

  it.each<[string, Pod]>([
    ['no pod was refused', unseen({ name: 'other' })],
    ['the refused pod has another owner', pod({ name: 'other', owner: STATEFUL_SET })],
    ['the refused pod found a place since', pod({ name: 'other', nodeName: nodeName('n'), unschedulableSince: ago(SECOND) })],
    ['the refused pod will run where another makes room', pod({ name: 'other', nominatedNodeName: nodeName('n') })],
    ['the refused pod is being deleted', pod({ name: 'other', deletedAt: hence(SECOND) })],
  ])('waits for the scheduler when %s', (_, other) => {
    expect(wanted(unseen({ name: 'mine' }), other)).not.toContain('mine')
  })

  it.each<[string, PodShape]>([
    ['has a gate', { schedulingGates: ['wait'] }],
    ['is a daemon', { owner: DAEMON_SET }],
    ['has a node', { nodeName: nodeName('n') }],
    ['is done', { phase: 'Succeeded' }],
  ])('stays with the scheduler when it %s', (_, shape) => {
    const owner = shape.owner === undefined ? {} : { owner: shape.owner }
    expect(wanted(unseen({ name: 'mine', ...shape }), pod({ name: 'other', ...owner }))).not.toContain('mine')
  })

  it('stays with the scheduler when nobody owns it', () => {
    const { owner: _, ...orphan } = unseen({ name: 'mine' })
    const { owner: __, ...other } = pod({ name: 'other' })
    expect(wanted(orphan, other)).toEqual(['other'])
  })
})
