import { describe, expect, it } from 'vitest'
import { type PodShape, pod, REPLICA_SET } from '../../../test/builders/pod.ts'
import { LONGEST_EVENT_MESSAGE } from '../../model/decision.ts'
import { uid } from '../../model/ids.ts'
import type { PodOwner } from '../../model/pod.ts'
import { evictedEvents } from './reportRemoved.ts'

const BECAUSE = 'nodeclaim default-aaaaa ends (Drifted)'

function toldOf(pods: readonly PodShape[]) {
  return evictedEvents(pods.map(pod), BECAUSE)
}

function numbered(count: number, shape: PodShape = {}): readonly PodShape[] {
  return Array.from({ length: count }, (_, at) => ({ name: `web-${String(at).padStart(2, '0')}`, owner: REPLICA_SET, ...shape }))
}

const ownerOf = (name: string): PodOwner => ({ ...REPLICA_SET, name, uid: uid(`uid-${name}`) })

describe('pods that are evicted together', () => {
  it('are told each by itself while they are few', () => {
    const told = toldOf(numbered(2))
    expect(told.map(({ event }) => event)).toEqual(
      numbered(2).map(({ name }) => ({
        subject: { kind: 'pod', name: `default/${name}` },
        uid: pod({ name: name ?? '' }).uid,
        type: 'Normal',
        reason: 'Evicted',
        message: `evicted: ${BECAUSE}`,
        key: 'evictPod',
      })),
    )
  })

  it('share an Event beyond that, which is about one of them and names the others', () => {
    const told = toldOf(numbered(20))
    expect(told.map(({ pods }) => pods)).toEqual([1, 19])
    const last = told.at(-1)?.event
    expect(last?.subject.name).toBe('default/web-01')
    expect(last?.message).toBe(
      `evicted, together with 18 pods of the namespace: ${BECAUSE}; the others: ${numbered(20)
        .slice(2)
        .map(({ name }) => name)
        .join(', ')}`,
    )
  })

  it('are told by themselves first one of each workload', () => {
    const told = toldOf([...numbered(18), { name: 'alone' }, { name: 'db-0', owner: ownerOf('db') }])
    const own = told.filter(({ pods }) => pods === 1).map(({ event }) => event.subject.name)
    expect(own).toEqual(['default/alone'])
  })

  it('share no Event across namespaces', () => {
    const told = toldOf([...numbered(8), ...numbered(8, { namespace: 'shop', owner: ownerOf('shop') })])
    const shared = told.filter(({ pods }) => pods > 1)
    expect(shared.map(({ event: { subject } }) => subject.name.split('/')[0]).sort()).toEqual(['default', 'shop'])
    expect(told.reduce((sum, { pods }) => sum + pods, 0)).toBe(16)
  })

  it('are all named, however many and however long their names are', () => {
    const long = Array.from({ length: 110 }, (_, at) => ({ name: `${'x'.repeat(200)}-${at}`, owner: REPLICA_SET }))
    const told = toldOf(long)
    const text = told.map(({ event }) => `${event.subject.name} ${event.message}`).join()
    expect(long.filter(({ name }) => !text.includes(name))).toEqual([])
    for (const { event } of told) expect(event.message.length).toBeLessThan(LONGEST_EVENT_MESSAGE)
  })

  it('are told alike in any order, and otherwise if others are among them', () => {
    const all = numbered(20)
    expect(toldOf(all.toReversed())).toEqual(toldOf(all))
    expect(toldOf(all.slice(1)).at(-1)?.event.key).not.toBe(toldOf(all).at(-1)?.event.key)
  })
})
