/** What a user reads about a pod without a place: each kind of verdict, as the Event of the pod words it. */
import { describe, expect, it } from 'vitest'
import { instanceType, offering } from '../../../../test/builders/instanceType.ts'
import { explained, FULL, HELPS, messageOf, over, STORAGE } from '../../../../test/scenarios/explained.ts'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import type { Given } from '../../../../test/scenarios/scenario.ts'
import { LABEL, type Labels } from '../../../model/labels.ts'
import type { NodeSelectorTerm } from '../../../model/pod.ts'
import { epochMs } from '../../../model/units.ts'
import type { Verdict } from './verdict.ts'
import { verdictRank } from './verdictOrder.ts'
import { codeOf, verdictText } from './verdictTable.ts'

type Said = { readonly given: Given; readonly says: string } | { readonly verdict: Verdict; readonly says: string }
type Rows = { readonly [sentence: string]: Said }

const FAMILY = 'karpenter.azure.com/sku-family'
const PLAIN_D = size('d', { labels: { [FAMILY]: 'D' } })
const GPU_NC = size('nc', { labels: { [FAMILY]: 'NC' }, capacity: { 'nvidia.com/gpu': 1 } })

const ONE_ZONE = { default: { needs: 'zone=z1' } } as const

/** A term of node affinity that asks for these labels. */
function term(labels: Labels): NodeSelectorTerm {
  return { matchExpressions: Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] })), matchFields: [] }
}

