/** What a user reads who asks the app why a pod or a machine is as it is: the exact lines. */
import { describe, expect, it } from 'vitest'
import type { ClusterObjects } from '../shared/adapters/memory/clusterObjects.ts'
import { createMemoryShim } from '../shared/adapters/memory/memoryShim.ts'
import { createVirtualClock } from '../shared/adapters/memory/virtualClock.ts'
import { OBJECT_KINDS, type ObjectByKind, type ObjectKind } from '../shared/model/clusterObjects.ts'
import { ANNOTATION } from '../shared/model/labels.ts'
import { hence, MINUTE } from '../test/builders/clock.ts'
import { DAEMON_SET, NODE_OWNER } from '../test/builders/pod.ts'
import { DEFAULT, size, sold } from '../test/scenarios/fixtureTypes.ts'
import { worldOf } from '../test/scenarios/givenWorld.ts'
import type { Given, PodGiven } from '../test/scenarios/scenario.ts'
import { createTestApp } from './testing/testApp.ts'

const NEVER = new AbortController().signal

/** The answer to `pods/default/p` or `nodeclaims/n1` in the world, twelve minutes after it was made. */
async function answered({ given, deadline }: Row, about: 'pod' | 'nodeclaim'): Promise<readonly string[]> {
  const { objects, instanceTypes } = worldOf(given).snapshot
  const app = createTestApp({ clock: createVirtualClock(hence(12 * MINUTE)), instanceTypes: [...instanceTypes.values()][0] ?? DEFAULT })
  const world = app.worlds.alpha
  for (const kind of OBJECT_KINDS) putAll(world.objects, kind, objects[kind])
  for (const claim of objects.nodeClaim) {
    const annotations = deadline === undefined ? claim.meta.annotations : { [ANNOTATION.terminationTimestamp]: deadline }
    world.objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, annotations } })
  }
  await world.ports.log.append(createMemoryShim(world, 1).snapshot(), NEVER)
  const params = about === 'pod' ? { kind: 'pods', first: 'default', second: 'p' } : { kind: 'nodeclaims', first: 'n1' }
  const call = { cluster: 'alpha', authorization: 'Bearer reader-a', headers: { accept: 'text/plain' }, params }
  const { body } = await app.request('explain', call)
  return String(body)
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/\bdefault-[a-z0-9]{5}\b/g, 'default-*****'))
}

function putAll<Kind extends ObjectKind>(to: ClusterObjects, kind: Kind, all: readonly ObjectByKind[Kind][]): void {
  for (const each of all) to.put(kind, each)
}

const GOING = { n1: { deleting: true, room: { pods: 3 } } } as const
const HELD = { web: { of: 'app=p', maxUnavailable: '0', disruptionsAllowed: 0 } } as const

/** `deadline`: when the claims end in any case. `pod`, `nodeclaim`: the first lines of the answer about `p` and `n1`. */
type Row = { readonly given: Given; readonly deadline?: string; readonly pod?: readonly string[]; readonly nodeclaim?: readonly string[] }
type Table = { readonly [sentence: string]: Row }

const SINCE = 'since 2026-01-01T00:00:00Z, 12m ago'
const HERE = `pod default/p runs on node joiner-n1, which is being removed ${SINCE}: the pod was pending when the nodeclaim was created`
const CLAIM = `nodeclaim n1 of nodepool default: being removed ${SINCE}, node joiner-n1`
const MACHINE = ['  machine: default on-demand in zone z1, $0.80/h', '  pods: 1 running']
const TO_N2 = 'pod default/p goes to node joiner-n2 (nodeclaim n2), which is up: it has room, and room on existing nodes costs nothing'

