import { DEFAULT, GPU, growing, holding, size, sold } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const AMD = { default: { needs: 'arch=amd64' } } as const
const NONE = { says: 'none of the 6 sizes of the region meets' } as const
const DEVICE = 'example.com/device'

/** The sizes that serve: resources, architectures, labels of sizes, offerings with capacity of their own. */
export const INSTANCE_TYPES: Scenarios = {
  'I1 larger than any size': {
    given: { pods: { p: { asks: { cpu: 512 } } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' }, says: 'short by 496.1' },
  },
  'I2 two architectures': {
    given: { pods: { p: { select: 'arch=amd64' }, q: { select: 'arch=arm64' } } },
    want: {
      claims: [
        { pods: 'p', type: 'small' },
        { pods: 'q', type: 'arm' },
      ],
    },
  },
  'I3 an architecture of the pool against the size asked for': {
    given: { pools: AMD, pods: { p: { needs: 'type=arm' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'I4 a system that only the other architecture has': {
    given: { pools: AMD, pods: { p: { needs: 'os=ios' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'I5 only the other architecture is large enough': {
    given: { pools: AMD, pods: { p: { asks: { cpu: 14 } } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'I6 two systems': {
    given: { pods: { p: { select: 'os=linux' }, q: { select: 'os=windows' } } },
    want: { claims: [{ pods: 'p' }, { pods: 'q' }] },
  },
  'I7 two sizes, one by its old name': {
    given: { pods: { p: { select: 'beta.kubernetes.io/instance-type=small' }, q: { select: 'type=default' } } },
    want: {
      claims: [
        { pods: 'p', types: 'small' },
        { pods: 'q', types: 'default' },
      ],
    },
  },
  'I8 two zones': {
    given: { pods: { p: { select: 'zone=z1' }, q: { select: 'zone=z2' } } },
    want: {
      claims: [
        { pods: 'p', zone: 'z1' },
        { pods: 'q', zone: 'z2' },
      ],
    },
  },
  'I9 accelerators of two vendors': {
    given: { pods: { p: { asks: { [GPU.a]: 1 } }, q: { asks: { [GPU.b]: 1 } } } },
    want: {
      claims: [
        { pods: 'p', types: 'gpu-a' },
        { pods: 'q', types: 'gpu-b' },
      ],
    },
  },
  'I10 accelerators of two vendors for one pod': {
    given: { pods: { p: { asks: { [GPU.a]: 1, [GPU.b]: 1 } } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'I11 a label that large sizes have': {
    given: { types: growing(5), pods: { p: { select: 'shape=large' } } },
    want: { claims: [{ types: 'it-5' }] },
  },
  'I11.1 a label that small sizes have': {
    given: { types: growing(5), pods: { p: { select: 'shape=small' } } },
    want: { claims: [{ type: 'it-1', types: 'it-1 it-2 it-3 it-4' }] },
  },
  'I12 a label of large sizes and a small size': {
    given: { types: growing(5), pods: { p: { select: 'shape=large type=it-1' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } },
  },
  'I13 a label that only some sizes have, by value': {
    given: { types: growing(5), pods: { p: { needs: 'extra=optional' } } },
    want: { claims: [{ types: 'it-5' }] },
  },
  'I13.1 a label that only some sizes have, whatever its value': {
    given: { types: growing(5), pods: { p: { needs: 'extra exists' } } },
    want: { claims: [{ types: 'it-5' }] },
  },
  'I14 a label that only some sizes have must be absent': {
    given: { types: growing(5), pods: { p: { needs: 'extra absent' } } },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4', without: 'extra' }] },
  },

  'Q1 a size that does not exist': {
    given: { pools: { default: { needs: 'type=none' } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'POOL.NO_INSTANCE_TYPE' }, ...NONE },
  },
  'Q2 an architecture that does not exist': {
    given: { pools: { default: { needs: 'arch=riscv' } }, pods: { p: { count: 3 } } },
    want: { claims: 0, unplaced: { p: 'POOL.NO_INSTANCE_TYPE' }, ...NONE },
  },
  'Q3 two architectures at once': {
    given: { pools: { default: { needs: 'arch=amd64, arch=arm64' } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'POOL.NO_INSTANCE_TYPE' }, ...NONE },
  },
  'Q4 zones that do not exist': {
    given: { pools: { default: { needs: 'zone in nowhere never' } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'POOL.NO_INSTANCE_TYPE' }, ...NONE },
  },
  'Q5 without sizes a pod still goes to a node that is there': {
    given: { pools: { default: { needs: 'type=none' } }, nodes: { n1: {} }, pods: { p: {} } },
    want: { claims: 0, on: { n1: 'p' } },
  },

  'A1 a pod that claims a device, beside one that does not': {
    given: { pods: { p: { over: { resourceClaims: ['gpu'] } }, q: {} } },
    want: { claims: [{ pods: 'q' }], unplaced: { p: 'POD.UNSUPPORTED_RESOURCE_CLAIM' } },
  },
  'A1.1 a pod that is bound with its group or not at all': {
    given: { nodes: { n1: {} }, pods: { p: { count: 2, over: { schedulingGroup: 'gang' } }, q: {} } },
    want: { claims: 0, on: { n1: 'q' }, unplaced: { p: 'POD.UNSUPPORTED_SCHEDULING_GROUP' }, says: 'scheduling group gang' },
  },
  'A2 a daemon that claims a device takes nothing': {
    given: { daemons: { agent: { asks: { cpu: 3 }, over: { resourceClaims: ['gpu'] } } }, pods: { p: { asks: { cpu: 1 } } } },
    want: { claims: [{ type: 'small' }] },
  },
  'A3 a resource that only one offering brings': {
    given: {
      types: [...DEFAULT, size('brings', { offerings: [holding(sold(2, 'z1'), { [DEVICE]: 1 })] })],
      pods: { p: { asks: { [DEVICE]: 1 } } },
    },
    want: { claims: [{ types: 'brings', zone: 'z1' }] },
  },
  'A3.1 an offering that brings it, beside a cheaper one that does not': {
    given: {
      types: [size('brings', { offerings: [sold(1, 'z2'), holding(sold(2, 'z1'), { [DEVICE]: 1 })] })],
      pods: { p: { asks: { [DEVICE]: 1 } } },
    },
    want: { claims: [{ types: 'brings', zone: 'z1' }], price: 2 },
  },
  'A4 the only offering that brings it cannot be had': {
    given: {
      types: [...DEFAULT, size('brings', { offerings: [holding(sold(2, 'z1', undefined, false), { [DEVICE]: 1 })] })],
      pods: { p: { asks: { [DEVICE]: 1 } } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
}
