import { describe, expect, it } from 'vitest'
import { pod } from '../../../test/builders/pod.ts'
import { askedByPod, leftOutText } from './possibleSizes.ts'

const SIZE = 'node.kubernetes.io/instance-type'
const LEFT_OUT = new Map([
  ['Standard_E8-4ds_v5', 'have constrained CPUs'],
  ['Standard_A0', 'are refused by AKS, or retired'],
  ['constructor', 'have a name of an unknown form'],
  ['Standard_DC8s_v3', 'are confidential'],
])
const asked = (...values: readonly string[]) => [{ key: SIZE, operator: 'In', values } as const]

describe('sizes that are asked for and left out', () => {
  it('are named with their rule', () => {
    expect(leftOutText(asked('Standard_D8s_v5', 'Standard_E8-4ds_v5', 'Standard_A0', 'Standard_A0'), LEFT_OUT)).toBe(
      '; Joiner leaves out Standard_E8-4ds_v5, since such sizes have constrained CPUs; Standard_A0, since such sizes are refused by AKS, or retired',
    )
  })

  it('are counted beyond three', () => {
    expect(leftOutText(asked(...LEFT_OUT.keys()), LEFT_OUT)).toMatch(/unknown form; and 1 more of the sizes asked for$/)
  })

  it.each<[string, Parameters<typeof leftOutText>]>([
    ['no size is asked for', [[], LEFT_OUT]],
    ['the sizes are not left out', [asked('Standard_D8s_v5', 'toString'), LEFT_OUT]],
    ['another label has the value', [[{ key: 'team', operator: 'In', values: ['Standard_A0'] }], LEFT_OUT]],
    ['the size is excluded', [[{ key: SIZE, operator: 'NotIn', values: ['Standard_A0'] }], LEFT_OUT]],
    ['nothing is known of left-out sizes', [asked('Standard_A0')]],
  ])('are not spoken of where %s', (_case, given) => expect(leftOutText(...given)).toBe(''))

  it('are found in the selector of a pod and in its required affinity', () => {
    const requiredNodeTerms = [{ matchExpressions: [{ key: SIZE, operator: 'In' as const, values: ['Standard_A0'] }], matchFields: [] }]
    const both = askedByPod(pod({ name: 'a', nodeSelector: { [SIZE]: 'Standard_E8-4ds_v5' }, requiredNodeTerms }))
    expect(leftOutText(both, LEFT_OUT)).toMatch(/Standard_E8-4ds_v5.*Standard_A0/)
    expect(askedByPod(pod({ name: 'b' }))).toEqual([])
  })
})
