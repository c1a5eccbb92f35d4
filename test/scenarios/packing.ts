import { growing, size } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

/** The number of machines and their sizes. */
export const PACKING: Scenarios = {
  'P1 a small pod takes a small size': { given: { pods: { p: { asks: { memory: '100M' } } } }, want: { claims: [{ type: 'small' }] } },
  'P2 the smallest size that holds it': { given: { pods: { p: { asks: { memory: '2000M' } } } }, want: { claims: [{ type: 'small' }] } },
  'P3 what its runtime adds counts': {
    given: { pods: { p: { asks: { cpu: 2 }, overhead: { cpu: 1 } } } },
    want: { claims: [{ types: 'arm default gpu-a gpu-b single', requests: { cpu: 3, pods: 1 } }], price: 0.8 },
  },
  'P4 five small pods share one small node': {
    given: { pods: { p: { count: 5, asks: { memory: '10M' } } } },
    want: { claims: [{ pods: 5, type: 'small' }] },
  },
  'P5 forty pods, two a node': {
    given: { pods: { p: { count: 40, select: 'arch=amd64', asks: { memory: '1.8G' } } } },
    want: { priceAtMost: 16 },
    firstFit: { claims: [{ times: 20, pods: 2, type: 'default' }] },
  },
  'P6 small pods fill them up': {
    given: {
      pods: {
        p: { count: 40, select: 'arch=amd64', asks: { memory: '1.8G' } },
        q: { count: 20, select: 'arch=amd64', asks: { memory: '400M' } },
      },
    },
    want: { priceAtMost: 16 },
    firstFit: { claims: [{ times: 20, pods: 3, type: 'default' }] },
  },
  'P7 a large pod and a small one that does not fit beside it': {
    given: { types: growing(5), pods: { p: { asks: { cpu: 4.5 } }, q: { asks: { cpu: 1 } } } },
    want: {
      claims: [
        { pods: 'p', type: 'it-5' },
        { pods: 'q', type: 'it-2' },
      ],
    },
  },
  'P8 none of a resource nobody has': { given: { pods: { p: { asks: { 'unknown.example/thing': 0 } } } }, want: { claims: 1 } },
  'P9 two tebibytes': { given: { pods: { p: { asks: { memory: '2Ti' } } } }, want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } } },
  'P10 twenty-five tiny pods, five a node': {
    given: { pods: { p: { count: 25, asks: { cpu: '1m', memory: '1m' } } } },
    want: { claims: [{ times: 5, pods: 5, type: 'small' }] },
  },
  'P11 its start asks for more than its run': {
    given: { pods: { p: { asks: { cpu: 1 }, start: [{ init: { cpu: 2 } }] } } },
    want: { claims: [{ types: 'arm default gpu-a gpu-b single' }], price: 0.8 },
  },
  'P12 its start asks for too much': {
    given: { pods: { p: { asks: { cpu: 1 }, start: [{ init: { memory: '1Ti' } }] } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'P13 the larger size costs less, and all that fit are named': {
    given: {
      types: [size('little', { price: 1 }), size('much', { cpus: 16, memoryGib: 64, price: 0.5 })],
      pods: { p: { asks: { cpu: 1 } } },
    },
    want: { claims: [{ type: 'much', types: 'little much' }], price: 0.5 },
  },
  'P14 one machine for all costs less than several': {
    given: {
      types: [
        size('two', { cpus: 2, price: 0.1 }),
        size('four', { cpus: 4, price: 0.2 }),
        size('eight', { cpus: 8, memoryGib: 32, price: 0.29 }),
      ],
      pods: { p: { count: 5, asks: { cpu: 1 } } },
    },
    want: { claims: [{ pods: 5, type: 'eight' }] },
  },
  'P15 several machines cost less than one for all': {
    given: {
      types: [size('two', { cpus: 2.1, price: 0.1 }), size('eight', { cpus: 8.1, memoryGib: 32, price: 0.9, pods: 20 })],
      pods: { p: { count: 8, asks: { cpu: 1 } } },
    },
    want: { priceAtMost: 0.4 },
    firstFit: { claims: 1, priceAtMost: 0.9 },
  },
  'P16 an init container before a sidecar that comes last': {
    given: {
      types: growing(20),
      pods: { p: { asks: { cpu: 6, memory: 2 }, start: [{ init: { cpu: 10, memory: 4 } }, { sidecar: { cpu: 4.9, memory: 2.9 } }] } },
    },
    want: { claims: [{ type: 'it-11', requests: { cpu: 10.9, memory: 4.9, pods: 1 } }] },
  },
  'P17 a sidecar that comes first runs beside the init container': {
    given: {
      types: growing(20),
      pods: { p: { asks: { cpu: 6, memory: 2 }, start: [{ sidecar: { cpu: 4.9, memory: 2.9 } }, { init: { cpu: 5, memory: 2 } }] } },
    },
    want: { claims: [{ type: 'it-11', requests: { cpu: 10.9, memory: 4.9, pods: 1 } }] },
  },
  'P18 a sidecar that comes first, and a larger init container': {
    given: {
      types: growing(20),
      pods: { p: { asks: { cpu: 5, memory: 1 }, start: [{ sidecar: { cpu: 4.9, memory: 2.9 } }, { init: { cpu: 6, memory: 2 } }] } },
    },
    want: { claims: [{ type: 'it-11', requests: { cpu: 10.9, memory: 4.9, pods: 1 } }] },
  },
  'P19 the pod’s own level stands above its containers': {
    given: {
      types: growing(20),
      pods: {
        p: {
          containers: [
            { cpu: 8, memory: 3 },
            { cpu: 4, memory: 2 },
          ],
          podLevel: { cpu: 9.9, memory: 3.9 },
        },
      },
    },
    want: { claims: [{ requests: { cpu: 9.9, memory: 3.9, pods: 1 }, type: 'it-10' }] },
  },
}
