import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { randomSnapshot } from '../../../test/generators/randomSnapshot.ts'
import type { Change } from '../../model/change.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../../model/clusterObjects.ts'
import { epochMs } from '../../model/units.ts'
import { rowReader } from './rowReader.ts'
import { type Entry, rowWriter } from './rowWriter.ts'

const CASES = 60

function written(entries: readonly Entry[]): readonly string[] {
  const writer = rowWriter()
  return [...entries.flatMap((entry) => writer.add(entry) ?? []), ...writer.flush()]
}

function readBack(lines: readonly string[]): readonly Entry[] {
  const reader = rowReader('test')
  return lines.flatMap((line) => {
    const read = reader.read(JSON.parse(line))
    if (!read.ok) throw new Error(read.error.message)
    return read.value
  })
}

function entryOf<Kind extends ObjectKind>(kind: Kind, object: ObjectByKind[Kind], seq: number): Entry {
  const key = 'name' in object ? object.name : object.key
  return { version: { term: 3, seq: seq + 1 }, change: { op: 'put', kind, key, object, seq, at: epochMs(seq * 7) } as Change }
}

const claims = Array.from({ length: 40 }, (_, index) => nodeClaim({ name: `default-${index}`, zone: `eastus-${index % 3}` }))

describe('objects as rows', () => {
  it(`are read as they were written, members in their order: every kind of ${CASES} random clusters`, () => {
    const seen = new Map<ObjectKind, number>()
    for (let seed = 1; seed <= CASES; seed++) {
      const { objects } = randomSnapshot(seed)
      const entries = OBJECT_KINDS.flatMap((kind) => objects[kind].map((object, index) => entryOf(kind, object, index)))
      const lines = written(entries)
      const read = readBack(lines)
      expect(read).toEqual(entries)
      // Writing the objects again gives the same lines: no member changes its position in its object.
      expect(written(read), `seed ${seed}`).toEqual(lines)
      for (const { change } of entries) seen.set(change.kind, (seen.get(change.kind) ?? 0) + 1)
    }
    for (const kind of ['pod', 'node', 'nodeClaim', 'nodePool', 'daemonSet', 'csiNode', 'persistentVolume', 'namespace'] as const)
      expect(seen.get(kind), kind).toBeGreaterThan(CASES / 10)
  })

  it('say once what all of a block say, and share it when they are read', () => {
    const entries = claims.map((each, index) => entryOf('nodeClaim', each, index))
    const lines = written(entries)
    expect(lines).toHaveLength(3)
    expect(lines.join('').length).toBeLessThan(entries.length * 400)
    const read = readBack(lines).map(({ change }) => (change.op === 'put' && change.kind === 'nodeClaim' ? change.object : undefined))
    expect(new Set(read.map((each) => each?.spec)).size).toBe(1)
    expect(new Set(read.map((each) => each?.status.capacity)).size).toBe(1)
    expect(new Set(read.map((each) => each?.meta.labels)).size).toBe(claims.length)
  })

  it('stay in their order, also where kinds and templates take turns', () => {
    const turns = claims.flatMap((claim, index) => [
      entryOf('nodeClaim', claim, index),
      entryOf(
        'pod',
        pod({ name: `p-${index}`, labels: { app: `app-${index % 5}` }, ...(index % 2 === 0 ? { nodeName: 'n' } : {}) }),
        index,
      ),
      entryOf('node', node({ claim: claim.name, unschedulable: index % 4 === 0 }), index),
    ])
    expect(readBack(written(turns))).toEqual(turns)
  })

  it('keep apart a value that is a text here and a number there', () => {
    const forever = nodeClaim({ name: 'default-z', spec: { expireAfter: 'Never' } })
    const entries = [...claims.slice(0, 2), forever, ...claims.slice(2, 4)].map((each, index) => entryOf('nodeClaim', each, index))
    expect(readBack(written(entries))).toEqual(entries)
  })

  it('leave alone an object whose name is not that of its change, and whatever is no object', () => {
    const { add } = rowWriter()
    const entry = entryOf('pod', pod(), 1)
    expect(add({ ...entry, change: { ...entry.change, key: 'default/other' } as Change })).toBeUndefined()
    expect(add({ ...entry, change: { op: 'delete', kind: 'pod', key: 'default/pod', seq: 1, at: epochMs(1) } })).toBeUndefined()
  })
})

describe('lines that no writer writes', () => {
  const entries = [pod({ name: 'a', nodeName: 'n' }), pod({ name: 'b', nodeName: 'm' })].map((each, index) => entryOf('pod', each, index))
  const [form = '', template = '', block = ''] = written(entries)
  const told = (...lines: readonly string[]) => {
    const reader = rowReader('test')
    return lines.map((line) => reader.read(JSON.parse(line))).at(-1)
  }

  it.each([
    ['a form of no kind', [form.replace('"pod"', '"pot"')]],
    ['a form without paths', [form.replace('[["uid"]', '[7')]],
    ['a template of no form', [template]],
    ['a template without a place for a value', [form, template.replace('"uid":0,', '')]],
    ['a template of no pod', [form, template.replace('"requests":{"cpu":1000', '"requests":{"cpu":"much"'), block]],
    ['a block of no template', [form, block]],
    ['a block of another length', [form, template, block.replace('[2,', '[3,')]],
    ['a block without a column', [form, template, block.replace(',["n","m"]', '')]],
    ['a number for a node', [form, template, block.replace('["n","m"]', '["n",7]')]],
    ['a number that all nodes have', [form, template, block.replace('["n","m"]', '7')]],
    ['a block of more rows than anybody writes', [form, template, block.replace('[2,', '[1e9,')]],
    ['a list in a column', [form, template, block.replace('["n","m"]', '[["n"],"m"]')]],
    ['a text', ['"rows"']],
  ])('are refused: %s', (_, lines) => {
    expect(told(form, template, block)).toMatchObject({ ok: true })
    expect(told(...lines)).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID', object: 'test' } })
  })

  it('never make the reader throw', () => {
    const part = fc.jsonValue()
    const line = fc.oneof(
      part,
      fc.array(part),
      fc.record({ form: fc.nat(2), common: part }),
      fc.record({ kind: part, own: part, types: part, name: part }),
    )
    fc.assert(fc.property(line, (json) => void expect(typeof told(form, template, JSON.stringify(json), block)?.ok).toBe('boolean')))
  })
})
