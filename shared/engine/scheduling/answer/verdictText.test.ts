import { describe, expect, it } from 'vitest'
import { LABEL } from '../../../model/labels.ts'
import { codeOf, fieldsOf, type Verdict } from './verdict.ts'
import { verdictText } from './verdictText.ts'

const TOGETHER: Verdict = {
  kind: 'neighboursTogether',
  label: LABEL.zone,
  rules: [
    { rule: 'affinity', domains: ['z1'] },
    { rule: 'antiAffinity', domains: ['z2', 'z3'] },
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
      'no topology.kubernetes.io/zone meets all rules about other pods: pod affinity allows z1, pod anti-affinity allows z2, z3',
    )
    expect(codeOf(TOGETHER)).toBe('SCHEDULING.AFFINITY')
  })

  it('of rules about other pods that leave something: what, and what is in the way there', () => {
    expect(verdictText(LEAVE)).toBe(
      'rules about other pods leave it topology.kubernetes.io/zone z1: ' +
        'asked 4 cpu, the largest of 3 instance types has 1900m left for pods, short by 2100m',
    )
    expect(codeOf(LEAVE)).toBe('SCHEDULING.RESOURCES')
    expect(fieldsOf(LEAVE)).toEqual({ resource: 'cpu', asked: 4000, had: 1900, shortBy: 2100 })
  })
})
