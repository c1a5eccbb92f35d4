import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { nodeName } from '../../shared/model/ids.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { type DurationMs, durationMs, epochMs } from '../../shared/model/units.ts'
import { condition } from '../../test/builders/condition.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../test/builders/nodeClaim.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { DAEMON_SET, pod, REPLICA_SET } from '../../test/builders/pod.ts'
import { type ChangeTracker, createChangeTracker } from '../sync/changeTracker.ts'
import { DELETED } from '../sync/reducedVersion.ts'
import { metricsText } from './metricsText.ts'
import type { SeenValue } from './readSeen.ts'
import { createSeenObjects, type SeenObjects } from './seenObjects.ts'
import { SERVED_METRICS, type ServedMetric } from './servedMetrics.ts'

const START = epochMs(1_000)
const NODE = nodeNameOf('default-a')

type Tracked = SeenObjects & { readonly tracker: ChangeTracker }

/** What is seen, behind a tracker that is told first. */
function createSeenWithTracker(): Tracked {
  const tracker = createChangeTracker({ now: () => START, onUnsent: () => {} })
  const seen = createSeenObjects(START, tracker.rowsOf('pod'))
  let versions = 0
  return {
    ...seen,
    tracker,
    note<Kind extends ObjectKind>(kind: Kind, key: string, value: SeenValue<Kind> | undefined) {
      tracker.see(kind, key, value === undefined ? DELETED : { op: 'put', fingerprint: ++versions, text: '"object":{}', pending: false })
      seen.note(kind, key, value)
    },
  }
}

const samplesOf = (seen: SeenObjects): readonly string[] =>
  [...metricsText(seen)]
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
const valueOf = (seen: SeenObjects, name: string, ...labels: readonly string[]): number | undefined => {
  const line = samplesOf(seen).find((each) => each.startsWith(`${name}{`) && labels.every((label) => each.includes(label)))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
}

/** A pool with a limit, one node and three pods: two on the node, one of them of a DaemonSet. */
function someObjects(): SeenObjects {
  const seen = createSeenWithTracker()
  seen.note(
    'nodePool',
    'default',
    nodePool({ limits: { cpu: 100_000, nodes: 5 }, status: { conditions: [], resources: { cpu: 3_500, memory: 2 ** 30 } } }),
  )
  seen.note('node', NODE, node({ claim: 'default-a' }))
  seen.note('pod', 'default/web', pod({ name: 'web', nodeName: NODE, cpus: 0.5 }))
  seen.note('pod', 'default/agent', pod({ name: 'agent', nodeName: NODE, cpus: 0.25, owner: DAEMON_SET }))
  seen.note('pod', 'default/new', pod({ name: 'new' }))
  return seen
}

