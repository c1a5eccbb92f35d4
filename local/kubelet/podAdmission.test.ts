import { describe, expect, it } from 'vitest'
import { testPod } from '../cluster/testing/objects.ts'
import { refusalOf } from './podAdmission.ts'

const pod = (requests: { readonly [resource: string]: string }) =>
  testPod('p', { spec: { containers: [{ name: 'c', resources: { requests } }] } })
/** CPU in thousandths. */
const ALLOCATABLE = { cpu: 4_000, memory: 2 ** 30, pods: 3 }

describe('a kubelet', () => {
  it('takes pods in until its node is full, and not one more', () => {
    expect(refusalOf(pod({ cpu: '4' }), ALLOCATABLE, [])).toBeUndefined()
    expect(refusalOf(pod({ cpu: '1' }), ALLOCATABLE, [pod({ cpu: '2' }), pod({ cpu: '1' })])).toBeUndefined()
    expect(refusalOf(pod({ cpu: '2' }), ALLOCATABLE, [pod({ cpu: '2' }), pod({ cpu: '1' })])).toEqual({
      reason: 'OutOfcpu',
      message: expect.stringMatching(/cpu, requested: 2000, used: 3000, capacity: 4000$/),
    })
  })

  it('counts pods as well', () => {
    const three = [pod({}), pod({}), pod({})]
    expect(refusalOf(pod({}), ALLOCATABLE, three.slice(1))).toBeUndefined()
    expect(refusalOf(pod({}), ALLOCATABLE, three)).toMatchObject({ reason: 'OutOfpods' })
  })

  it('has nothing of what its node does not offer', () => {
    expect(refusalOf(pod({ 'nvidia.com/gpu': '1' }), ALLOCATABLE, [])).toMatchObject({ reason: 'OutOfnvidia.com/gpu' })
    expect(refusalOf(pod({ 'nvidia.com/gpu': '0' }), ALLOCATABLE, [])).toBeUndefined()
  })
})
