import { describe, expect, it } from 'vitest'
import { createCheckpointReader } from './checkpoint.ts'
import { podRowReader } from './podRows.ts'

/** Rows in the old form: a running pod, a waiting pod of the same template, and a pod of another template. */
const TEMPLATES = [
  { common: { labels: { app: 'web' }, requests: { cpu: 100, pods: 1 } }, own: ['uid', 'createdAt', 'nodeName'] },
  { common: { labels: { app: 'web' }, requests: { cpu: 100, pods: 1 } }, own: ['uid', 'createdAt', 'phase'] },
]
const ROWS = [
  [0, 3, 8, 49, 'default/a', 7, 'uid-a', 5, 'node-1'],
  [1, 3, 9, 50, 'default/b', 8, 'uid-b', 6, 'Pending'],
  [0, 3, 10, 51, 'default/c', 9, 'uid-c', 7, 'node-2'],
]

const seen = { labels: { app: 'web' }, requests: { cpu: 100, pods: 1 }, priority: 0, schedulerName: 'default-scheduler', volumes: [] }

function readerWith(...templates: readonly unknown[]) {
  const reader = podRowReader('test')
  for (const template of templates) expect(reader.read(template)).toEqual({ ok: true, value: [] })
  return reader
}

describe('pods as rows, as they were stored before', () => {
  it('are read with what copies have in common shared', () => {
    const read = readerWith(...TEMPLATES).read(ROWS)
    expect(read).toMatchObject({
      ok: true,
      value: [
        {
          version: { term: 3, seq: 8 },
          change: {
            op: 'put',
            kind: 'pod',
            key: 'default/a',
            seq: 7,
            at: 49,
            object: { ...seen, key: 'default/a', uid: 'uid-a', createdAt: 5, nodeName: 'node-1', phase: 'Running' },
          },
        },
        { version: { term: 3, seq: 9 }, change: { key: 'default/b', object: { ...seen, uid: 'uid-b', phase: 'Pending' } } },
        { version: { term: 3, seq: 10 }, change: { key: 'default/c', object: { ...seen, createdAt: 7, nodeName: 'node-2' } } },
      ],
    })
    const [first, , third] = read.ok ? read.value : []
    const labels = [first, third].map((entry) =>
      entry?.change.op === 'put' && entry.change.kind === 'pod' ? entry.change.object.labels : {},
    )
    expect(labels[0]).toBe(labels[1])
  })

  it('are read in a checkpoint of their version', () => {
    const reader = createCheckpointReader()
    const version = { term: 3, seq: 1 }
    for (const line of [{ v: 3, position: '5', floor: version, complete: version, entries: 3 }, ...TEMPLATES, ROWS])
      reader.add(JSON.stringify(line))
    expect(reader.end()).toMatchObject({ ok: true, value: { position: '5', entries: [{}, { version: { seq: 9 } }, {}] } })
  })

  it.each([
    ['a text for a time', ['x'], 'createdAt'],
    ['a number for a node', [1, 5], 'nodeName'],
  ])('refuse %s in a row after the first, by name', (_, values, name) => {
    const own = ['uid', 'createdAt', 'nodeName'].slice(0, 1 + values.length)
    const reader = readerWith({ common: { labels: {}, requests: {} }, own })
    const right = values.length === 1 ? [1] : [1, 'node']
    const row = (ownValues: readonly unknown[]) => [[0, 1, 2, 3, 'default/a', 4, 'uid', ...ownValues]]
    expect(reader.read(row(right))).toMatchObject({ ok: true })
    expect(reader.read(row(values))).toMatchObject({ ok: false, error: { message: expect.stringContaining(name) } })
    expect(reader.read(row(right))).toMatchObject({ ok: true })
  })

  it.each([
    ['a template without members', { common: 7, own: [] }],
    ['a template of a member that no pod has', { common: {}, own: ['colour'] }],
    ['a row of no template', [[2, 3, 8, 49, 'default/a', 7, 'uid-a', 5, 'node-1']]],
    ['a row that is too long', [[...(ROWS[0] ?? []), 1]]],
    ['a text', 'rows'],
  ])('refuse %s', (_, line) => {
    expect(readerWith(...TEMPLATES).read(line)).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID' } })
  })
})
