/** Which pods get a place and where: labels, operators, instance types. Groups 37.2 to 37.7 and 37.15 of the catalogue. */
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Operator, RequirementSpec } from '../../shared/model/requirement.ts'
import { condition } from '../builders/condition.ts'
import { type NodePoolShape, nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import type { SnapshotShape } from '../builders/snapshot.ts'
import { fakeCatalog, growingCatalog } from './fakeCatalog.ts'
import type { Scenarios } from './scenario.ts'

const CPU_LABEL = 'karpenter.azure.com/sku-cpu'
const TEAM = 'test-key'

function wanting(key: string, operator: Operator, ...values: string[]): RequirementSpec {
  return { key, operator, values }
}

/** One alternative with these expressions. */
function affinity(...alternatives: readonly RequirementSpec[][]): Pick<Pod, 'requiredNodeTerms'> {
  return { requiredNodeTerms: alternatives.map((matchExpressions) => ({ matchExpressions, matchFields: [] })) }
}

function given(pods: readonly PodShape[], pool: NodePoolShape = {}, types = fakeCatalog()): SnapshotShape {
  return { types, objects: { pod: pods.map((shape, index) => pod({ name: `p${index}`, ...shape })), nodePool: [nodePool(pool)] } }
}

const teamPool: NodePoolShape = { template: { labels: { [TEAM]: 'test-value' } } }

export const PLACEMENT: Scenarios = {
  'a label of the pool is on the node': { given: given([{}], teamPool), wantClaims: 1, wantLabels: label(TEAM, 'test-value') },
  'another value of the label than the pool has': {
    given: given([{ nodeSelector: { [TEAM]: 'other' } }], teamPool),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'a label the pool does not have': { given: given([{ nodeSelector: { [TEAM]: 'x' } }]), wantRefused: { p0: 'SCHEDULING.REQUIREMENT' } },
  'one of the values is the pool’s': { given: given([affinity([wanting(TEAM, 'In', 'test-value', 'other')])], teamPool), wantClaims: 1 },
  'none of the values is the pool’s': {
    given: given([affinity([wanting(TEAM, 'In', 'other')])], teamPool),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },

  'the pool is limited to a zone': {
    given: given([{}], { template: { requirements: [wanting(LABEL.zone, 'In', 'test-zone-2')] } }),
    wantZones: ['test-zone-2'],
  },
  'the pod selects a zone': {
    given: given([{ nodeSelector: { [LABEL.zone]: 'test-zone-2' } }], {
      template: { requirements: [wanting(LABEL.zone, 'In', 'test-zone-1', 'test-zone-2')] },
    }),
    wantZones: ['test-zone-2'],
  },
  'the pod selects a zone by its old name': {
    given: given([{ nodeSelector: { 'failure-domain.beta.kubernetes.io/zone': 'test-zone-3' } }]),
    wantZones: ['test-zone-3'],
    wantCapacityType: 'on-demand',
  },
  'the pod selects a host': { given: given([{ nodeSelector: { [LABEL.hostname]: 'x' } }]), wantRefused: { p0: 'POD.INVALID' } },
  'the pod selects a label of ours': {
    given: given([{ nodeSelector: { 'karpenter.sh/registered': 'true' } }]),
    wantRefused: { p0: 'POD.INVALID' },
  },
  'a zone that does not exist': {
    given: given([{ nodeSelector: { [LABEL.zone]: 'nowhere' } }]),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'a zone outside the pool': {
    given: given([{ nodeSelector: { [LABEL.zone]: 'test-zone-3' } }], {
      template: { requirements: [wanting(LABEL.zone, 'In', 'test-zone-1')] },
    }),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'not in two of the zones': {
    given: given([affinity([wanting(LABEL.zone, 'NotIn', 'test-zone-1', 'test-zone-2', 'unknown')])]),
    wantZones: ['test-zone-3'],
  },
  'not in any of the zones': {
    given: given([affinity([wanting(LABEL.zone, 'NotIn', 'test-zone-1', 'test-zone-2', 'test-zone-3')])]),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'more CPUs than a number': { given: given([affinity([wanting(CPU_LABEL, 'Gt', '8')])]), wantSizes: ['arm-instance-type'] },
  'fewer CPUs than a number': { given: given([affinity([wanting(CPU_LABEL, 'Lt', '4')])]), wantSizes: ['small-instance-type'] },
  'spot in a zone without spot': {
    given: given([{ nodeSelector: { [LABEL.zone]: 'test-zone-3', [LABEL.capacityType]: 'spot' } }]),
    wantRefused: { p0: 'SCHEDULING.OFFERING' },
  },

  'the pool is not ready': {
    given: given([{}], { status: { conditions: [condition('Ready', { status: 'False', message: 'no class' })], resources: {} } }),
    wantRefused: { p0: 'POOL.NOT_READY' },
    wantMessage: 'no class',
  },
  'no pool at all': { given: { objects: { pod: [pod({ name: 'p0' })], nodePool: [] } }, wantRefused: { p0: 'POOL.NONE' } },
  'undefined key, NotIn': { given: given([affinity([wanting(TEAM, 'NotIn', 'x')])]), wantClaims: 1 },
  'undefined key, Exists': { given: given([affinity([wanting(TEAM, 'Exists')])]), wantRefused: { p0: 'SCHEDULING.REQUIREMENT' } },
  'undefined key, DoesNotExist': { given: given([affinity([wanting(TEAM, 'DoesNotExist')])]), wantClaims: 1 },
  'defined key, NotIn its value': {
    given: given([affinity([wanting(TEAM, 'NotIn', 'test-value')])], teamPool),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'defined key, Exists': { given: given([affinity([wanting(TEAM, 'Exists')])], teamPool), wantClaims: 1 },
  'defined key, DoesNotExist': {
    given: given([affinity([wanting(TEAM, 'DoesNotExist')])], teamPool),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'two pods share the value both allow': {
    given: given([affinity([wanting(TEAM, 'In', 'a', 'b')]), affinity([wanting(TEAM, 'In', 'b', 'c')])], {
      template: { requirements: [wanting(TEAM, 'In', 'a', 'b', 'c')] },
    }),
    wantClaims: 1,
    wantLabels: label(TEAM, 'b'),
  },
  'two pods with no common value': {
    given: given([affinity([wanting(TEAM, 'In', 'a')]), affinity([wanting(TEAM, 'In', 'c')])], {
      template: { requirements: [wanting(TEAM, 'In', 'a', 'b', 'c')] },
    }),
    wantClaims: 2,
  },
  'a pod without the label does not lend it to one that asks for it': {
    given: given([affinity([wanting(TEAM, 'NotIn', 'x')]), affinity([wanting(TEAM, 'In', 'a')])]),
    wantRefused: { p1: 'SCHEDULING.REQUIREMENT' },
  },

  'the third of four alternatives can be met': {
    given: given([
      affinity(
        [wanting(LABEL.zone, 'In', 'nowhere')],
        [wanting(LABEL.arch, 'In', 'riscv')],
        [wanting(LABEL.zone, 'In', 'test-zone-1')],
        [wanting(LABEL.zone, 'In', 'test-zone-2')],
      ),
    ]),
    wantZones: ['test-zone-1'],
  },
  'the only alternative cannot be met': {
    given: given([affinity([wanting(LABEL.zone, 'In', 'nowhere')])]),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'an alternative without expressions matches nothing': { given: given([affinity([])]), wantRefused: { p0: 'SCHEDULING.REQUIREMENT' } },

  'a pod larger than any size': {
    given: given([{ cpus: 512 }]),
    wantRefused: { p0: 'SCHEDULING.RESOURCES' },
    wantMessage: 'asked 512 cpu, the largest of 6 instance types has 15900m left for pods, short by 496100m',
  },
  'two architectures': {
    given: given([{ nodeSelector: { [LABEL.arch]: 'amd64' } }, { nodeSelector: { [LABEL.arch]: 'arm64' } }]),
    wantSizes: ['arm-instance-type', 'small-instance-type'],
  },
  'an architecture against the size asked for': {
    given: given([affinity([wanting(LABEL.instanceType, 'In', 'arm-instance-type')])], {
      template: { requirements: [wanting(LABEL.arch, 'In', 'amd64')] },
    }),
    wantRefused: { p0: 'SCHEDULING.REQUIREMENT' },
  },
  'only the other architecture is large enough': {
    given: given([{ cpus: 14 }], { template: { requirements: [wanting(LABEL.arch, 'In', 'amd64')] } }),
    wantRefused: { p0: 'SCHEDULING.RESOURCES' },
  },
  'two sizes asked for, one by its old name': {
    given: given([
      { nodeSelector: { 'beta.kubernetes.io/instance-type': 'small-instance-type' } },
      { nodeSelector: { [LABEL.instanceType]: 'default-instance-type' } },
    ]),
    wantSizes: ['default-instance-type', 'small-instance-type'],
  },
  'accelerators of two vendors': {
    given: given([asking('vendor-a.example/gpu'), asking('vendor-b.example/gpu')]),
    wantSizes: ['gpu-vendor-b-instance-type', 'gpu-vendor-instance-type'],
  },
  'accelerators of two vendors in one pod': {
    given: given([{ requests: { cpu: 100, pods: 1, 'vendor-a.example/gpu': 1, 'vendor-b.example/gpu': 1 } }]),
    wantRefused: { p0: 'SCHEDULING.RESOURCES' },
  },
  'none of a resource nobody has': { given: given([{ requests: { cpu: 100, pods: 1, 'unknown.example/thing': 0 } }]), wantClaims: 1 },

  'a size that does not exist': {
    given: given([{}], { template: { requirements: [wanting(LABEL.instanceType, 'In', 'none')] } }),
    wantRefused: { p0: 'POOL.NO_INSTANCE_TYPE' },
    wantMessage: 'requirements filtered out all available instance types',
  },
  'two architectures at once': {
    given: given([{}], { template: { requirements: [wanting(LABEL.arch, 'In', 'amd64'), wanting(LABEL.arch, 'In', 'arm64')] } }),
    wantRefused: { p0: 'POOL.NO_INSTANCE_TYPE' },
  },
  'zones that do not exist': {
    given: given([{}], { template: { requirements: [wanting(LABEL.zone, 'In', 'nowhere')] } }),
    wantRefused: { p0: 'POOL.NO_INSTANCE_TYPE' },
  },
  'two pods of sizes that suit them': {
    given: given([{ cpus: 4.5 }, { cpus: 0.8, nodeSelector: { [LABEL.zone]: 'test-zone-1' } }], {}, growingCatalog(6)),
    wantSizes: ['fake-it-5'],
  },
}

function label(key: string, value: string) {
  return { [key]: value }
}

function asking(resource: string): PodShape {
  return { requests: { cpu: 100, pods: 1, [resource]: 1 } }
}
