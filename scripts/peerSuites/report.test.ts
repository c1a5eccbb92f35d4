import { describe, expect, it } from 'vitest'
import { judged, readPeerReport } from './report.ts'

const spec = (text: string, state: string, more: object = {}): object => ({
  ContainerHierarchyTexts: ['Drift', 'Budgets'],
  LeafNodeType: 'It',
  LeafNodeText: text,
  State: state,
  RunTime: 2_400_000_000,
  ...more,
})
const failure = (message: string): object => ({ Failure: { Message: message } })
const specsOf = (...specs: readonly object[]) => readPeerReport([{ SpecReports: specs }])

describe('the report of a suite', () => {
  it('names each spec by its containers, with its reason', () => {
    expect(specsOf(spec('respects', 'passed'), spec('reboots', 'skipped', failure(' no condition\n')))).toEqual([
      { name: 'Drift > Budgets > respects', state: 'passed', seconds: 2.4, why: '' },
      { name: 'Drift > Budgets > reboots', state: 'skipped', seconds: 2.4, why: 'no condition' },
    ])
  })

  it('leaves out specs that the focus left out, and steps around the specs that passed', () => {
    const around = { ContainerHierarchyTexts: null, LeafNodeType: 'BeforeSuite', LeafNodeText: '' }
    expect(specsOf(spec('other', 'skipped'), spec('', 'passed', around))).toEqual([])
  })

  it('counts a failure before the first spec', () => {
    const around = { ContainerHierarchyTexts: null, LeafNodeType: 'BeforeSuite', LeafNodeText: '', ...failure('no cluster') }
    expect(specsOf(spec('', 'panicked', around))).toEqual([{ name: 'BeforeSuite', state: 'panicked', seconds: 2.4, why: 'no cluster' }])
  })
})

describe('the verdict on a suite', () => {
  const passed = { name: 'A', state: 'passed', seconds: 1, why: '' }
  const failed = { name: 'B', state: 'failed', seconds: 2.4, why: 'expected 1 node' }
  const skipped = { name: 'C', state: 'skipped', seconds: 0, why: 'no kind' }

  it('is good if the specs that do not pass are those that are listed', () => {
    const listed = [
      { name: 'B', why: 'needs a Deployment' },
      { name: 'C', why: 'needs kind' },
    ]
    expect(judged('drift', [passed, failed, skipped], listed, true)).toEqual({
      asExpected: true,
      lines: ['listed, failed: B\n  needs a Deployment', 'listed, skipped: C\n  needs kind', 'drift: 1 of 3 pass, 0 do not, 2 are listed'],
    })
  })

  it('is bad if another spec fails or skips itself', () => {
    expect(judged('drift', [passed, failed, skipped], [], true)).toEqual({
      asExpected: false,
      lines: ['failed after 2 s: B\n  expected 1 node', 'skipped after 0 s: C\n  no kind', 'drift: 1 of 3 pass, 2 do not, 0 are listed'],
    })
  })

  it('is bad if a listed spec passes', () => {
    expect(judged('drift', [passed], [{ name: 'A', why: 'needs kind' }], true)).toEqual({
      asExpected: false,
      lines: ['passed after 1 s, though it is listed: A\n  ', 'drift: 1 of 1 pass, 0 do not, 0 are listed'],
    })
  })

  it('is bad if a listed spec is not in a whole suite', () => {
    const listed = [{ name: 'Z', why: 'needs kind' }]
    expect(judged('drift', [passed], listed, true)).toEqual({
      asExpected: false,
      lines: ['listed, but not in the suite: Z', 'drift: 1 of 1 pass, 0 do not, 0 are listed'],
    })
    expect(judged('drift', [passed], listed, false).asExpected).toBe(true)
  })

  it('is bad if no spec was played', () => {
    expect(judged('drift', [], [], false).asExpected).toBe(false)
  })
})