const TABLE: { readonly [Kind in Verdict['kind']]: Rows } = {
  pool: {
    'a static pool': {
      given: { pools: { default: { replicas: 3 } }, pods: { p: {} } },
      says: 'nodepool default: spec.replicas is 3: a static nodepool makes no nodes for pods; to do: raise spec.replicas, or let the pod use another nodepool (POOL.STATIC)',
    },
    'a class that is not there': {
      given: { pools: { default: { class: 'gone' } }, types: { other: [size('s', {})] }, pods: { p: {} } },
      says: 'nodepool default: aksnodeclass gone does not exist; to do: create that aksnodeclass, or correct spec.template.spec.nodeClassRef of the nodepool (NODECLASS.NOT_FOUND)',
    },
    'a pool that the pod is pinned to has no types, and others are not asked for': {
      given: { pools: { gpu: { needs: 'type=none' }, web: {} }, pods: { p: { select: 'pool=gpu' } } },
      says: 'nodepool gpu: none of the 6 sizes of the region meets node.kubernetes.io/instance-type In [none] (values that exist: arm, default, gpu-a, gpu-b, single, small); nodepool web: key karpenter.sh/nodepool, karpenter.sh/nodepool In [gpu] not in karpenter.sh/nodepool In [web]; to do: change spec.template.spec.requirements of the nodepool (POOL.NO_INSTANCE_TYPE)',
    },
    'a pool that the pod is pinned to has no types, and a taint besides': {
      given: { pools: { gpu: { needs: 'type=none', taints: 'gpu' }, web: {} }, pods: { p: { select: 'pool=gpu' } } },
      says: 'nodepool gpu: none of the 6 sizes of the region meets node.kubernetes.io/instance-type In [none] (values that exist: arm, default, gpu-a, gpu-b, single, small); nodepool web: key karpenter.sh/nodepool, karpenter.sh/nodepool In [gpu] not in karpenter.sh/nodepool In [web]; to do: change spec.template.spec.requirements of the nodepool (POOL.NO_INSTANCE_TYPE)',
    },
    'a pool that alone has the label has no types': {
      given: { pools: { gpu: { needs: 'type=none', labels: 'team=a' }, web: {} }, pods: { p: { select: 'team=a' } } },
      says: 'nodepool gpu: none of the 6 sizes of the region meets node.kubernetes.io/instance-type In [none] (values that exist: arm, default, gpu-a, gpu-b, single, small); nodepool web: label "team" does not have known values; to do: change spec.template.spec.requirements of the nodepool (POOL.NO_INSTANCE_TYPE)',
    },
  },
  claim: {
    'a claim with too many requirements': {
      given: { pools: { default: { needs: Array.from({ length: 98 }, (_, index) => `label-${index}=a`).join(', ') } }, pods: { p: {} } },
      says: 'nodepool default: the API server would refuse a nodeclaim for the pods: spec.requirements: 103 requirements, at most 100 are allowed; to do: change spec.template.spec.requirements of the nodepool, or the labels that the pods require (SCHEDULING.CLAIM_INVALID)',
    },
    'a claim that the API server refused': {
      verdict: {
        kind: 'claim',
        code: 'SCHEDULING.CLAIM_REFUSED',
        message: 'the API server refused a nodeclaim for such pods: admission webhook "policy" denied the request: no owner',
        until: epochMs(1_800_000_000_000),
      },
      says: 'the API server refused a nodeclaim for such pods: admission webhook "policy" denied the request: no owner; such a nodeclaim is tried again from 2027-01-15T08:00:00Z',
    },
  },
  noTerm: {
    'an empty term': {
      given: over({ requiredNodeTerms: [{ matchExpressions: [], matchFields: [] }] }),
      says: 'nodepool default: the required node affinity of the pod matches no node; to do: give each term of spec.affinity.nodeAffinity of the pod an expression, or remove it (SCHEDULING.REQUIREMENT)',
    },
  },
  taints: {
    'a taint': {
      given: { pools: { default: { taints: 'a=b' } }, pods: { p: {} } },
      says: 'nodepool default: untolerated taint a=b:NoSchedule; to do: add a toleration to spec.tolerations of the pod, or use a nodepool without that taint (SCHEDULING.TAINT)',
    },
    'a taint of the pool that the pod is pinned to, and others are not asked for': {
      given: { pools: { gpu: { taints: 'gpu' }, web: {} }, pods: { p: { select: 'pool=gpu' } } },
      says: 'nodepool gpu: untolerated taint gpu:NoSchedule; nodepool web: key karpenter.sh/nodepool, karpenter.sh/nodepool In [gpu] not in karpenter.sh/nodepool In [web]; to do: add a toleration to spec.tolerations of the pod, or use a nodepool without that taint (SCHEDULING.TAINT)',
    },
  },
  labels: {
    'a label nobody has': {
      given: { pods: { p: { select: 'team=a' } } },
      says: 'nodepool default: label "team" does not have known values; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)',
    },
    'a zone the pool does not allow': {
      given: { pools: ONE_ZONE, pods: { p: { select: 'zone=z2' } } },
      says: 'nodepool default: key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [z2] not in topology.kubernetes.io/zone In [z1]; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)',
    },
    'no zone at all': {
      given: { pools: ONE_ZONE, pods: { p: { select: 'zone=0' } } },
      says: 'nodepool default: key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [regional] not in topology.kubernetes.io/zone In [z1]; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)',
    },
    'wishes of the pod that contradict each other': {
      given: { pods: { p: { select: 'zone=z2', needs: 'zone=z1' } } },
      says: 'nodepool default: spec.nodeSelector and spec.affinity.nodeAffinity of the pod leave no value of topology.kubernetes.io/zone: no machine can meet both; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)',
    },
    'a label that the last of several terms asks for': {
      given: {
        settings: { placement: 'firstFit' },
        pods: { p: { asks: { cpu: 20 }, over: { requiredNodeTerms: [term({ [LABEL.zone]: 'z1' }), term({ team: 'a' })] } } },
      },
      says: 'nodepool default: label "team" does not have known values; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)',
    },
    'volumes that are elsewhere': {
      given: { ...STORAGE.inZone2, pools: ONE_ZONE, pods: { p: { mounts: 'data' } } },
      says: 'nodepool default: the volumes of the pod are elsewhere (persistentvolumeclaim default/data): key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [z2] not in topology.kubernetes.io/zone In [z1]; to do: allow the place of the volumes in spec.template.spec.requirements of the nodepool and in spec.affinity.nodeAffinity of the pod, or move a volume (SCHEDULING.VOLUME)',
    },
    'volumes where the pod may not run': {
      given: { ...STORAGE.inZone2, pods: { p: { mounts: 'data', select: 'zone=z1' } } },
      says: 'nodepool default: persistentvolumeclaim default/data cannot be used where the pod itself may run, since the pod asks for topology.kubernetes.io/zone In [z1]; to do: allow the place of the volumes in spec.template.spec.requirements of the nodepool and in spec.affinity.nodeAffinity of the pod, or move a volume (SCHEDULING.VOLUME)',
    },
  },
  sizes: {
    'a label that no size has': {
      given: { pods: { p: { select: 'cpus=3' } } },
      says: "nodepool default: none of its 6 instance types meets the pod's requirements: asked karpenter.azure.com/sku-cpu In [3] (values that exist: 2, 4, 16); to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)",
    },
    'a zone that the sizes of the pool do not have, and the region has': {
      given: {
        types: [size('a', { offerings: [sold(0.1, 'z1')] }), size('b', { offerings: [sold(0.1, 'z2')] })],
        pools: { default: { needs: 'type=a' } },
        pods: { p: { select: 'zone=z2' } },
      },
      says: "nodepool default: none of its 1 instance types meets the pod's requirements: asked topology.kubernetes.io/zone In [z2], they have z1; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)",
    },
    'an unknown zone of a region with machines without a zone': {
      given: {
        types: [size('a', { offerings: [sold(0.1, '0'), sold(0.1, 'z1'), sold(0.1, 'z2')] })],
        pods: { p: { select: 'zone=z9' } },
      },
      says: "nodepool default: none of its 1 instance types meets the pod's requirements: asked topology.kubernetes.io/zone In [z9] (zones of this region: z1, z2; machines without a zone are called regional); to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)",
    },
    'labels that no size has together': {
      given: {
        types: [size('a', { cpus: 2, memoryGib: 8 }), size('b', { cpus: 4, memoryGib: 4 })],
        pods: { p: { select: 'cpus=2 type=b' } },
      },
      says: "nodepool default: none of its 2 instance types meets the pod's requirements: asked karpenter.azure.com/sku-cpu In [2]; node.kubernetes.io/instance-type In [b], which no instance type has together; to do: change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool (SCHEDULING.REQUIREMENT)",
    },
    'volumes where no size is': {
      given: { ...STORAGE.elsewhere, pods: { p: { mounts: 'data' } } },
      says: 'nodepool default: none of its 6 instance types is where all volumes of the pod are (persistentvolumeclaim default/data) and where the pod may run: asked topology.kubernetes.io/zone In [z9] (zones of this region: z1, z2, z3); to do: allow the place of the volumes in spec.template.spec.requirements of the nodepool and in spec.affinity.nodeAffinity of the pod, or move a volume (SCHEDULING.VOLUME)',
    },
  },
  quota: {
    'the quota of what the pod asks for': {
      given: {
        types: [instanceType({ offerings: [offering({ quotaOf: 8 }), offering({ capacityType: 'spot' })] })],
        pods: { p: { select: 'capacity=on-demand' } },
      },
      says: 'nodepool default: quota in eastus leaves no room for any instance type that the nodepool allows: standardDasv6Family has 8 of 8 cores in use; raise the quota in Azure, or allow other families or capacity types (AZURE.QUOTA.FAMILY)',
    },
  },
  offering: {
    'nothing for sale there': {
      given: { pods: { p: { needs: 'zone=z3, capacity=spot' } } },
      says: 'nodepool default: none of 6 instance types can be bought now in the zones and capacity types allowed; to do: allow more zones, instance types or capacity types in spec.template.spec.requirements of the nodepool (SCHEDULING.OFFERING)',
    },
  },
  amount: {
    'too few CPUs': {
      given: { pods: { p: { asks: { cpu: 20 } } } },
      says: 'nodepool default: asked 20 cpu, the largest of 6 instance types has 15.9 left for pods, short by 4.1; to do: lower the resource requests of the pod, or allow larger instance types in spec.template.spec.requirements of the nodepool (SCHEDULING.RESOURCES)',
    },
    'too little memory': {
      given: { pods: { p: { asks: { memory: 200 } } } },
      says: 'nodepool default: asked 200Gi memory, the largest of 6 instance types has 127.99Gi left for pods, short by 72.01Gi; to do: lower the resource requests of the pod, or allow larger instance types in spec.template.spec.requirements of the nodepool (SCHEDULING.RESOURCES)',
    },
  },
  device: {
    'a GPU that the family of the pool does not have': {
      given: { types: [PLAIN_D, GPU_NC], pools: { default: { needs: `${FAMILY} in D` } }, pods: { p: { asks: { 'nvidia.com/gpu': 1 } } } },
      says: 'nodepool default: none of the 1 instance types allowed has nvidia.com/gpu; sizes of family NC have it, which karpenter.azure.com/sku-family In [D] of the nodepool leaves out; to do: allow sizes that have nvidia.com/gpu in spec.template.spec.requirements of the nodepool (SCHEDULING.RESOURCES)',
    },
    'a GPU that the family of the pod does not have': {
      given: { types: [PLAIN_D, GPU_NC], pods: { p: { asks: { 'nvidia.com/gpu': 1 }, select: `${FAMILY}=D` } } },
      says: 'nodepool default: none of the 1 instance types allowed has nvidia.com/gpu; sizes of family NC have it, which karpenter.azure.com/sku-family In [D] of the pod leaves out; to do: allow sizes that have nvidia.com/gpu in spec.nodeSelector or spec.affinity.nodeAffinity of the pod (SCHEDULING.RESOURCES)',
    },
    'a device that no size has': {
      given: { types: [PLAIN_D, GPU_NC], pods: { p: { asks: { 'example.com/fpga': 1 } } } },
      says: 'nodepool default: no size of this region has example.com/fpga; to do: correct the name example.com/fpga in spec.containers.resources of the pod, or run the pod on an existing node (SCHEDULING.RESOURCES)',
    },
  },
  disks: {
    'too few disks': {
      given: { ...STORAGE.twoDisks, types: [{ ...size('one', {}), maxDataDisks: 1 }], pods: { p: { mounts: 'one two' } } },
      says: 'nodepool default: attaches 2 volumes of disk.csi.azure.com, the largest of 1 instance types takes 1; to do: mount fewer volumes in the pod, or allow instance types that attach more disks in spec.template.spec.requirements of the nodepool (SCHEDULING.VOLUME)',
    },
  },
  atOnce: {
    'not all at once': {
      given: { types: [size('fast', { cpus: 16 }), size('big', { memoryGib: 64 })], pods: { p: { asks: { cpu: 10, memory: 30 } } } },
      says: 'nodepool default: none of 2 instance types has enough of every resource at once; to do: lower the resource requests of the pod, or allow larger instance types in spec.template.spec.requirements of the nodepool (SCHEDULING.RESOURCES)',
    },
  },
  daemons: {
    'daemons too large for every size': {
      given: { daemons: { d: { asks: { cpu: 10_000 } } }, pods: { p: {} } },
      says: 'nodepool default: the DaemonSets alone request more than any of 6 instance types has; to do: lower the requests of the DaemonSets, or allow larger instance types in spec.template.spec.requirements of the nodepool (SCHEDULING.RESOURCES)',
    },
  },
  ports: {
    'a port of a daemon': {
      given: { daemons: { d: { ports: '80' } }, pods: { p: { ports: '80' } } },
      says: 'nodepool default: a DaemonSet uses host port 80; to do: change spec.containers.ports.hostPort of the pod or of the DaemonSet (SCHEDULING.PORT)',
    },
  },
  daemonNeighbours: {
    'a daemon that it keeps away from': {
      given: { daemons: { d: {} }, pods: { p: { apart: [{ term: 'app=d over hostname', namespaces: ['kube-system'] }] } } },
      says: 'nodepool default: pod anti-affinity keeps the pod off nodes with DaemonSet kube-system/d; to do: change spec.affinity.podAntiAffinity of the pod or of the DaemonSet, or keep the DaemonSet off the nodes of the nodepool (SCHEDULING.ANTI_AFFINITY)',
    },
  },
  reservation: {
    'a reservation that is used up': {
      given: {
        types: [size('one', { cpus: 1.1, offerings: [sold(0.1, 'z1 reserved', { id: 'r', remaining: 1 })] })],
        pods: { first: { asks: { cpu: 1 } }, p: { asks: { cpu: 1 } } },
      },
      says: 'nodepool default: reservation r has no capacity left; to do: make the reservation larger, or allow other capacity types in spec.template.spec.requirements of the nodepool (SCHEDULING.RESERVATION)',
    },
  },
  limit: {
    'the limit': {
      given: { pools: { default: { limits: { cpu: 3 } } }, pods: { p: { asks: { cpu: 3 } } } },
      says: 'nodepool default: limit of cpu: 3 left, the smallest machine that fits needs 4; to do: raise spec.limits.cpu of the nodepool, or remove nodes of the nodepool (POOL.LIMIT)',
    },
    'the limit of memory': {
      given: { pools: { default: { limits: { memory: '3Gi' } } }, pods: { p: { asks: { cpu: 3 } } } },
      says: 'nodepool default: limit of memory: 3Gi left, the smallest machine that fits needs 4Gi; to do: raise spec.limits.memory of the nodepool, or remove nodes of the nodepool (POOL.LIMIT)',
    },
  },
  minValues: {
    'least numbers of values': {
      given: { pools: { default: { needs: 'type exists min 3' } }, pods: { p: { asks: { cpu: 10 } } } },
      says: 'nodepool default: minValues of node.kubernetes.io/instance-type is 3, the instance types that fit have 1; to do: lower minValues of node.kubernetes.io/instance-type in spec.template.spec.requirements of the nodepool, or allow more values (SCHEDULING.MIN_VALUES)',
    },
  },
  neighbours: {
    'a spread, whose reason is the zone with none': {
      given: {
        nodes: { n1: { ...FULL, labels: 'zone=z1' }, n2: { ...FULL, labels: 'zone=z2' } },
        pods: {
          'old-1': { on: 'n1', labels: 'app=p' },
          'old-2': { on: 'n2', labels: 'app=p' },
          p: { spread: [{ over: 'zone', affinity: 'Ignore' }], select: 'zone=z1' },
        },
      },
      says: 'nodepool default: topology spread of pods app=p over topology.kubernetes.io/zone with maxSkew 1: does not allow z1 (pods counted: z3: 0, z1: 1, z2: 1); to do: allow more domains, or raise maxSkew in spec.topologySpreadConstraints of the pod (SCHEDULING.SPREAD)',
    },
    'a spread over more zones than there are': {
      given: {
        pools: ONE_ZONE,
        nodes: { n1: FULL },
        pods: { old: { on: 'n1', labels: 'app=p' }, p: { spread: [{ over: 'zone', minDomains: 2 }] } },
      },
      says: 'nodepool default: topology spread of pods app=p over topology.kubernetes.io/zone with maxSkew 1 and minDomains 2: does not allow z1 (pods counted: z1: 1; fewer domains than 2, so the least count is 0); to do: allow more domains, or raise maxSkew in spec.topologySpreadConstraints of the pod (SCHEDULING.SPREAD)',
    },
    'nobody to be near': {
      given: { pods: { p: { near: 'app=db over zone' } } },
      says: 'nodepool default: pod affinity to pods app=db in namespace default over topology.kubernetes.io/zone: does not allow z1, z2, z3 (no such pod runs anywhere); to do: run such a pod where this pod may run, or loosen spec.affinity.podAffinity of the pod (SCHEDULING.AFFINITY)',
    },
    'the machine to be on is full': {
      given: { nodes: { n1: FULL, n2: {} }, pods: { db: { on: 'n1' }, p: { near: 'app=db over hostname' } } },
      says: 'nodepool default: pod affinity to pods app=db in namespace default over kubernetes.io/hostname allows only nodes with such pods: node joiner-n1: asked 1 pods, it has 0 left for pods, short by 1; to do: make room on these nodes, or loosen spec.affinity.podAffinity of the pod (SCHEDULING.AFFINITY)',
    },
    'the zone of the term that is tried second': {
      given: {
        types: [size('small', { offerings: [sold(0.1, 'z1'), sold(0.1, 'z2')] }), size('large', { cpus: 8, offerings: [sold(0.4, 'z3')] })],
        nodes: { n1: FULL },
        pods: {
          db: { on: 'n1' },
          p: {
            near: 'app=db over zone',
            asks: { cpu: 4 },
            over: {
              requiredNodeTerms: [term({ [LABEL.instanceType]: 'small' }), term({ [LABEL.instanceType]: 'large', [LABEL.zone]: 'z3' })],
            },
          },
        },
      },
      says: 'nodepool default: pod affinity to pods app=db in namespace default over topology.kubernetes.io/zone: does not allow z3 (pods counted: z1: 1); to do: run such a pod where this pod may run, or loosen spec.affinity.podAffinity of the pod (SCHEDULING.AFFINITY)',
    },
    'somebody to keep away from': {
      given: { pools: ONE_ZONE, nodes: { n1: FULL }, pods: { db: { on: 'n1' }, p: { apart: 'app=db over zone' } } },
      says: 'nodepool default: pod anti-affinity to pods app=db in namespace default over topology.kubernetes.io/zone: does not allow z1 (pods counted: z1: 1); to do: allow more domains, or loosen spec.affinity.podAntiAffinity of the pod (SCHEDULING.ANTI_AFFINITY)',
    },
    'somebody who keeps away': {
      given: { pools: ONE_ZONE, nodes: { n1: FULL }, pods: { db: { on: 'n1', apart: 'app=p over zone' }, p: {} } },
      says: 'nodepool default: anti-affinity of other pods to pods app=p in namespace default over topology.kubernetes.io/zone: does not allow z1 (pods counted: z1: 1); to do: allow more domains, or loosen spec.affinity.podAntiAffinity of the other pods (SCHEDULING.ANTI_AFFINITY)',
    },
  },
  neighboursTogether: {
    'two rules that leave each other nothing': {
      given: { nodes: { n1: FULL }, pods: { db: { on: 'n1' }, p: { near: 'app=db over zone', apart: 'app=db over zone' } } },
      says: 'nodepool default: no topology.kubernetes.io/zone meets all rules about other pods: pod affinity to pods app=db in namespace default allows z1, pod anti-affinity to pods app=db in namespace default allows z2, z3; to do: loosen one of these rules in spec.affinity or spec.topologySpreadConstraints of the pod (SCHEDULING.AFFINITY)',
    },
  },
  neighboursLeave: {
    'no size that is large enough where it has to be near': {
      given: {
        types: [size('small', { cpus: 2, offerings: [sold(0.1, 'z1')] }), size('large', { cpus: 8, offerings: [sold(0.4, 'z2')] })],
        nodes: { n1: FULL },
        pods: { db: { on: 'n1' }, p: { near: 'app=db over zone', asks: { cpu: 4 } } },
      },
      says: 'nodepool default: rules about other pods allow only topology.kubernetes.io/zone z1: asked 4 cpu, the largest of 1 instance types has 1.9 left for pods, short by 2.1; to do: lower the resource requests of the pod, or allow larger instance types in spec.template.spec.requirements of the nodepool (SCHEDULING.RESOURCES)',
    },
  },
  noRoom: {
    'room that went to others': { verdict: { kind: 'noRoom' }, says: 'other pods of this decision take the room' },
  },
}

