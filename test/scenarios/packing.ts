/** How many machines, which, and within which bounds. Groups 37.8, 37.22 to 37.27 of the catalogue. */

import { vmSizeName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { hence, MINUTE } from '../builders/clock.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { fakeCatalog, growingCatalog } from './fakeCatalog.ts'
import type { Scenarios } from './scenario.ts'

const types = fakeCatalog()
const MIB = 1024 ** 2

export const PACKING: Scenarios = {
  'a small pod takes a small size': { given: { types, objects: { pod: [sized('p', 100)] } }, wantSizes: ['small-instance-type'] },
  'a pod takes the smallest size that holds it': {
    given: { types, objects: { pod: [sized('p', 2000)] } },
    wantSizes: ['small-instance-type'],
  },
  'five small pods share one small node': {
    given: { types, objects: { pod: many(5, 10) } },
    wantClaims: 1,
    wantSizes: ['small-instance-type'],
  },
  'forty large pods need twenty nodes, and small ones fill them up': {
    given: { types, objects: { pod: [...many(40, 1800, 'large', 0.2), ...many(20, 200, 'small', 0.2)] } },
    wantClaims: 20,
  },
  'a pod of two tebibytes fits nowhere': {
    given: { types, objects: { pod: [sized('p', 2 * 1024 ** 2)] } },
    wantRefused: { p: 'SCHEDULING.RESOURCES' },
  },
  'twenty-five tiny pods, five a node': { given: { types, objects: { pod: many(25, 0.01, 'tiny', 0.001) } }, wantClaims: 5 },
  'a large size that costs less than a small one is chosen': {
    given: {
      types: [instanceType({ name: 'small', cpus: 2, price: 1 }), instanceType({ name: 'large', cpus: 16, memoryGib: 64, price: 0.5 })],
      objects: { pod: [pod({ name: 'p' })] },
    },
    wantSizes: ['large'],
  },
  'one machine for all costs less than several': {
    given: {
      types: [
        instanceType({ name: 'two', cpus: 2, memoryGib: 8, price: 0.1 }),
        instanceType({ name: 'four', cpus: 4, memoryGib: 16, price: 0.2 }),
        instanceType({ name: 'eight', cpus: 8, memoryGib: 32, price: 0.29 }),
      ],
      objects: { pod: pods(5) },
    },
    wantSizes: ['eight'],
  },
  'the price of the capacity type allowed counts': {
    given: {
      types: [priced('a', 1, 0.2), priced('b', 1.3, 0.1)],
      objects: {
        pod: [pod({ name: 'p' })],
        nodePool: [nodePool({ template: { requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }] } })],
      },
    },
    wantSizes: ['a'],
  },
  'at one price spot comes before on demand': {
    given: { types: [instanceType({ price: 0.1, spotPrice: 0.1 })], objects: { pod: [pod({ name: 'p' })] } },
    wantCapacityType: 'spot',
  },
  'an unknown price comes last': {
    given: {
      types: [instanceType({ name: 'unknown', price: null }), instanceType({ name: 'dear', price: 9 })],
      objects: { pod: [pod({ name: 'p' })] },
    },
    wantSizes: ['dear'],
  },
  'a size without any price still serves when nothing else does': {
    given: { types: [instanceType({ name: 'unknown', price: null })], objects: { pod: [pod({ name: 'p' })] } },
    wantSizes: ['unknown'],
  },
  'a refused offering is left out until its time': {
    given: {
      types: [instanceType({ name: 'cheap', price: 0.1 }), instanceType({ name: 'dear', price: 0.2 })],
      unavailable: [blocked('cheap', hence(MINUTE))],
      objects: { pod: [pod({ name: 'p' })] },
    },
    wantSizes: ['dear'],
  },
  'a refusal that has ended does not count': {
    given: {
      types: [instanceType({ name: 'cheap', price: 0.1 }), instanceType({ name: 'dear', price: 0.2 })],
      unavailable: [blocked('cheap', hence(0))],
      objects: { pod: [pod({ name: 'p' })] },
    },
    wantSizes: ['cheap'],
  },
  'a family refused from four CPUs up leaves its smaller sizes': {
    given: {
      types: growingCatalog(4).map((type) => ({ ...type, family: 'one' })),
      unavailable: [
        { scope: { kind: 'family', family: 'one', minCpus: 4 }, until: hence(MINUTE), code: 'AZURE.QUOTA.FAMILY', message: '' },
      ],
      objects: { pod: [pod({ name: 'p', cpus: 3.5 })] },
    },
    wantRefused: { p: 'SCHEDULING.RESOURCES' },
  },

  'minValues keeps two sizes, so two pods take two nodes': {
    given: {
      types: growingCatalog(2),
      objects: { pod: pods(2, { cpus: 0.85 }), nodePool: [keepingSizes(2)] },
    },
    wantClaims: 2,
  },
  'minValues that nothing can meet refuses under Strict': {
    given: { types: growingCatalog(2), objects: { pod: [pod({ name: 'p', cpus: 0.5 })], nodePool: [keepingSizes(3)] } },
    wantRefused: { p: 'SCHEDULING.MIN_VALUES' },
  },
  'minValues that nothing can meet is lowered under BestEffort': {
    given: {
      types: growingCatalog(2),
      settings: { minValuesPolicy: 'BestEffort' },
      objects: { pod: [pod({ name: 'p', cpus: 0.5 })], nodePool: [keepingSizes(3)] },
    },
    wantClaims: 1,
  },
  'minValues beyond the most sizes a claim names refuses': {
    given: {
      types: growingCatalog(3),
      settings: { maxInstanceTypes: 1 },
      objects: { pod: [pod({ name: 'p', cpus: 0.5 })], nodePool: [keepingSizes(2)] },
    },
    wantRefused: { p: 'SCHEDULING.MIN_VALUES' },
  },

  'a limit already used up': {
    given: { types, objects: { pod: [pod({ name: 'p' })], nodePool: [nodePool({ limits: { cpu: 0 } })] } },
    wantRefused: { p: 'POOL.LIMIT' },
  },
  'a limit that leaves room for one small node': {
    given: { types, objects: { pod: [pod({ name: 'p' })], nodePool: [nodePool({ limits: { cpu: 2000 } })] } },
    wantSizes: ['small-instance-type'],
  },
  'a limit below what the pod needs': {
    given: { types, objects: { pod: [pod({ name: 'p', cpus: 2.1 })], nodePool: [nodePool({ limits: { cpu: 2000 } })] } },
    wantRefused: { p: 'POOL.LIMIT' },
  },
  'a limit of nodes counts claims of the same decision': {
    given: {
      types,
      objects: {
        pod: pods(3, { name: 'p', requests: { cpu: 3000, pods: 1 }, nodeSelector: { [LABEL.arch]: 'amd64' } }),
        nodePool: [nodePool({ limits: { nodes: 2 } })],
      },
    },
    wantClaims: 2,
    wantRefused: { 'p-2': 'POOL.LIMIT' },
  },

  'what daemons take makes the node larger': {
    given: { types, objects: { pod: [pod({ name: 'p' })], daemonSet: [daemonSet({ cpus: 1, memoryGib: 1 })] } },
    wantSizes: ['default-instance-type'],
  },
  'a daemon too large for every size': {
    given: { types, objects: { pod: [pod({ name: 'p' })], daemonSet: [daemonSet({ cpus: 10_000 })] } },
    wantRefused: { p: 'SCHEDULING.RESOURCES' },
  },
  'a daemon that does not tolerate the pool’s taint takes nothing': {
    given: {
      types,
      objects: {
        pod: [pod({ name: 'p', tolerations: [{ operator: 'Exists' }] })],
        daemonSet: [daemonSet({ cpus: 1, memoryGib: 1 })],
        nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })],
      },
    },
    wantSizes: ['small-instance-type'],
  },
  'a daemon whose second alternative fits a size counts there, though its first was tried elsewhere': {
    given: {
      types,
      objects: {
        pod: [pod({ name: 'p', nodeSelector: { [LABEL.arch]: 'amd64' } })],
        daemonSet: [
          daemonSet({
            cpus: 1,
            memoryGib: 1,
            requiredNodeTerms: [arch('arm64'), arch('amd64')],
          }),
        ],
      },
    },
    wantSizes: ['default-instance-type'],
  },
  'a daemon for another size takes nothing': {
    given: {
      types,
      objects: {
        pod: [pod({ name: 'p' })],
        daemonSet: [daemonSet({ cpus: 1, memoryGib: 1, nodeSelector: { [LABEL.instanceType]: 'arm-instance-type' } })],
      },
    },
    wantSizes: ['small-instance-type'],
  },

  'a pod that does not tolerate the pool’s taint': {
    given: {
      types,
      objects: { pod: [pod({ name: 'p' })], nodePool: [nodePool({ template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })] },
    },
    wantRefused: { p: 'SCHEDULING.TAINT' },
  },
  'a startup taint keeps nobody away': {
    given: {
      types,
      objects: { pod: [pod({ name: 'p' })], nodePool: [nodePool({ template: { startupTaints: [{ key: 'a', effect: 'NoSchedule' }] } })] },
    },
    wantClaims: 1,
  },
  'the heavier pool takes every pod': {
    given: {
      types,
      objects: {
        pod: pods(3),
        nodePool: [nodePool({ name: 'none' }), nodePool({ name: 'light', weight: 20 }), nodePool({ name: 'heavy', weight: 100 })],
      },
    },
    wantPools: ['heavy'],
  },
  'a pool asked for by name beats weight': {
    given: {
      types,
      objects: {
        pod: [pod({ name: 'p', nodeSelector: { [LABEL.nodePool]: 'light' } })],
        nodePool: [nodePool({ name: 'light' }), nodePool({ name: 'heavy', weight: 100 })],
      },
    },
    wantPools: ['light'],
  },
  'of equal pools the later name': {
    given: { types, objects: { pod: [pod({ name: 'p' })], nodePool: [nodePool({ name: 'a' }), nodePool({ name: 'b' })] } },
    wantPools: ['b'],
  },
  'a heavier pool at its limit leaves the rest to the next': {
    given: {
      types,
      objects: {
        pod: pods(2, { requests: { cpu: 3000, pods: 1 }, nodeSelector: { [LABEL.arch]: 'amd64' } }),
        nodePool: [nodePool({ name: 'heavy', weight: 10, limits: { nodes: 1 } }), nodePool({ name: 'light' })],
      },
    },
    wantPools: ['heavy', 'light'],
  },
  'a static pool makes nothing for pods': {
    given: { types, objects: { pod: [pod({ name: 'p' })], nodePool: [nodePool({ replicas: 2 })] } },
    wantRefused: { p: 'POOL.STATIC' },
  },
}

function sized(name: string, memoryMib: number) {
  return pod({ name, requests: { memory: memoryMib * MIB, pods: 1 } })
}

function many(count: number, memoryMib: number, name = 'p', cpus = 0.01) {
  return pods(count, { name, requests: { cpu: Math.ceil(cpus * 1000), memory: Math.round(memoryMib * MIB), pods: 1 } })
}

function priced(name: string, onDemand: number, spot: number) {
  return instanceType({
    name,
    offerings: [offering({ capacityType: 'on-demand', price: onDemand }), offering({ capacityType: 'spot', price: spot })],
  })
}

function blocked(size: string, until: ReturnType<typeof hence>) {
  return { scope: { kind: 'offering', size: vmSizeName(size) }, until, code: 'AZURE.SKU_NOT_AVAILABLE', message: '' } as const
}

function keepingSizes(minValues: number) {
  return nodePool({ template: { requirements: [{ key: LABEL.instanceType, operator: 'Exists', values: [], minValues }] } })
}

function arch(value: string) {
  return { matchExpressions: [{ key: LABEL.arch, operator: 'In' as const, values: [value] }], matchFields: [] }
}
