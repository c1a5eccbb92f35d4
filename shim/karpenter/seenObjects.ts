import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { DISRUPTION_REASON, findCondition } from '../../shared/model/condition.ts'
import { ANNOTATION, LABEL, type Labels } from '../../shared/model/labels.ts'
import { terminationModeOf } from '../../shared/model/nodeClaim.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import type { KeyRows } from '../sync/trackerState.ts'
import { createPodColumns, type PodColumns } from './podColumns.ts'
import type { SeenValue, SeenValues } from './readSeen.ts'
import type { ServedName } from './servedMetrics.ts'

export type SeenPool = { readonly usage: Resources; readonly limits: Resources; readonly policy?: string }
export type SeenNode = { readonly labels: Labels; readonly allocatable: Resources }
/** The value of a counter with these labels. */
export type Count = { readonly name: ServedName; readonly labels: Labels; readonly value: number }
type SeenClaim = { readonly labels: Labels; readonly isDeleting: boolean }

/** What the metrics of Karpenter need of the objects that the shim has seen in this term. */
export interface SeenObjects {
  readonly pods: PodColumns
  readonly nodes: ReadonlyMap<string, SeenNode>
  readonly pools: ReadonlyMap<string, SeenPool>
  readonly counts: ReadonlyMap<string, Count>
  /** Takes in a version that the tracker has taken in. Undefined: the object is gone, or cannot be read. */
  note<Kind extends ObjectKind>(kind: Kind, key: string, value: SeenValue<Kind> | undefined): void
  /** Forgets objects whose end a list showed, and not a watch. Pods need no such call: the tracker has their keys. */
  keepOnly(isKnown: (kind: ObjectKind, key: string) => boolean): void
}

export function createSeenObjects(since: EpochMs, podRows: KeyRows): SeenObjects {
  const pods = createPodColumns(podRows)
  const nodes = new Map<string, SeenNode>()
  const pools = new Map<string, SeenPool>()
  const claims = new Map<string, SeenClaim>()
  const counts = new Map<string, Count>()

  function count(name: ServedName, labels: Labels): void {
    const id = `${name} ${JSON.stringify(labels)}`
    counts.set(id, { name, labels, value: (counts.get(id)?.value ?? 0) + 1 })
  }

  function noteEnd(key: string): void {
    const before = claims.get(key)
    if (before === undefined) return
    claims.delete(key)
    count('karpenter_nodeclaims_terminated_total', { ...poolAndCapacity(before.labels), zone: before.labels[LABEL.zone] ?? '' })
  }

  function noteBirth({ labels, annotations }: SeenValues['nodeClaim']['meta']): void {
    const reason = annotations[ANNOTATION.replacesDrifted] === undefined ? 'provisioned' : 'drifted'
    const min_values_relaxed = annotations[ANNOTATION.minValuesRelaxed] ?? 'false'
    count('karpenter_nodeclaims_created_total', { nodepool: labels[LABEL.nodePool] ?? '', reason, min_values_relaxed })
  }

  /** The policy of the pool, if the claim goes for what its policy is about. */
  function policyFor(reason: string, labels: Labels): string {
    const policy = CONSOLIDATED.has(reason) ? pools.get(labels[LABEL.nodePool] ?? '')?.policy : undefined
    return policy === undefined ? '' : snakeCase(policy)
  }

  function noteClaim(key: string, { meta, spec, status }: SeenValues['nodeClaim']): void {
    const before = claims.get(key)
    const isNew = before === undefined && meta.createdAt >= since
    if (isNew) noteBirth(meta)
    const isDeleting = meta.deletedAt !== undefined
    const reason = findCondition(status.conditions, DISRUPTION_REASON)?.reason
    const begins = isDeleting && (isNew || before?.isDeleting === false)
    if (begins && reason !== undefined) {
      const how = { consolidation_policy: policyFor(reason, meta.labels), termination_mode: terminationModeOf(spec) }
      count('karpenter_nodeclaims_disrupted_total', { ...poolAndCapacity(meta.labels), reason: snakeCase(reason), ...how })
    }
    claims.set(key, { labels: kept(meta.labels), isDeleting })
  }

  const takers: Takers = {
    pod: (key, pod) => (pod === undefined ? pods.remove(key) : pods.put(key, pod)),
    node: (key, node) => put(nodes, key, node && { labels: kept(node.meta.labels), allocatable: node.allocatable }),
    nodePool: (key, pool) => put(pools, key, pool && seenPool(pool)),
    nodeClaim: (key, claim) => (claim === undefined ? noteEnd(key) : noteClaim(key, claim)),
  }

  return {
    pods,
    nodes,
    pools,
    counts,
    note<Kind extends ObjectKind>(kind: Kind, key: string, value: SeenValue<Kind> | undefined) {
      const take: Takers[Kind] = takers[kind]
      take?.(key, value)
    },
    keepOnly(isKnown) {
      for (const key of nodes.keys()) if (!isKnown('node', key)) nodes.delete(key)
      for (const key of pools.keys()) if (!isKnown('nodePool', key)) pools.delete(key)
      for (const key of claims.keys()) if (!isKnown('nodeClaim', key)) noteEnd(key)
    },
  }
}

const CONSOLIDATED: ReadonlySet<string> = new Set(['Empty', 'Underutilized'])

function seenPool({ status, limits, disruption: { consolidationPolicy: policy } }: SeenValues['nodePool']): SeenPool {
  return { usage: status.resources, limits, ...(policy === undefined ? {} : { policy }) }
}

/** What is done with an object of a kind. Kinds without an entry are not needed. */
type Takers = { readonly [Kind in ObjectKind]?: (key: string, value: SeenValue<Kind> | undefined) => void }

function put<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

const KEPT = [LABEL.nodePool, LABEL.zone, LABEL.region, LABEL.instanceType, LABEL.arch, LABEL.os, LABEL.capacityType]

function kept(labels: Labels): Labels {
  return Object.fromEntries(KEPT.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const])))
}

function poolAndCapacity(labels: Labels): Labels {
  return { nodepool: labels[LABEL.nodePool] ?? '', capacity_type: labels[LABEL.capacityType] ?? '' }
}

/** Karpenter's metrics have reasons in snake case: `spot_interrupted`. */
function snakeCase(reason: string): string {
  return reason.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
}
