import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { observation } from '../../../test/builders/observation.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod } from '../../../test/builders/pod.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { drainPods, nextDue, waitingPods } from './drain.ts'

const here = (name: string, shape: PodShape = {}): Pod => pod({ name, ...shape, nodeName: 'n' })
const nameOf = ({ key }: Pod): string => key.replace('default/', '')

function drained(pods: readonly Pod[], deadline?: EpochMs): readonly string[] {
  return drainPods(observation(), pods, deadline).map((action) =>
    action.kind === 'deletePod'
      ? `delete ${nameOf(action.pod)} ${action.gracePeriodSeconds}s`
      : action.kind === 'evictPod'
        ? `evict ${nameOf(action.pod)}`
        : '',
  )
}

describe('a drain', () => {
  it('waits for pods by name, but not for those that stay with the node', () => {
    const pods = [here('b'), here('static', { owner: NODE_OWNER }), here('a'), here('done', { phase: 'Failed' })]
    expect(waitingPods(observation({ pods })).map(nameOf)).toEqual(['a', 'b'])
  })

  it('takes tier after tier: pods, daemons, critical pods, critical daemons', () => {
    const critical = { priorityClassName: 'system-cluster-critical' }
    const tiers = [
      here('web'),
      here('agent', { owner: DAEMON_SET }),
      here('dns', critical),
      here('cni', { ...critical, owner: DAEMON_SET }),
    ]
    const seen = tiers.map((_, at) => drained(tiers.slice(at).reverse()))
    expect(seen).toEqual([['evict web'], ['evict agent'], ['evict dns'], ['evict cni']])
  })

  it.each<[sentence: string, shape: PodShape, deadlineInSeconds: number, want: readonly string[]]>([
    ['a pod that would end with the deadline is evicted', { terminationGracePeriodSeconds: 30 }, 30, ['evict p']],
    ['NT-22 a pod that would outlast the deadline is deleted', { terminationGracePeriodSeconds: 31 }, 30, ['delete p 30s']],
    ['a pod that would outlast a deadline that is over gets a second', { terminationGracePeriodSeconds: 0 }, -5, ['delete p 1s']],
    ['a pod that gets whole seconds', { terminationGracePeriodSeconds: 60 }, 10.9, ['delete p 10s']],
    ['a pod that names no grace is left to its eviction', {}, -5, ['evict p']],
    ['a pod that ends with the deadline is left alone', { deletedAt: hence(30 * SECOND), terminationGracePeriodSeconds: 600 }, 30, []],
    ['NT-25 a pod that ends after the deadline is deleted again', { deletedAt: hence(31 * SECOND) }, 30, ['delete p 30s']],
    ['a pod that has ended needs nothing', { phase: 'Succeeded', terminationGracePeriodSeconds: 600 }, 30, []],
  ])('%s', (_sentence, shape, seconds, want) => {
    expect(drained([here('p', shape)], hence(seconds * SECOND))).toEqual(want)
  })

  it('without a deadline deletes nothing', () => {
    expect(drained([here('p', { terminationGracePeriodSeconds: 86_400 }), here('q', { deletedAt: hence(MINUTE) })])).toEqual(['evict p'])
  })
})

describe('the next time at which pods are asked to leave', () => {
  const [fast, slow, unspoken] = [
    here('fast', { terminationGracePeriodSeconds: 10 }),
    here('slow', { terminationGracePeriodSeconds: 60 }),
    here('unspoken'),
  ]
  const due = (now: EpochMs, pods: readonly Pod[], deadline: EpochMs | undefined = hence(2 * MINUTE)) =>
    nextDue(observation({ now }), pods, deadline)

  it('NT-24 is when the first pod would outlast it, and no sooner', () => {
    const at = hence(MINUTE) + 1
    expect(due(NOW, [fast, slow, unspoken])).toBe(at)
    expect(drainPods(observation({ now: epochMs(at) }), [slow], hence(2 * MINUTE)).map(({ kind }) => kind)).toEqual(['deletePod'])
    expect(drainPods(observation({ now: epochMs(at - 1) }), [slow], hence(2 * MINUTE)).map(({ kind }) => kind)).toEqual(['evictPod'])
  })

  it('is the next one once that has come', () => {
    expect(due(epochMs(hence(MINUTE) + 1), [fast, slow])).toBe(hence(110 * SECOND) + 1)
  })

  it('is when a pod that must not be disrupted for a time may go, with a deadline and without', () => {
    const kept = (name: string, forTime: string) =>
      here(name, { annotations: { [ANNOTATION.doNotDisrupt]: forTime }, startedAt: ago(10 * SECOND) })
    const pods = [kept('long', '40s'), kept('short', '30s'), kept('over', '5s'), kept('always', 'true'), fast]
    expect(nextDue(observation(), pods, undefined)).toBe(hence(20 * SECOND))
    expect(due(NOW, pods)).toBe(hence(20 * SECOND))
    expect(due(NOW, pods, hence(15 * SECOND))).toBe(hence(5 * SECOND) + 1)
    expect(nextDue(observation({ now: hence(20 * SECOND) }), pods, undefined)).toBe(hence(30 * SECOND))
  })

  it('is at no time when all have come, when no pod names its grace, and without a deadline', () => {
    expect(due(hence(2 * MINUTE), [fast, slow])).toBeUndefined()
    expect(due(NOW, [unspoken])).toBeUndefined()
    expect(nextDue(observation(), [fast], undefined)).toBeUndefined()
    expect(due(NOW, [fast], ago(MINUTE))).toBeUndefined()
  })
})
