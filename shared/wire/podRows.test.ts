import { describe, expect, it } from 'vitest'
import { pod } from '../../test/builders/pod.ts'
import { randomSnapshot } from '../../test/generators/randomSnapshot.ts'
import type { Change } from '../model/change.ts'
import { epochMs } from '../model/units.ts'
import { type Entry, podRowReader, podRowWriter } from './podRows.ts'

const CASES = 150

/** What is read of lines that were written, as a compact state is. */
function readBack(entries: readonly Entry[]): readonly Entry[] {
  const writer = podRowWriter()
  const lines = [...entries.flatMap((entry) => writer.add(entry) ?? []), ...writer.flush()]
  const reader = podRowReader('test')
  return lines.flatMap((line) => {
    const json: unknown = JSON.parse(line)
    if (!Array.isArray(json)) {
      expect(reader.addTemplate(json as { readonly [member: string]: unknown })).toBeUndefined()
      return []
    }
    return json.map((row) => {
      const read = reader.read(row)
      if (!read.ok) throw new Error(read.error.message)
      return read.value
    })
  })
}

const entryOf = (object: ReturnType<typeof pod>, seq: number): Entry => {
  const change: Change = { op: 'put', kind: 'pod', key: object.key, object, seq, at: epochMs(seq * 7) }
  return { stamp: { term: 3, seq: seq + 1 }, change }
}

describe('pods as rows', () => {
  it(`are read as they were written: the pods of ${CASES} random clusters`, () => {
    let pods = 0
    for (let seed = 1; seed <= CASES; seed++) {
      const entries = randomSnapshot(seed).objects.pod.map(entryOf)
      expect(readBack(entries)).toEqual(entries)
      pods += entries.length
    }
    expect(pods).toBeGreaterThan(CASES)
  })

  it('keep apart what one pod has and its copy has not', () => {
    const deleted = { ...pod({ name: 'b' }), deletedAt: epochMs(5) }
    const bound = pod({ name: 'c', nodeName: 'node-1' })
    const entries = [pod({ name: 'a' }), deleted, bound, pod({ name: 'd' })].map(entryOf)
    expect(readBack(entries)).toEqual(entries)
  })

  it('leave alone a pod whose key is not that of its change, and whatever is no pod', () => {
    const { add } = podRowWriter()
    const entry = entryOf(pod(), 1)
    expect(add({ ...entry, change: { ...entry.change, key: 'default/other' } as Change })).toBeUndefined()
    expect(add({ ...entry, change: { op: 'delete', kind: 'pod', key: 'default/pod', seq: 1, at: epochMs(1) } })).toBeUndefined()
  })

  it.each([
    ['a text for a time', ['x'], 'createdAt'],
    ['a number for a node', [1, 5], 'nodeName'],
  ])('refuse %s in a row after the first, by name', (_, values, name) => {
    const reader = podRowReader('test')
    expect(
      reader.addTemplate({ common: { labels: {}, requests: {} }, own: ['uid', 'createdAt', 'nodeName'].slice(0, 1 + values.length) }),
    ).toBeUndefined()
    const right = values.length === 1 ? [1] : [1, 'node']
    const row = (own: readonly unknown[]) => [0, 1, 2, 3, 'default/a', 4, 'uid', ...own]
    expect(reader.read(row(right))).toMatchObject({ ok: true })
    expect(reader.read(row(values))).toMatchObject({ ok: false, error: { message: expect.stringContaining(name) } })
    expect(reader.read(row(right))).toMatchObject({ ok: true })
  })
})
