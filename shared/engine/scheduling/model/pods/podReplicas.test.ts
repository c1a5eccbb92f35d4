import { describe, expect, it } from 'vitest'
import { type PodShape, pod } from '../../../../../test/builders/pod.ts'
import type { LabelSelector, PodAffinityTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import { asksTheSame, askText, requestsText } from './podReplicas.ts'

const selector = (value: string): LabelSelector => ({
  matchLabels: {},
  matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a', value] }],
})
const named = (value: string): LabelSelector => ({ matchLabels: { app: value }, matchExpressions: [] })
const term = (each: LabelSelector): PodAffinityTerm => ({
  topologyKey: 'zone',
  selector: each,
  namespaces: [],
  matchLabelKeys: [],
  mismatchLabelKeys: [],
})
const spread = (each: LabelSelector): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  selector: each,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
})
const asking = (value: string) => ({ matchExpressions: [{ key: 'kind', operator: 'In' as const, values: ['a', value] }], matchFields: [] })

/** What thousands of pods may ask, each with a value of its own. */
const ASKED: { readonly [member: string]: (value: string) => PodShape } = {
  nodeSelector: (value) => ({ nodeSelector: { kind: value } }),
  requiredNodeTerms: (value) => ({ requiredNodeTerms: [asking('b'), asking(value)] }),
  preferredNodeTerms: (value) => ({ preferredNodeTerms: [{ weight: 1, term: asking(value) }] }),
  tolerations: (value) => ({ tolerations: [{ key: 'for', operator: 'Equal', value }] }),
  topologySpread: (value) => ({ topologySpread: [spread(selector(value))] }),
  'topologySpread by a label': (value) => ({ topologySpread: [spread(named(value))] }),
  podAffinity: (value) => ({ podAffinity: { required: [term(named(value))], preferred: [] } }),
  'preferred podAffinity': (value) => ({ podAffinity: { required: [], preferred: [{ weight: 1, term: term(selector(value)) }] } }),
  podAntiAffinity: (value) => ({ podAntiAffinity: { required: [term(selector(value))], preferred: [] } }),
  'namespaces of a term': (value) => ({ podAntiAffinity: { required: [{ ...term(named('a')), namespaces: [value] }], preferred: [] } }),
  hostPorts: (value) => ({ hostPorts: [{ ip: '', port: value.length, protocol: 'TCP' }] }),
}

describe('the text of what a pod asks', () => {
  it.each(Object.entries(ASKED))('tells pods apart by %s', (_member, shape) => {
    const [first, second] = [pod(shape('one')), pod(shape('others'))]
    expect(asksTheSame(first, second)).toBe(false)
    expect(askText(first)).not.toBe(askText(second))
  })

  it('is the same for pods that ask the same, in whatever order they say it', () => {
    const one = pod({
      nodeSelector: { a: '1', b: '2' },
      topologySpread: [spread({ matchLabels: { a: '1', b: '2' }, matchExpressions: [] })],
    })
    const other = pod({
      nodeSelector: { b: '2', a: '1' },
      topologySpread: [spread({ matchLabels: { b: '2', a: '1' }, matchExpressions: [] })],
    })
    expect(asksTheSame(one, other)).toBe(true)
    expect(askText(one)).toBe(askText(other))
  })
})

describe('the text of what a pod takes', () => {
  it('tells any resource apart, in whatever order they are told', () => {
    const text = (requests: PodShape['requests']) => requestsText(pod(requests === undefined ? {} : { requests }))
    expect(text({ cpu: 1, gpu: 1 })).toBe(text({ gpu: 1, cpu: 1 }))
    expect(text({ cpu: 1, gpu: 1 })).not.toBe(text({ cpu: 1, gpu: 2 }))
  })
})