for (const [kind, rows] of Object.entries(TABLE)) {
  describe(`a refusal of kind ${kind} says`, () => {
    for (const [sentence, row] of Object.entries(rows)) {
      it(sentence, () => {
        if ('verdict' in row) return expect(verdictText(row.verdict)).toBe(row.says)
        const message = messageOf(row.given)
        expect(message).toBe(`Failed to schedule pod, ${row.says}`)
        expect(message).toMatch(HELPS)
        expect(message).not.toMatch(/zone 0|In \[0|undefined|new machine \d/)
        expect(kindsOf(row.given)).toContain(kind)
      })
    }
  })
}

it('every kind of refusal has a world or a verdict that is rendered', () => {
  expect(Object.entries(TABLE).flatMap(([kind, rows]) => (Object.keys(rows).length === 0 ? [kind] : []))).toEqual([])
})

it('every verdict has its place among the most telling', () => {
  const verdicts = Object.values(TABLE).flatMap((rows) =>
    Object.values<Said>(rows).flatMap((row) => ('given' in row ? verdictsOf(row.given) : [row.verdict])),
  )
  expect(verdicts.filter((verdict) => verdictRank(verdict) < 0).map(codeOf)).toEqual([])
})

function verdictsOf(given: Given): readonly Verdict[] {
  const found = explained({ given, want: {} })
  return found.kind === 'refused' ? found.pools.map(({ verdict }) => verdict) : []
}

function kindsOf(given: Given): readonly string[] {
  return verdictsOf(given).map(({ kind }) => kind)
}