describe('the metrics of Karpenter', () => {
  it('are those of the contract, with all labels in their order, and with a type each', () => {
    const seen = someObjects()
    seen.note('nodeClaim', 'default-a', nodeClaim({ name: 'default-a', meta: { createdAt: START } }))
    const deleting = nodeClaim({
      name: 'default-a',
      meta: { deletedAt: START },
      status: { conditions: [condition('DisruptionReason', { reason: 'SpotInterrupted' })] },
    })
    seen.note('nodeClaim', 'default-a', deleting)
    seen.note('nodeClaim', 'default-a', undefined)
    const shown = new Map(
      samplesOf(seen).map((line) => [line.split('{')[0] ?? '', [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label)]),
    )
    expect([...shown.keys()].sort()).toEqual(Object.keys(SERVED_METRICS).sort())
    for (const [name, { labels }] of Object.entries<ServedMetric>(SERVED_METRICS)) expect([name, shown.get(name)]).toEqual([name, labels])
    const types = [...[...metricsText(seen)].join('').matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type])
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(Object.entries(SERVED_METRICS).map(([name, { type }]) => [name, type])))
  })

  it('have cores and bytes as units', () => {
    const seen = someObjects()
    expect(valueOf(seen, 'karpenter_nodepools_usage', 'resource_type="cpu"')).toBe(3.5)
    expect(valueOf(seen, 'karpenter_nodepools_usage', 'resource_type="memory"')).toBe(2 ** 30)
    expect(valueOf(seen, 'karpenter_nodepools_limit', 'resource_type="cpu"')).toBe(100)
    expect(valueOf(seen, 'karpenter_nodepools_limit', 'resource_type="nodes"')).toBe(5)
    expect(valueOf(seen, 'karpenter_nodes_total_pod_requests', `node_name="${NODE}"`, 'resource_type="cpu"')).toBe(0.5)
    expect(valueOf(seen, 'karpenter_nodes_total_daemon_requests', `node_name="${NODE}"`, 'resource_type="cpu"')).toBe(0.25)
  })

  it('place a pod by its node', () => {
    const seen = someObjects()
    expect(valueOf(seen, 'karpenter_pods_state', 'name="web"', 'scheduled="true"', 'managed="true"', 'nodepool="default"')).toBe(1)
    const owner = 'owner="/apis/apps/v1/namespaces/default/daemonsets/'
    expect(valueOf(seen, 'karpenter_pods_state', 'name="agent"', owner)).toBe(1)
    expect(valueOf(seen, 'karpenter_pods_state', 'name="new"', 'scheduled="false"', 'node=""', 'zone="N/A"')).toBe(1)
    seen.note('pod', 'default/web', undefined)
    expect(valueOf(seen, 'karpenter_pods_state', 'name="web"')).toBeUndefined()
  })

  it('count NodeClaims that come and go while the replica leads, and no others', () => {
    const seen = createSeenWithTracker()
    const old = nodeClaim({ name: 'old', meta: { createdAt: epochMs(0) } })
    const drifted = nodeClaim({ name: 'new', meta: { createdAt: START, annotations: { [ANNOTATION.replacesDrifted]: 'x' } } })
    for (const claim of [old, drifted, drifted]) seen.note('nodeClaim', claim.name, claim)
    expect(valueOf(seen, 'karpenter_nodeclaims_created_total', 'reason="drifted"')).toBe(1)
    expect(valueOf(seen, 'karpenter_nodeclaims_created_total', 'reason="provisioned"')).toBeUndefined()
    seen.keepOnly((_, key) => key !== 'old')
    seen.keepOnly((_, key) => key !== 'old')
    expect(valueOf(seen, 'karpenter_nodeclaims_terminated_total', 'nodepool="default"')).toBe(1)
  })

  const ENDS: readonly (readonly [reason: string, policy: string, grace: DurationMs | undefined, want: readonly string[]])[] = [
    ['Drifted', 'WhenEmpty', undefined, ['reason="drifted"', 'consolidation_policy=""', 'termination_mode="graceful"']],
    ['Empty', 'WhenEmpty', durationMs(1), ['reason="empty"', 'consolidation_policy="when_empty"', 'termination_mode="eventual"']],
    [
      'Underutilized',
      'WhenEmptyOrUnderutilized',
      durationMs(0),
      ['reason="underutilized"', 'consolidation_policy="when_empty_or_underutilized"', 'termination_mode="forceful"'],
    ],
  ]
  it.each(ENDS)('MX-02 say how NodeClaims end, and by which policy: %s', (reason, consolidationPolicy, grace, want) => {
    const seen = createSeenWithTracker()
    const pool = nodePool()
    seen.note('nodePool', 'default', { ...pool, disruption: { consolidationPolicy } })
    const spec = grace === undefined ? {} : { terminationGracePeriod: grace }
    const status = { conditions: [condition('DisruptionReason', { reason })] }
    seen.note('nodeClaim', 'a', nodeClaim({ name: 'a', spec, meta: { createdAt: START, deletedAt: START }, status }))
    expect(valueOf(seen, 'karpenter_nodeclaims_disrupted_total', ...want)).toBe(1)
  })

  it('escape what a label may not have', () => {
    const seen = createSeenWithTracker()
    seen.note('nodePool', 'a"\\\n', nodePool({ limits: { cpu: 1_000 } }))
    expect(samplesOf(seen)).toContain('karpenter_nodepools_limit{nodepool="a\\"\\\\\\n",resource_type="cpu"} 1')
  })
})

const change = fc.record({
  key: fc.constantFrom('a/1', 'a/2-x', 'b/1', 'constructor/__proto__'),
  owner: fc.constantFrom('1', '2', '2-x', '2-xy', '__proto__', undefined),
  node: fc.constantFrom('n1', 'n2', 'constructor', undefined),
  cpu: fc.integer({ min: 0, max: 3 }),
  phase: fc.constantFrom<Pod['phase']>('Pending', 'Running', 'Unknown'),
  isGone: fc.boolean(),
  /** The rows of pods that are gone become free, also for other pods. */
  isPosted: fc.boolean(),
})

describe('the columns of pods', () => {
  it('hold the newest version of each pod, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const seen = createSeenWithTracker()
        const want = new Map<string, object>()
        for (const { key, node: on, owner, cpu, phase, isGone, isPosted } of changes) {
          const { nodeName: _, owner: __, ...rest } = pod({ name: 'x' })
          const requests = { cpu, constructor: 1 }
          const value: Pod = {
            ...rest,
            phase,
            requests,
            ...(on === undefined ? {} : { nodeName: nodeName(on) }),
            ...(owner === undefined ? {} : { owner: { ...REPLICA_SET, name: owner } }),
          }
          seen.note('pod', key, isGone ? undefined : value)
          if (isGone) want.delete(key)
          else {
            const path = owner === undefined ? '' : `/apis/apps/v1/namespaces/${key.split('/')[0]}/replicasets/${owner}`
            want.set(key, { key, node: on ?? '', owner: path, phase, requests, isReady: phase === 'Running' })
          }
          if (isPosted) seen.tracker.take({ changes: 10, length: 10_000 })
        }
        expect([...seen.pods.rows()].sort((one, two) => (one.key < two.key ? -1 : 1))).toMatchObject(
          [...want.values()].sort((one, two) => (JSON.stringify(one) < JSON.stringify(two) ? -1 : 1)),
        )
        seen.tracker.beginGapList('pod').end()
        expect([...seen.pods.rows()]).toEqual([])
      }),
    )
  })
})
