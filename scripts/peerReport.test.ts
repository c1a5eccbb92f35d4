import { describe, expect, it } from 'vitest'
import { peerLines, readPeerReport } from './peerReport.ts'

const spec = (text: string, state: string, more: object = {}): object => ({
  ContainerHierarchyTexts: ['Drift', 'Budgets'],
  LeafNodeType: 'It',
  LeafNodeText: text,
  State: state,
  RunTime: 2_400_000_000,
  ...more,
})
const outcomeOf = (...specs: readonly object[]) => readPeerReport([{ SpecReports: specs }])

describe('the report of a suite', () => {
  it('counts specs that pass, fail in any way and skip themselves', () => {
    const failure = { Failure: { Message: ' expected 1 node ' } }
    const outcome = outcomeOf(
      spec('respects', 'passed'),
      spec('replaces', 'failed', failure),
      spec('hangs', 'timedout', failure),
      spec('reboots', 'skipped', { Failure: { Message: 'no condition' } }),
    )
    expect(peerLines('disruption', outcome)).toEqual([
      'skipped after 2 s: Drift > Budgets > reboots\n  no condition',
      'failed after 2 s: Drift > Budgets > replaces\n  expected 1 node',
      'timedout after 2 s: Drift > Budgets > hangs\n  expected 1 node',
      'disruption: 1 of 4 pass, 1 skip themselves',
    ])
  })

  it('leaves out specs that the focus left out, and steps around the specs that passed', () => {
    const around = { ContainerHierarchyTexts: null, LeafNodeType: 'BeforeSuite', LeafNodeText: '' }
    expect(peerLines('drift', outcomeOf(spec('other', 'skipped'), spec('', 'passed', around)))).toEqual([
      'drift: 0 of 0 pass, 0 skip themselves',
    ])
  })

  it('counts a failure before the first spec', () => {
    const around = { ContainerHierarchyTexts: null, LeafNodeType: 'BeforeSuite', LeafNodeText: '', Failure: { Message: 'no cluster' } }
    expect(outcomeOf(spec('', 'panicked', around)).failed).toEqual([
      { name: 'BeforeSuite', state: 'panicked', seconds: 2.4, why: 'no cluster' },
    ])
  })
})
