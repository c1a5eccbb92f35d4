import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newRecord, parseRecord, recordFile, STEPS, withMachine, withStep } from './record.ts'

const folder = mkdtempSync(join(tmpdir(), 'joiner-record-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const begun = newRecord('abcdef', new Date('2026-11-29T10:00:00Z'), ['default'])
const step = (name: (typeof STEPS)[number], state: 'begun' | 'done') => ({ name, state, text: '', figures: {} })

describe('the record', () => {
  it('has the newest state of each step, in the order of the steps', () => {
    const record = [step('end', 'begun'), step('image', 'begun'), step('image', 'done')].reduce(withStep, begun)
    expect(record.steps.map(({ name, state }) => [name, state])).toEqual([
      ['image', 'done'],
      ['end', 'begun'],
    ])
  })

  it('has the newest state of each machine', () => {
    const machine = { claim: 'smoke-abcdef-1', kind: 'default', size: 's', zone: 'z', capacityType: 'spot' } as const
    const record = [machine, { ...machine, size: 't' }, { ...machine, claim: 'smoke-abcdef-2' }].reduce(withMachine, begun)
    expect(record.machines.map(({ claim, size }) => [claim, size])).toEqual([
      ['smoke-abcdef-1', 't'],
      ['smoke-abcdef-2', 's'],
    ])
  })

  it('is in its file as it was written, for nobody else, and without a file beside it', () => {
    const file = recordFile(join(folder, 'smoke.json'))
    expect(file.read()).toEqual({ ok: false, error: 'there is no such file' })
    file.write(begun)
    file.write(withStep(begun, step('rights', 'done')))
    expect(file.read()).toEqual({ ok: true, value: withStep(begun, step('rights', 'done')) })
    expect(statSync(join(folder, 'smoke.json')).mode & 0o077).toBe(0)
    expect(readdirSync(folder)).toEqual(['smoke.json'])
  })

  it.each([
    ['not JSON', '{', /JSON/],
    ['of another version', JSON.stringify({ ...begun, version: 2 }), /^version: /],
    ['of a run whose name is no label', JSON.stringify({ ...begun, run: 'a b' }), /^run: /],
    ['with a step that is none', JSON.stringify({ ...begun, steps: [{ name: 'party', state: 'done' }] }), /^steps\.0\.name: /],
  ])('is refused where it is %s', (_, text, why) => {
    writeFileSync(join(folder, 'other.json'), text)
    const read = recordFile(join(folder, 'other.json')).read()
    expect(read).toEqual({ ok: false, error: expect.stringMatching(why) })
    expect(parseRecord(text)).toEqual(read)
  })
})
