import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pod } from '../../test/builders/pod.ts'
import type { Result } from '../base/result.ts'
import type { Change } from '../model/change.ts'
import { objectKey, uid } from '../model/ids.ts'
import type { Checkpoint } from '../model/logRecord.ts'
import type { Problem } from '../model/problem.ts'
import { epochMs } from '../model/units.ts'
import { printChange } from './change.ts'
import { createCheckpointReader, printCheckpoint } from './checkpoint.ts'
import { CHANGES } from './testing/changes.ts'

const COMPACT: Checkpoint = {
  position: '3:100',
  floor: { term: 1, seq: 1 },
  complete: { term: 2, seq: 5 },
  entries: CHANGES.map((change) => ({ version: { term: 2, seq: change.seq }, change })),
}

describe('a checkpoint', () => {
  const lines = [...printCheckpoint(COMPACT)]
  const [headLine = ''] = lines
  const entryLines = COMPACT.entries.map(({ version, change }) => JSON.stringify({ ...version, change: printChange(change) }))
  const read = (texts: readonly string[]): Result<unknown, Problem> => {
    const reader = createCheckpointReader()
    for (const each of texts) reader.add(each)
    return reader.end()
  }
  const withHead = (change: object): readonly string[] => [JSON.stringify({ ...JSON.parse(headLine), ...change }), ...lines.slice(1)]

  it('survives printing and parsing', () => {
    expect(lines.join('')).not.toContain('\n')
    expect(read(lines)).toEqual({ ok: true, value: COMPACT })
  })
  it('says once what copies of a pod have in common, and the reader shares it', () => {
    const copy = pod({ labels: { app: 'web' }, owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: uid('web') } })
    const entries = Array.from({ length: 50 }, (_, index) => {
      const object = { ...copy, key: objectKey('default', `web-${index}`), uid: uid(`web-${index}`) }
      const change: Change = { op: 'put', kind: 'pod', key: object.key, seq: index, at: epochMs(index), object }
      return { version: { term: 1, seq: index }, change }
    })
    const printed = [...printCheckpoint({ ...COMPACT, entries })]
    expect(printed).toHaveLength(4)
    expect(printed.at(-1)?.length).toBeLessThan(100 * entries.length)
    const result = read(printed)
    expect(result).toEqual({ ok: true, value: { ...COMPACT, entries } })
    const pods = result.ok ? (result.value as typeof COMPACT).entries.map(({ change }) => (change.op === 'put' ? change.object : {})) : []
    for (const part of ['labels', 'requests', 'owner']) expect(new Set(pods.map((each) => Reflect.get(each, part))).size).toBe(1)
  })
  it('is still read in the forms before: a line for each entry, and all on one line', () => {
    const before = { ok: true, value: COMPACT }
    const headOf = (v: number, entries: unknown) => JSON.stringify({ ...JSON.parse(headLine), v, entries })
    expect(read([headOf(2, COMPACT.entries.length), ...entryLines])).toEqual(before)
    expect(
      read([
        headOf(
          1,
          entryLines.map((line): unknown => JSON.parse(line)),
        ),
      ]),
    ).toEqual(before)
  })
  it('of a newer version is refused as such, whatever its lines are', () => {
    expect(read([...withHead({ v: 99 }), 'what is this'])).toMatchObject({ ok: false, error: { code: 'STORE.NEWER_SCHEMA' } })
  })
  it('without any one of its members is refused by name', () => {
    for (const member of Object.keys(JSON.parse(headLine) as object))
      expect(read(withHead({ [member]: undefined }))).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID', path: member } })
  })
  it.each([
    ['nothing', []],
    ['no entry', [headLine]],
    ['an entry twice', [...lines, ...entryLines.slice(-1)]],
    ['half a line', [...lines.slice(0, -1), lines.at(-1)?.slice(0, 20) ?? '']],
    ['a row of no template', [headLine, ...lines.slice(1).map(() => '[[7,1,2,3,"default/pod",4]]')]],
    ['a row that is too long', lines.map((line) => (line.startsWith('[') ? line.replace(/]$/, ',1]') : line))],
    ['a template that is none', lines.map((line) => (line.includes('"own"') ? '{"own":[1],"common":{}}' : line))],
    ['an entry of no change', [headLine, ...lines.slice(1).map(() => '{"term":1,"seq":2,"change":7}')]],
  ])('with %s is refused', (_, texts) => expect(read(texts)).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID' } }))
  it('tells what is wrong with the first line that is', () => {
    const [entryLine = ''] = entryLines
    const termless = JSON.stringify({ ...JSON.parse(entryLine), term: 'x' })
    const changeless = JSON.stringify({ ...JSON.parse(entryLine), change: { ...JSON.parse(entryLine).change, seq: 'x' } })
    const told = (...texts: readonly string[]) => read([headLine, ...texts, entryLine])
    expect(told(termless, changeless)).toMatchObject({ error: { path: 'term', message: 'checkpoint: term must be an integer' } })
    expect(told(changeless, termless)).toMatchObject({
      error: { object: 'checkpoint', message: expect.stringMatching(/^checkpoint: change .* seq must be/) },
    })
    expect(read(['{'])).toMatchObject({ error: { message: 'checkpoint: is not JSON' } })
    expect(read([])).toMatchObject({ error: { object: 'checkpoint', message: 'checkpoint: is empty' } })
    expect(read([headLine])).toMatchObject({ error: { object: 'checkpoint', message: expect.stringContaining('has 0 entries of 2') } })
  })
  it('never makes the reader throw', () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (texts) => void expect(typeof read(texts).ok).toBe('boolean')))
    fc.assert(fc.property(fc.array(fc.json()), (texts) => void expect(typeof read([headLine, ...texts]).ok).toBe('boolean')))
  })
})
