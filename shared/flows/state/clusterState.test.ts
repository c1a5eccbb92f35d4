import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Change } from '../../model/change.ts'
import { uid } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'
import { createClusterState } from './clusterState.ts'

const AT = epochMs(1_000_000)

function put(seq: number, name: string, version: string): Change {
  return { seq, at: AT, op: 'put', kind: 'namespace', key: name, object: { name, uid: uid(name), labels: { version } } }
}

function remove(seq: number, name: string): Change {
  return { seq, at: AT, op: 'delete', kind: 'namespace', key: name }
}

function batch(term: number, changes: readonly Change[], receivedAt = AT): LogRecord {
  return { term, receivedAt, body: { kind: 'changes', changes } }
}

function snapshotParts(term: number, seq: number, changes: readonly Change[], parts: number): LogRecord[] {
  return Array.from({ length: parts }, (_, part) => {
    const own = changes.filter((_change, index) => index % parts === part)
    return { term, receivedAt: AT, body: { kind: 'snapshot', seq, part, parts, changes: own } }
  })
}

function versions(records: readonly LogRecord[]): Record<string, string | undefined> {
  const state = createClusterState()
  for (const record of records) state.apply(record)
  const list = state.objects().namespace.map((namespace) => [namespace.name, namespace.labels['version']] as const)
  return Object.fromEntries(list.sort())
}

describe('createClusterState', () => {
  it('keeps the newest version of each object', () => {
    const records = [...snapshotParts(1, 1, [put(1, 'a', 'old'), put(1, 'b', 'old')], 1), batch(1, [put(2, 'a', 'new'), remove(3, 'b')])]
    expect(versions(records)).toEqual({ a: 'new' })
  })

  it('removes with a new snapshot what the snapshot does not hold', () => {
    const records = [...snapshotParts(1, 1, [put(1, 'a', '1'), put(1, 'b', '1')], 2), ...snapshotParts(2, 1, [put(1, 'b', '2')], 1)]
    expect(versions(records)).toEqual({ b: '2' })
  })

  it('forgets deletions that nothing can undo any more, and keeps those that something may', () => {
    const state = createClusterState()
    for (const record of snapshotParts(1, 1, [put(1, 'a', '1')], 1)) state.apply(record)
    const DELETED = 6_000
    const changes = Array.from({ length: DELETED }, (_, index) => [
      put(2 + 2 * index, `n${index}`, '1'),
      remove(3 + 2 * index, `n${index}`),
    ])
    state.apply(batch(1, changes.flat()))
    expect(state.size()).toBe(1)
    const hole = 2 * DELETED + 2
    state.apply(batch(1, [remove(hole + 1, 'late')]))
    expect(state.size()).toBe(2)
    state.apply(batch(1, [put(hole, 'late', 'older')]))
    expect(state.objects().namespace.map(({ name }) => name)).toEqual(['a'])
  })

  it('SP-13 CL-10 does not use a snapshot before its last part came', () => {
    const parts = snapshotParts(2, 1, [put(1, 'b', '2'), put(1, 'c', '2')], 2)
    expect(versions([...snapshotParts(1, 1, [put(1, 'a', '1')], 1), ...parts.slice(0, 1)])).toEqual({ a: '1' })
    expect(versions([...snapshotParts(1, 1, [put(1, 'a', '1')], 1), ...parts])).toEqual({ b: '2', c: '2' })
  })

  it('CL-09 gives the same picture when every record comes twice and in any order', () => {
    const history: LogRecord[] = [
      ...snapshotParts(1, 1, [put(1, 'a', '1.1'), put(1, 'b', '1.1'), put(1, 'c', '1.1')], 2),
      batch(1, [put(2, 'a', '1.2'), remove(3, 'b')]),
      batch(1, [put(4, 'b', '1.4'), put(5, 'd', '1.5')]),
      batch(1, [remove(6, 'a')]),
      ...snapshotParts(2, 1, [put(1, 'b', '2.1'), put(1, 'd', '2.1'), put(1, 'e', '2.1')], 2),
      batch(2, [put(2, 'e', '2.2'), remove(3, 'd')]),
      batch(2, [put(4, 'f', '2.4')]),
    ]
    const want = versions(history)
    expect(want).toEqual({ b: '2.1', e: '2.2', f: '2.4' })
    fc.assert(
      fc.property(fc.shuffledSubarray([...history, ...history], { minLength: history.length * 2 }), (delivery) => {
        expect(versions(delivery)).toEqual(want)
      }),
    )
  })

  it('continues from its compact form as if it had never stopped', () => {
    const before = [...snapshotParts(1, 1, [put(1, 'a', '1')], 1), batch(1, [put(2, 'b', '2'), remove(3, 'a')])]
    const after = [batch(1, [put(2, 'b', '2'), remove(3, 'a')]), batch(1, [put(4, 'c', '4')])]
    const state = createClusterState()
    for (const record of before) state.apply(record)
    const resumed = createClusterState(state.compact('somewhere'))
    for (const record of after) resumed.apply(record)
    expect(resumed.objects().namespace.map((namespace) => namespace.name)).toEqual(['b', 'c'])
    expect(resumed.missing(epochMs(AT + 60_000))).toBeUndefined()
  })

  it('says what is missing only after some patience', () => {
    const state = createClusterState()
    expect(state.missing(AT)).toBe('nothing is known of the cluster yet')
    for (const record of snapshotParts(1, 1, [put(1, 'a', '1')], 1)) state.apply(record)
    expect(state.missing(AT)).toBeUndefined()
    state.apply(batch(1, [put(3, 'a', '3')]))
    expect(state.missing(AT)).toBeUndefined()
    expect(state.missing(epochMs(AT + 5_000))).toBe('change 2 of term 1 never came')
    state.apply(batch(1, [put(2, 'b', '2')]))
    expect(state.missing(epochMs(AT + 5_000))).toBeUndefined()
  })

  it('CL-10 asks for a snapshot when a new term begins without one', () => {
    const state = createClusterState()
    for (const record of snapshotParts(1, 1, [put(1, 'a', '1')], 1)) state.apply(record)
    state.apply(batch(2, [put(2, 'a', '2')]))
    expect(state.missing(AT)).toBeUndefined()
    expect(state.missing(epochMs(AT + 5_000))).toBe('no complete snapshot of term 2')
  })
})
