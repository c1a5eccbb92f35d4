import { size, sold } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const ONE_CPU = { shape: { asks: { cpu: 1 } } } as const
const ONE_POD_EACH = [size('small', { cpus: 2, memoryGib: 64, price: 1 })]
const HALF = [{ times: 2, type: 'small' }] as const
const AB = [size('a', { price: 1 }), size('b', { price: 2 })] as const
const DEVICE = 'example.com/device'

/** Capacity buffers, which keep room for future pods, and node overlays, which correct the catalog. */
export const BUFFERS_AND_OVERLAYS: Scenarios = {
  'BU1 a buffer of two pods': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 2 } } },
    want: { claims: HALF },
  },
  'BU2 capped by its limits': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 5, limits: { cpu: 2 } } } },
    want: { claims: HALF },
  },
  'BU3 limits that do not bind': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 2, limits: { cpu: 9 } } } },
    want: { claims: HALF },
  },
  'BU4 limits alone': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', limits: { cpu: 2.5 } } } },
    want: { claims: HALF },
  },
  'BU5 the least of several limits': {
    given: {
      types: ONE_POD_EACH,
      templates: { shape: { asks: { cpu: 1, memory: 1 } } },
      buffers: { b: { template: 'shape', replicas: 9, limits: { cpu: 5, memory: 2 } } },
    },
    want: { claims: HALF },
  },
  'BU6 limits of what its pods do not ask for': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 2, limits: { [DEVICE]: 1 } } } },
    want: { claims: HALF },
  },
  'BU7 a limit below one pod': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 5, limits: { cpu: 0.5 } } } },
    want: { claims: 0 },
  },
  'BU7.1 a limit of nothing': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 5, limits: { cpu: 0 } } } },
    want: { claims: 0 },
  },
  'BU7.2 limits alone, of what its pods do not ask for': {
    given: { types: ONE_POD_EACH, templates: ONE_CPU, buffers: { b: { template: 'shape', limits: { [DEVICE]: 9 } } } },
    want: { claims: 0 },
  },
  'BU8 a share of a workload, rounded up': {
    given: {
      types: ONE_POD_EACH,
      workloads: { web: { kind: 'Deployment', replicas: 3, pod: { asks: { cpu: 1 } } } },
      buffers: { b: { scalable: 'Deployment/web', percentage: 50 } },
    },
    want: { claims: HALF },
  },
  'BU9 a small share is one pod': {
    given: {
      types: ONE_POD_EACH,
      workloads: { web: { kind: 'Deployment', replicas: 3, pod: { asks: { cpu: 1 } } } },
      buffers: { b: { scalable: 'Deployment/web', percentage: 1 } },
    },
    want: { claims: 1 },
  },
  'BU10 a share and a number: the larger': {
    given: {
      types: ONE_POD_EACH,
      workloads: { web: { kind: 'Deployment', replicas: 4, pod: { asks: { cpu: 1 } } } },
      buffers: { b: { scalable: 'Deployment/web', percentage: 25, replicas: 2 } },
    },
    want: { claims: HALF },
  },
  'BU10.1 a number and a share: the larger': {
    given: {
      types: ONE_POD_EACH,
      workloads: { web: { kind: 'Deployment', replicas: 3, pod: { asks: { cpu: 1 } } } },
      buffers: { b: { scalable: 'Deployment/web', percentage: 50, replicas: 1 } },
    },
    want: { claims: HALF },
  },
  'BU10.2 the larger of both, capped': {
    given: {
      types: ONE_POD_EACH,
      workloads: { web: { kind: 'Deployment', replicas: 9, pod: { asks: { cpu: 1 } } } },
      buffers: { b: { scalable: 'Deployment/web', percentage: 100, replicas: 5, limits: { cpu: 2 } } },
    },
    want: { claims: HALF },
  },
  'BU11 sidecars of its pods count': {
    given: {
      types: ONE_POD_EACH,
      templates: { shape: { asks: { cpu: 0.5 }, start: [{ sidecar: { cpu: 0.5 } }] } },
      buffers: { b: { template: 'shape', replicas: 9, limits: { cpu: 2 } } },
    },
    want: { claims: HALF },
  },
  'BU12 a template that is not there': { given: { buffers: { b: { template: 'none', replicas: 2 } } }, want: { claims: 0 } },
  'BU13 a workload of a kind that has no pods to speak of': {
    given: {
      workloads: { job: { kind: 'CronJob', apiVersion: 'batch/v1', replicas: 3 } },
      buffers: { b: { scalable: 'CronJob/job', percentage: 100 } },
    },
    want: { claims: 0 },
  },
  'BU14 room that is there is room enough': {
    given: { nodes: { n1: {} }, templates: ONE_CPU, buffers: { b: { template: 'shape', replicas: 2 } } },
    want: { claims: 0 },
  },
  'BU15 volumes of its pods bind nobody': {
    given: {
      types: ONE_POD_EACH,
      templates: { shape: { asks: { cpu: 1 }, mounts: 'none', ephemeral: { vol: 'none' } } },
      buffers: { b: { template: 'shape', replicas: 2 } },
    },
    want: { claims: HALF },
  },
  'BU15.1 what its pods select and tolerate counts': {
    given: {
      types: ONE_POD_EACH,
      pools: { plain: {}, team: { taints: 'team', labels: 'team=a' } },
      templates: { shape: { asks: { cpu: 1 }, select: 'team=a', tolerates: 'team' } },
      buffers: { b: { template: 'shape', replicas: 2 } },
    },
    want: { claims: [{ times: 2, pool: 'team' }] },
  },
  'BU15.2 its pods keep apart': {
    given: {
      types: [size('large', { cpus: 16, memoryGib: 64, price: 1 })],
      templates: { shape: { asks: { cpu: 1 }, labels: 'app=b', apart: 'app=b over hostname' } },
      buffers: { b: { template: 'shape', replicas: 2 } },
    },
    want: { claims: 2 },
  },
  'BU16 a larger pod of a buffer comes before a smaller real one': {
    given: {
      types: ONE_POD_EACH,
      nodes: { n1: { room: { cpu: 1.5 } } },
      templates: { shape: { asks: { cpu: 1.5 } } },
      buffers: { b: { template: 'shape', replicas: 1 } },
      pods: { p: { asks: { cpu: 1 } } },
    },
    want: { claims: 1 },
    firstFit: { claims: [{ pods: 'p' }] },
  },

  'OV1 no overlay': { given: { types: AB, pods: { p: {} } }, want: { claims: [{ type: 'a' }], price: 1 } },
  'OV2 a price that makes another size the cheapest': {
    given: { types: AB, overlays: { o: { needs: 'type=b', price: '0.5' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b', annotations: { 'karpenter.sh/price-overlay-applied': 'true' } }], price: 0.5 },
  },
  'OV3 a price that is less by so much': {
    given: { types: AB, overlays: { o: { needs: 'type=b', priceAdjustment: '-1.5' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b' }], price: 0.5 },
  },
  'OV3.1 a price that is more by so much': {
    given: { types: AB, overlays: { o: { needs: 'type=a', priceAdjustment: '+1.5' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b' }], price: 2 },
  },
  'OV4 a price that is less by a share': {
    given: { types: AB, overlays: { o: { needs: 'type=b', priceAdjustment: '-60%' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b' }], price: 0.8 },
  },
  'OV4.1 no price below nothing': {
    given: { types: AB, overlays: { o: { needs: 'type=b', priceAdjustment: '-9' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b' }], price: 0 },
  },
  'OV5 of one zone': {
    given: { types: AB, overlays: { o: { needs: 'type=b, zone=z2', price: '0.5' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b', labels: 'zone=z2' }], price: 0.5 },
  },
  'OV5.1 of one capacity type': {
    given: {
      types: AB,
      overlays: { o: { needs: 'capacity=spot', price: '0.5' } },
      pods: { p: { select: 'capacity=on-demand' }, q: { select: 'capacity=spot' } },
    },
    want: { price: 1.5 },
  },
  'OV6 the heavier of two': {
    given: {
      types: AB,
      overlays: { z: { needs: 'type=b', price: '0.5', weight: 1 }, a: { needs: 'type=b', price: '0.7', weight: 2 } },
      pods: { p: { select: 'type=b' } },
    },
    want: { price: 0.7 },
  },
  'OV7 two of one weight for one size: the later name': {
    given: {
      types: AB,
      overlays: { a: { needs: 'type=b', price: '0.7' }, z: { needs: 'type=b', price: '0.5' } },
      pods: { p: { select: 'type=b' } },
    },
    want: { price: 0.5 },
  },
  'OV7.1 who conflicts anywhere is applied nowhere': {
    given: {
      types: AB,
      overlays: { a: { needs: 'type in a b', price: '0.7' }, z: { needs: 'type=b', price: '0.5' } },
      pods: { p: { select: 'type=a' } },
    },
    want: { price: 1 },
  },
  'OV7.2 two of one weight that do not meet': {
    given: {
      types: AB,
      overlays: { a: { needs: 'type=a', price: '0.7' }, z: { needs: 'type=b', price: '0.5' } },
      pods: { p: { select: 'type=a' }, q: { select: 'type=b' } },
    },
    want: { price: 1.2 },
  },
  'OV8 of one pool, by its name': {
    given: {
      types: AB,
      pools: { one: {}, two: {} },
      overlays: { o: { needs: 'pool=one, type=b', price: '0.5' } },
      pods: { p: { select: 'pool=one' }, q: { select: 'pool=two' } },
    },
    want: {
      claims: [
        { pods: 'p', type: 'b' },
        { pods: 'q', type: 'a' },
      ],
    },
  },
  'OV8.1 of pools with a label': {
    given: { types: AB, pools: { one: { labels: 'team=a' } }, overlays: { o: { needs: 'team=a, type=b', price: '0.5' } }, pods: { p: {} } },
    want: { claims: [{ type: 'b' }] },
  },
  'OV8.2 of a label that the pool does not have': {
    given: { types: AB, overlays: { o: { needs: 'team=a, type=b', price: '0.5' } }, pods: { p: {} } },
    want: { claims: [{ type: 'a' }] },
  },
  'OV9 a resource that the catalog does not know': {
    given: { types: AB, overlays: { o: { needs: 'type=b', capacity: { [DEVICE]: 2 } } }, pods: { p: { asks: { [DEVICE]: 1 } } } },
    want: { claims: [{ types: 'b', annotations: { 'karpenter.sh/capacity-overlay-applied': 'true' } }] },
  },
  'OV10 a resource that overlays must not change': {
    given: { types: AB, overlays: { o: { needs: 'type=b', capacity: { cpu: 100 } } }, pods: { p: { asks: { cpu: 9 } } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'OV10.1 huge pages come out of memory': {
    given: {
      types: [size('a', { cpus: 4, memoryGib: 16 })],
      overlays: { o: { needs: 'type=a', capacity: { 'hugepages-2Mi': 2 * 1024 ** 3 } } },
      pods: { p: { asks: { memory: 15, 'hugepages-2Mi': 1024 ** 3 } } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'OV10.2 so a pod gets a size that has both': {
    given: {
      types: [size('a', { cpus: 4, memoryGib: 16, price: 1 }), size('b', { cpus: 8, memoryGib: 32, price: 2 })],
      overlays: { o: { needs: 'type in a b', capacity: { 'hugepages-2Mi': 2 * 1024 ** 3 } } },
      pods: { p: { asks: { memory: 15, 'hugepages-2Mi': 1024 ** 3 } } },
    },
    want: { claims: [{ types: 'b' }] },
  },
  'OV10.3 and a smaller one what is left': {
    given: {
      types: [size('a', { cpus: 4, memoryGib: 16 })],
      overlays: { o: { needs: 'type=a', capacity: { 'hugepages-2Mi': 2 * 1024 ** 3 } } },
      pods: { p: { asks: { memory: 12, 'hugepages-2Mi': 1024 ** 3 } } },
    },
    want: { claims: [{ types: 'a' }] },
  },
  'OV11 prices of what an offering alone brings stay with it': {
    given: {
      types: [size('a', { offerings: [{ ...sold(1, 'z1'), capacity: { [DEVICE]: 1 } }] })],
      overlays: { o: { needs: 'type=a', price: '0.5' } },
      pods: { p: { asks: { [DEVICE]: 1 } } },
    },
    want: { claims: [{ type: 'a' }], price: 0.5 },
  },
}
