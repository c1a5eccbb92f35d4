import { describe, expect, it } from 'vitest'
import { nodeClassName } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import type { UnavailableScope } from '../../shared/model/unavailableOffering.ts'
import { hence, NOW } from '../builders/clock.ts'
import { instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { snapshot } from '../builders/snapshot.ts'
import { allocatable, outcomesOf } from './outcomes.ts'

const TYPES = [
  instanceType({ name: 'small', cpus: 2, family: 'd', zones: ['z1', 'z2'] }),
  instanceType({ name: 'large', cpus: 8, family: 'd', zones: ['z1'], spotPrice: null }),
  instanceType({ name: 'arm', cpus: 8, family: 'p', arch: 'arm64', zones: ['z2'], spotPrice: null }),
]
const ALL = ['small z1 on-demand', 'small z1 spot', 'small z2 on-demand', 'small z2 spot', 'large z1 on-demand', 'arm z2 on-demand']

function machinesOf(requirements: readonly RequirementSpec[], types: readonly InstanceType[] = TYPES) {
  const { spec } = nodeClaim()
  return outcomesOf(snapshot({ types }), { ...spec, requirements }, { team: 'a' })
}

const named = (machines: ReturnType<typeof machinesOf>) =>
  machines.map(({ type, offering: { zone, capacityType } }) => `${type.name} ${zone} ${capacityType}`)

describe('what a claim may become', () => {
  it.each([
    { asks: [], want: ALL },
    {
      asks: [{ key: LABEL.instanceType, operator: 'In', values: ['small', 'arm'] }],
      want: ALL.filter((each) => !each.startsWith('large')),
    },
    { asks: [{ key: LABEL.zone, operator: 'In', values: ['z2'] }], want: ALL.filter((each) => each.includes('z2')) },
    { asks: [{ key: LABEL.arch, operator: 'NotIn', values: ['arm64'] }], want: ALL.filter((each) => !each.startsWith('arm')) },
    {
      asks: [
        { key: LABEL.zone, operator: 'In', values: ['z1', 'z2'] },
        { key: LABEL.zone, operator: 'NotIn', values: ['z1'] },
      ],
      want: ALL.filter((each) => each.includes('z2')),
    },
    { asks: [{ key: 'karpenter.azure.com/sku-cpu', operator: 'Gt', values: ['7'] }], want: ['large z1 on-demand', 'arm z2 on-demand'] },
    { asks: [{ key: 'unknown', operator: 'In', values: ['x'] }], want: ALL },
  ] satisfies { readonly asks: readonly RequirementSpec[]; readonly want: readonly string[] }[])('$asks', ({ asks, want }) => {
    expect(named(machinesOf(asks))).toEqual(want)
  })

  it('has the labels of the claim and of the machine', () => {
    expect(machinesOf([])[0]?.labels).toMatchObject({
      team: 'a',
      [LABEL.instanceType]: 'small',
      [LABEL.zone]: 'z1',
      [LABEL.capacityType]: 'on-demand',
      [LABEL.registered]: 'true',
      [LABEL.initialized]: 'true',
    })
  })

  it('has a label of several values only where the claim picks one', () => {
    const types = [instanceType({ zones: ['z1'], spotPrice: null, os: ['linux', 'windows'] })]
    expect(machinesOf([], types)[0]?.labels).not.toHaveProperty([LABEL.os])
    expect(machinesOf([{ key: LABEL.os, operator: 'In', values: ['linux'] }], types)[0]?.labels).toHaveProperty([LABEL.os], 'linux')
    expect(machinesOf([{ key: LABEL.os, operator: 'In', values: ['macos'] }], types)).toEqual([])
  })

  it('lacks a label that the size states to be absent', () => {
    const bare = { ...instanceType({ zones: ['z1'], spotPrice: null }), requirements: [oneOf('gpu', [])] }
    const some = { ...bare, requirements: [{ key: 'gpu', complement: true, values: [] }] }
    const wants = (operator: 'Exists' | 'DoesNotExist'): readonly RequirementSpec[] => [{ key: 'gpu', operator, values: [] }]
    expect(machinesOf(wants('Exists'), [bare])).toEqual([])
    expect(machinesOf(wants('DoesNotExist'), [bare])).toHaveLength(1)
    expect(machinesOf(wants('DoesNotExist'), [some])).toHaveLength(1)
    expect(machinesOf([], [bare])[0]?.labels).not.toHaveProperty('gpu')
  })

  it('is nothing where its class has no sizes', () => {
    const { spec } = nodeClaim()
    const other = { ...spec, requirements: [], nodeClassRef: { ...spec.nodeClassRef, name: nodeClassName('other') } }
    expect(outcomesOf(snapshot(), other, {})).toEqual([])
  })
})

describe('a machine is for sale', () => {
  const soldDespite = (scope: UnavailableScope, until = hence(1), types: readonly InstanceType[] = TYPES) => {
    const { spec } = nodeClaim()
    const given = snapshot({ types, unavailable: [{ scope, until, code: 'AZURE.SKU_NOT_AVAILABLE', message: 'x' }] })
    return named(outcomesOf(given, { ...spec, requirements: [] }, {}).filter(({ isForSale }) => isForSale))
  }
  const but = (...gone: readonly string[]): readonly string[] => ALL.filter((each) => !gone.some((part) => each.includes(part)))

  it.each([
    { name: 'an offering', scope: { kind: 'offering', size: 'small', zone: 'z1', capacityType: 'spot' }, want: but('small z1 spot') },
    { name: 'a size in a zone', scope: { kind: 'offering', size: 'small', zone: 'z2' }, want: but('small z2') },
    { name: 'a size', scope: { kind: 'offering', size: 'small' }, want: but('small') },
    { name: 'a family from some cores on', scope: { kind: 'family', family: 'd', minCpus: 8 }, want: but('large') },
    { name: 'a family from a core on', scope: { kind: 'family', family: 'd', minCpus: 1 }, want: but('small', 'large') },
    { name: 'a family in a zone', scope: { kind: 'family', family: 'd', minCpus: 1, zone: 'z2' }, want: but('small z2') },
    { name: 'a capacity type', scope: { kind: 'capacityType', capacityType: 'spot' }, want: but('spot') },
  ] as { name: string; scope: UnavailableScope; want: readonly string[] }[])('unless refused lately: $name', ({ scope, want }) => {
    expect(soldDespite(scope)).toEqual(want)
  })

  it('again when that is over', () => expect(soldDespite({ kind: 'capacityType', capacityType: 'spot' }, NOW)).toEqual(ALL))

  it('only where it is offered', () => {
    const types = [instanceType({ name: 'small', offerings: [offering({ zone: 'z1', available: false }), offering({ zone: 'z2' })] })]
    expect(soldDespite({ kind: 'capacityType', capacityType: 'spot' }, NOW, types)).toEqual(['small z2 on-demand'])
  })
})

describe('what pods may use of a machine', () => {
  it('is what it has without what is kept back', () => {
    const type = instanceType({ capacity: { 'nvidia.com/gpu': 2 } })
    expect(allocatable(type)).toMatchObject({ cpu: 3900, 'nvidia.com/gpu': 2 })
  })
})