const OF_A_REMOVED_NODE: Table = {
  'that a budget holds': {
    given: { nodes: { ...GOING, n2: {} }, pods: { p: { on: 'n1' } }, budgets: HELD },
    pod: [
      HERE,
      '  held on the node by poddisruptionbudget default/web, which allows no disruption now',
      '  to do: run more ready replicas, or allow a disruption in spec of the poddisruptionbudget',
      `  when nothing holds it any more: ${TO_N2}`,
      `  ${CLAIM}`,
    ],
    nodeclaim: [CLAIM, ...MACHINE, '  pod default/p held by poddisruptionbudget default/web, which allows no disruption now'],
  },
  'that two budgets hold': {
    given: { nodes: { ...GOING, n2: {} }, pods: { p: { on: 'n1' } }, budgets: { ...HELD, too: { of: 'app=p', disruptionsAllowed: 1 } } },
    pod: [
      HERE,
      '  held on the node by poddisruptionbudget default/too, one of several that select the pod: Kubernetes evicts no pod with several',
      '  held on the node by poddisruptionbudget default/web, one of several that select the pod: Kubernetes evicts no pod with several',
      '  to do: leave one poddisruptionbudget that selects the pod',
      `  when nothing holds it any more: ${TO_N2}`,
    ],
  },
  'that its annotation holds, with a deadline': {
    given: {
      nodes: { ...GOING, n2: {} },
      pods: { p: { on: 'n1', over: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } } },
    },
    deadline: '2026-01-01T01:00:00Z',
    pod: [
      HERE,
      '  held on the node by annotation karpenter.sh/do-not-disrupt of the pod',
      '  by 2026-01-01T01:00:00Z the pods are deleted, whatever holds them',
      '  to do: remove the annotation when the pod may be interrupted',
      `  when nothing holds it any more: ${TO_N2}`,
    ],
    nodeclaim: [
      CLAIM,
      ...MACHINE,
      '  pod default/p held by annotation karpenter.sh/do-not-disrupt of the pod',
      '  by 2026-01-01T01:00:00Z the pods are deleted, whatever holds them',
    ],
  },
  'that nothing holds': {
    given: { nodes: { ...GOING, n2: {} }, pods: { p: { on: 'n1' } } },
    pod: [HERE, `  when it is evicted: ${TO_N2}`],
    nodeclaim: [CLAIM, ...MACHINE, '  waits for pod default/p, which nothing holds'],
  },
  'of a DaemonSet': {
    given: { nodes: GOING, pods: { p: { on: 'n1', owner: DAEMON_SET } } },
    pod: [
      HERE,
      '  the pod is evicted after the other pods of the node, and goes to no other node: it belongs to a DaemonSet',
      `  ${CLAIM}`,
    ],
  },
  'that is static': {
    given: { nodes: GOING, pods: { p: { on: 'n1', owner: NODE_OWNER } } },
    pod: [HERE, '  the pod is not evicted: it ends with the node', `  ${CLAIM}`],
    nodeclaim: [CLAIM, ...MACHINE, '  no pod has to leave any more'],
  },
  'that is ending': {
    given: { nodes: GOING, pods: { p: { on: 'n1', over: { deletedAt: hence(12 * MINUTE) } } } },
    pod: [HERE, '  the pod is ending, and goes to no other node', `  ${CLAIM}`],
  },
}

const OF_A_WAITING_POD: Table = {
  'a volume claim that is missing': {
    given: untried({ mounts: 'data' }),
    pod: [
      'pod default/p cannot be placed (POD.VOLUME): persistentvolumeclaim default/data does not exist; to do: correct that persistentvolumeclaim, its storage class or its volume',
    ],
  },
  'another scheduler': {
    given: untried({ over: { schedulerName: 'volcano' } }),
    pod: [
      'pod default/p gets no new node (POD.NOT_PROVISIONABLE): scheduler volcano (spec.schedulerName) places the pod, and has not refused it; to do: check that this scheduler runs, or remove spec.schedulerName',
    ],
  },
  'resource claims': {
    given: untried({ over: { resourceClaims: ['one-gpu'] } }),
    pod: [
      'pod default/p cannot be placed (POD.UNSUPPORTED_RESOURCE_CLAIM): spec.resourceClaims (one-gpu) is not supported; to do: remove spec.resourceClaims, or run the pod on an existing node',
    ],
  },
  'kube-scheduler alone': {
    given: untried({}),
    pod: [
      'pod default/p gets no new node (POD.NOT_PROVISIONABLE): kube-scheduler has not reported that the pod fits on no node; to do: if this stays for more than a minute, check that kube-scheduler runs',
    ],
  },
}

