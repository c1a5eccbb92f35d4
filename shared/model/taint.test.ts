import { describe, expect, it } from 'vitest'
import { formatTaint, isEphemeral, isSameTaint, type Taint, type Toleration, tolerates, untolerated } from './taint.ts'

const gpu: Taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
const plain: Taint = { key: 'gpu', effect: 'NoExecute' }
const generation: Taint = { key: 'generation', value: '5', effect: 'NoSchedule' }

describe('a toleration', () => {
  const table: { [name: string]: { toleration: Toleration; taint: Taint; want: boolean } } = {
    'of everything': { toleration: { operator: 'Exists' }, taint: gpu, want: true },
    'of everything with one effect': { toleration: { operator: 'Exists', effect: 'NoExecute' }, taint: gpu, want: false },
    'of the key': { toleration: { key: 'gpu', operator: 'Exists' }, taint: gpu, want: true },
    'of another key': { toleration: { key: 'cpu', operator: 'Exists' }, taint: gpu, want: false },
    'of key and value': { toleration: { key: 'gpu', operator: 'Equal', value: 'yes' }, taint: gpu, want: true },
    'of key and another value': { toleration: { key: 'gpu', operator: 'Equal', value: 'no' }, taint: gpu, want: false },
    'of a taint without a value': { toleration: { key: 'gpu', operator: 'Equal' }, taint: plain, want: true },
    'of key, value and effect': {
      toleration: { key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' },
      taint: gpu,
      want: true,
    },
    'of a smaller number': { toleration: { key: 'generation', operator: 'Lt', value: '6' }, taint: generation, want: true },
    'of a number no smaller': { toleration: { key: 'generation', operator: 'Lt', value: '5' }, taint: generation, want: false },
    'of a larger number': { toleration: { key: 'generation', operator: 'Gt', value: '4' }, taint: generation, want: true },
    'of a number no larger': { toleration: { key: 'generation', operator: 'Gt', value: '5' }, taint: generation, want: false },
    'of a number, against a word': { toleration: { key: 'gpu', operator: 'Gt', value: '5' }, taint: gpu, want: false },
  }
  for (const [name, { toleration, taint, want }] of Object.entries(table)) it(name, () => expect(tolerates(toleration, taint)).toBe(want))
})

describe('taints', () => {
  it('that nothing tolerates keep pods away, soft ones among them', () => {
    const soft: Taint = { key: 'soft', effect: 'PreferNoSchedule' }
    expect(untolerated([gpu, soft, plain], [{ key: 'gpu', operator: 'Exists' }])).toEqual([soft])
  })
  it('are written as Kubernetes writes them', () => {
    expect([gpu, plain].map(formatTaint)).toEqual(['gpu=yes:NoSchedule', 'gpu:NoExecute'])
  })
  it('are the same by key and effect', () => {
    expect([isSameTaint(gpu, { ...gpu, value: 'no' }), isSameTaint(gpu, plain)]).toEqual([true, false])
  })
})

describe('ephemeral', () => {
  const table: { [taint: string]: boolean } = {
    'node.kubernetes.io/not-ready:NoSchedule': true,
    'node.kubernetes.io/not-ready:NoExecute': true,
    'node.kubernetes.io/unreachable:NoSchedule': true,
    'node.kubernetes.io/unreachable:NoExecute': false,
    'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule': true,
    'karpenter.sh/unregistered:NoExecute': true,
    'karpenter.sh/unregistered:NoSchedule': false,
    'karpenter.sh/disrupted:NoSchedule': false,
    'readiness.k8s.io/network:NoSchedule': true,
    'node.kubernetes.io/unschedulable:NoSchedule': false,
  }
  for (const [text, want] of Object.entries(table)) {
    const [key = '', effect] = text.split(':')
    it(`${text} is${want ? '' : ' not'}`, () => expect(isEphemeral({ key, effect: effect as Taint['effect'] })).toBe(want))
  }
})
