import { describe, expect, it } from 'vitest'
import { LABEL } from '../../../model/labels.ts'
import type { Verdict } from './verdict.ts'
import { codeOf, fieldsOf, verdictText } from './verdictTable.ts'

const TOGETHER: Verdict = {
  kind: 'neighboursTogether',
  label: LABEL.zone,
  rules: [
    { rule: 'affinity', about: 'pods app=a', domains: ['z1'] },
    { rule: 'antiAffinity', about: 'pods app=b', domains: ['z2', 'z3'] },
  ],
}

const LEAVE: Verdict = {
  kind: 'neighboursLeave',
  domains: [{ label: LABEL.zone, values: ['z1'] }],
  verdict: { kind: 'amount', resource: 'cpu', asked: 4000, had: 1900, shortBy: 2100, instanceTypes: 3 },
}

describe('what a verdict says', () => {
  it('of rules about other pods that leave each other nothing: what each allows', () => {
    expect(verdictText(TOGETHER)).toBe(
      'no topology.kubernetes.io/zone meets all rules about other pods: pod affinity to pods app=a allows z1, pod anti-affinity to pods app=b allows z2, z3',
    )
    expect(codeOf(TOGETHER)).toBe('SCHEDULING.AFFINITY')
  })

  it('of rules about other pods that leave something: what, and what is in the way there', () => {
    expect(verdictText(LEAVE)).toBe(
      'rules about other pods allow only topology.kubernetes.io/zone z1: ' +
        'asked 4 cpu, the largest of 3 instance types has 1.9 left for pods, short by 2.1',
    )
    expect(codeOf(LEAVE)).toBe('SCHEDULING.RESOURCES')
    expect(fieldsOf(LEAVE)).toEqual({ resource: 'cpu', asked: 4000, had: 1900, shortBy: 2100 })
  })
})