const FAMILY = 'karpenter.azure.com/sku-family'
const D = size('d', { labels: { [FAMILY]: 'D' }, offerings: [sold(0.2, '0'), sold(0.3, 'z1'), sold(0.3, 'z2')] })
const NC = size('nc', { cpus: 8, labels: { [FAMILY]: 'NC' }, capacity: { 'nvidia.com/gpu': 1 }, offerings: [sold(0.9, 'z1')] })
const TO_DO_LABELS =
  'change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool'

const OF_A_NODEPOOL: Table = {
  'that allows no size with a GPU': {
    given: { types: [D, NC], pools: { default: { needs: `${FAMILY} in D` } }, pods: { p: { asks: { 'nvidia.com/gpu': 1 } } } },
    pod: [
      'pod default/p cannot be placed (SCHEDULING.RESOURCES)',
      '  nodepool default: none of the 1 instance types allowed has nvidia.com/gpu; sizes of family NC have it, which karpenter.azure.com/sku-family In [D] of the nodepool leaves out',
      '  to do: allow sizes that have nvidia.com/gpu in spec.template.spec.requirements of the nodepool',
    ],
  },
  'of a region without the zone that the pod asks for': {
    given: { types: [D], pods: { p: { select: 'zone=z9' } } },
    pod: [
      'pod default/p cannot be placed (SCHEDULING.REQUIREMENT)',
      "  nodepool default: none of its 1 instance types meets the pod's requirements: asked topology.kubernetes.io/zone In [z9] (zones of this region: z1, z2; machines without a zone are called regional)",
      `  to do: ${TO_DO_LABELS}`,
    ],
  },
  'for a label with a typing error': {
    given: { pods: { p: { select: 'karpenter.azure.com/sku-famly=D' } } },
    pod: [
      'pod default/p cannot be placed (POD.INVALID): requirement on "karpenter.azure.com/sku-famly": the label is restricted (did you mean karpenter.azure.com/sku-family?); use a label of your own domain, or a well-known label of docs/reference.md; to do: correct spec.nodeSelector or spec.affinity.nodeAffinity of the pod',
    ],
  },
  'whose requirements no size meets': {
    given: { types: [D, NC], pools: { default: { needs: 'cpus=3' } }, pods: { p: {} } },
    pod: [
      'pod default/p cannot be placed (POOL.NOT_READY)',
      '  nodepool default: it is not ready: ValidationSucceeded=False: none of the 2 sizes of the region meets karpenter.azure.com/sku-cpu In [3] (values that exist: 4, 8); to do: change spec.template.spec.requirements of the nodepool',
    ],
  },
  'that makes a machine without a zone, beside smaller sizes': {
    given: {
      types: [1, 2, 3].map((at) => size(`s${at}`, { cpus: 1, offerings: [sold(at / 100, '0 spot'), sold(at / 50, '0')] })).concat(NC),
      pods: { p: { asks: { cpu: 3 } } },
    },
    pod: [
      'pod default/p gets a new node',
      '  nodeclaim default-***** of nodepool default, for one pod',
      '  machine: nc on-demand in zone z1, $0.90/h, the cheapest of 1 instance type that fit',
      '  cheaper, but not taken:',
      '    s1 spot, any zone, $0.01/h and 2 more sizes of nodepool default: asked 3 cpu, it has 0.9 left for pods, short by 2.1',
    ],
  },
  'that makes a machine for a buffer as well': {
    given: { pods: { p: {} }, templates: { shape: {} }, buffers: { spare: { template: 'shape', replicas: 3 } } },
    pod: [
      'pod default/p gets a new node',
      '  nodeclaim default-***** of nodepool default, for one pod and the buffer default/spare (3 of 3 pods)',
    ],
  },
}

/** A pod that kube-scheduler has not marked as unschedulable. */
function untried(given: PodGiven): Given {
  return { pods: { p: { ...given, untried: true } } }
}

for (const [about, table] of Object.entries({
  'a pod on a node that is being removed:': OF_A_REMOVED_NODE,
  'a pod that waits for': OF_A_WAITING_POD,
  'the answer of a nodepool': OF_A_NODEPOOL,
})) {
  describe(about, () => {
    for (const [sentence, row] of Object.entries(table)) {
      it(sentence, async () => {
        for (const kind of ['pod', 'nodeclaim'] as const) {
          const lines = row[kind]
          if (lines !== undefined) expect((await answered(row, kind)).slice(0, lines.length)).toEqual(lines)
        }
      })
    }
  })
}
