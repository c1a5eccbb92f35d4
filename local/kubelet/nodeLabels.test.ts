import { describe, expect, it } from 'vitest'
import { acceptNodeLabels } from './nodeLabels.ts'

const ALLOWED: { readonly [sentence: string]: string } = {
  'the instance type': 'node.kubernetes.io/instance-type',
  'the zone': 'topology.kubernetes.io/zone',
  'a kubelet label': 'kubelet.kubernetes.io/x',
  'a label below node.kubernetes.io': 'a.node.kubernetes.io/x',
  'a label of Azure': 'kubernetes.azure.com/mode',
  'a label of Karpenter': 'karpenter.sh/nodepool',
  'a label without domain': 'team',
}

const REFUSED: { readonly [sentence: string]: string } = {
  'a role': 'node-role.kubernetes.io/agent',
  'a restricted label': 'node-restriction.kubernetes.io/team',
  'an unknown label of kubernetes.io': 'kubernetes.io/role',
  'a label of k8s.io': 'scheduling.k8s.io/x',
}

describe('acceptNodeLabels', () => {
  for (const [sentence, key] of Object.entries(ALLOWED)) {
    it(`takes ${sentence}`, () => expect(acceptNodeLabels([[key, 'a']])).toEqual({ ok: true, value: { [key]: 'a' } }))
  }
  for (const [sentence, key] of Object.entries(REFUSED)) {
    it(`refuses ${sentence}`, () =>
      expect(acceptNodeLabels([[key, 'a']])).toEqual({
        ok: false,
        error: `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${key}]`,
      }))
  }
  it('refuses a key that is none', () =>
    expect(acceptNodeLabels([['a b', 'c']])).toEqual({ ok: false, error: 'invalid node label key "a b"' }))
  it('refuses a value that is none', () =>
    expect(acceptNodeLabels([['a', 'b c']])).toEqual({ ok: false, error: 'invalid value "b c" of node label "a"' }))
})
