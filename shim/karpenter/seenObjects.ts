import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import { DISRUPTION_REASON, findCondition } from '../../shared/model/condition.ts'
import { ANNOTATION, LABEL } from '../../shared/model/labels.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { createPodColumns, type PodColumns } from './podColumns.ts'
import type { ServedName } from './servedMetrics.ts'

export type SeenPool = { readonly usage: Resources; readonly limits: Resources }
export type SeenNode = { readonly labels: Labels; readonly allocatable: Resources }
type SeenClaim = { readonly labels: Labels; readonly isDeleting: boolean }

/** What the metrics of Karpenter need of the objects that the shim has seen in this term. */
export interface SeenObjects {
  readonly pods: PodColumns
  readonly nodes: ReadonlyMap<string, SeenNode>
  readonly pools: ReadonlyMap<string, SeenPool>
  /** Counts by the name of the counter and its labels as JSON. */
  readonly counts: ReadonlyMap<string, number>
  /** Takes in a version. Undefined: the object is gone, or cannot be read. */
  note<Kind extends ObjectKind>(kind: Kind, key: string, value: ObjectByKind[Kind] | undefined): void
  /** Forgets objects whose end a list showed, and not a watch. */
  keepOnly(isKnown: (kind: ObjectKind, key: string) => boolean): void
}

export function createSeenObjects(since: EpochMs): SeenObjects {
  const pods = createPodColumns()
  const nodes = new Map<string, SeenNode>()
  const pools = new Map<string, SeenPool>()
  const claims = new Map<string, SeenClaim>()
  const counts = new Map<string, number>()

  function count(name: ServedName, labels: Labels): void {
    const id = `${name} ${JSON.stringify(labels)}`
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }

  function noteClaim(key: string, claim: NodeClaim | undefined): void {
    const before = claims.get(key)
    if (claim === undefined) {
      claims.delete(key)
      if (before !== undefined)
        count('karpenter_nodeclaims_terminated_total', { ...poolAndCapacity(before.labels), zone: before.labels[LABEL.zone] ?? '' })
      return
    }
    const { labels, annotations, createdAt, deletedAt } = claim.meta
    const isNew = before === undefined && createdAt >= since
    if (isNew) {
      const reason = annotations[ANNOTATION.replacesDrifted] === undefined ? 'provisioned' : 'drifted'
      const min_values_relaxed = annotations[ANNOTATION.minValuesRelaxed] ?? 'false'
      count('karpenter_nodeclaims_created_total', { nodepool: labels[LABEL.nodePool] ?? '', reason, min_values_relaxed })
    }
    const isDeleting = deletedAt !== undefined
    const reason = findCondition(claim.status.conditions, DISRUPTION_REASON)?.reason
    if (isDeleting && (before?.isDeleting === false || isNew) && reason !== undefined) {
      count('karpenter_nodeclaims_disrupted_total', { ...poolAndCapacity(labels), reason: snakeCase(reason) })
    }
    claims.set(key, { labels: kept(labels), isDeleting })
  }

  return {
    pods,
    nodes,
    pools,
    counts,
    note(kind, key, value) {
      const seen = { kind, value } as Seen
      if (seen.kind === 'pod') return seen.value === undefined ? pods.remove(key) : pods.put(key, seen.value)
      if (seen.kind === 'nodeClaim') return noteClaim(key, seen.value)
      if (seen.kind === 'node') put(nodes, key, seen.value && { labels: kept(seen.value.meta.labels), allocatable: seen.value.allocatable })
      if (seen.kind === 'nodePool') put(pools, key, seen.value && { usage: seen.value.status.resources, limits: seen.value.limits })
    },
    keepOnly(isKnown) {
      for (const key of pods.keys()) if (!isKnown('pod', key)) pods.remove(key)
      for (const key of nodes.keys()) if (!isKnown('node', key)) nodes.delete(key)
      for (const key of pools.keys()) if (!isKnown('nodePool', key)) pools.delete(key)
      for (const key of claims.keys()) if (!isKnown('nodeClaim', key)) noteClaim(key, undefined)
    },
  }
}

/** Each kind with its own type of object. */
type Seen = { readonly [Kind in ObjectKind]: { readonly kind: Kind; readonly value: ObjectByKind[Kind] | undefined } }[ObjectKind]

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
