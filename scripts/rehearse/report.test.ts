import { describe, expect, it } from 'vitest'
import { createReport } from './report.ts'

describe('the report of a rehearsal', () => {
  it('prints each step, and counts what was not rehearsed', async () => {
    const lines: string[] = []
    const report = createReport(
      (line) => void lines.push(line),
      () => 0,
    )
    expect(await report.step('public', 'one', async () => ['went\nmore', 1])).toBe(1)
    await expect(report.step('public', 'two', () => Promise.reject(new Error('did not')))).rejects.toThrow('did not')
    expect(report.summary()).toBe('1 steps went well, 1 failed')
    report.skip('vnet', 'three', 'there is no runc')
    expect(report.summary()).toBe('1 steps went well, 1 failed, 1 was not rehearsed')
    report.skip('private', 'three', 'there is no runc')
    expect(report.summary()).toBe('1 steps went well, 1 failed, 2 were not rehearsed')
    expect(lines).toEqual([
      'ok   public   one: went (0.0 s)',
      '                more',
      'FAIL public   two: did not (0.0 s)',
      'skip vnet     three: there is no runc',
      'skip private  three: there is no runc',
    ])
  })
})
