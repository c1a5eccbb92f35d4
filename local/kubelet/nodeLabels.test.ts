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
  it.each([
    'a b',
    '',
    '/name',
    'example.com/',
    'example.com/a/b',
    'Example.com/a',
    '-example.com/a',
    'example..com/a',
    `${'a'.repeat(254)}/a`,
    'a'.repeat(64),
    'example.com/-a',
  ])('refuses the key %s', (key) => expect(acceptNodeLabels([[key, 'c']])).toEqual({ ok: false, error: `invalid node label key "${key}"` }))
  it.each(['a'.repeat(63), 'A.b_c-9', `${'a'.repeat(253)}/a`, '9.example-site.com/a'])('takes the key %s', (key) =>
    expect(acceptNodeLabels([[key, '']])).toEqual({ ok: true, value: { [key]: '' } }),
  )
  it('names all labels that are not its own, in order', () =>
    expect(
      acceptNodeLabels([
        ['kubernetes.io/b', ''],
        ['team', ''],
        ['a.k8s.io/a', ''],
      ]),
    ).toEqual({
      ok: false,
      error: "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [a.k8s.io/a kubernetes.io/b]",
    }))
  it('refuses a value that is none', () =>
    expect(acceptNodeLabels([['a', 'b c']])).toEqual({ ok: false, error: 'invalid value "b c" of node label "a"' }))
})
