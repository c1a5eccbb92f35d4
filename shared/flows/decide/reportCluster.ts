import { largestOf } from '../../base/lists.ts'
import { ownValue } from '../../base/values.ts'
import type { Decision } from '../../model/decision.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { MicroUsdPerHour } from '../../model/units.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { DecisionInput } from '../ledger/rest.ts'

/**
 * Measures the nodes, their cost and the limits of our NodePools, and the pods without a place. Only the process that decides reports them. The
 * lease makes it one process at a time.
 */
export function reportCluster(
  { cluster, telemetry }: Pick<ClusterDeps, 'cluster' | 'telemetry'>,
  snapshot: DecisionInput,
  decided: Decision,
): void {
  for (const { nodePool, capacityType, nodes, cost } of partsOf(snapshot)) {
    telemetry.measure('nodepool.nodes', nodes, { cluster, nodePool, capacityType })
    telemetry.measure('nodepool.cost.hourly', cost / 1_000_000, { cluster, nodePool, capacityType })
  }
  for (const pool of snapshot.objects.nodePool) {
    if (!isOurs(pool.template.nodeClassRef)) continue
    const used = usedOf(pool)
    if (used !== undefined) telemetry.measure('nodepool.limit.used', used, { cluster, nodePool: pool.name })
  }
  reportLeftOut({ cluster, telemetry }, decided)
  for (const [errorCode, pods] of unschedulable(decided))
    telemetry.measure('karpenter_scheduler_unschedulable_pods_count', pods, { cluster, errorCode })
}

type Part = { readonly nodePool: string; readonly capacityType: string; readonly nodes: number; readonly cost: number }

type Counted = { readonly types: DecisionInput['instanceTypes']; readonly parts: readonly Part[] }

/** Counts by list of claims, made again when a claim or a price list changes. A list of claims stays the same object until a claim changes. */
const counted = new WeakMap<DecisionInput['objects']['nodeClaim'], Counted>()

function partsOf(snapshot: DecisionInput): readonly Part[] {
  const { nodeClaim } = snapshot.objects
  const known = counted.get(nodeClaim)
  if (known !== undefined && hasSameLists(known.types, snapshot.instanceTypes)) return known.parts
  const parts = countFleet(snapshot)
  counted.set(nodeClaim, { types: snapshot.instanceTypes, parts })
  return parts
}

function hasSameLists(first: DecisionInput['instanceTypes'], second: DecisionInput['instanceTypes']): boolean {
  return first.size === second.size && [...first].every(([nodeClass, types]) => second.get(nodeClass) === types)
}

function countFleet(snapshot: DecisionInput): readonly Part[] {
  const prices = pricesOf(snapshot)
  const parts = new Map<string, Part>()
  for (const claim of snapshot.objects.nodeClaim) {
    const nodePool = claim.meta.labels[LABEL.nodePool]
    const capacityType = claim.meta.labels[LABEL.capacityType]
    // A claim without a capacity type is not launched: it costs nothing yet.
    if (nodePool === undefined || capacityType === undefined || !isOurs(claim.spec.nodeClassRef)) continue
    const key = `${nodePool} ${capacityType}`
    const { nodes = 0, cost = 0 } = parts.get(key) ?? {}
    parts.set(key, { nodePool, capacityType, nodes: nodes + 1, cost: cost + (prices.get(offeringOf(claim)) ?? 0) })
  }
  return [...parts.values()]
}

/** Prices by NodeClass, size, zone and capacity type. A machine of another NodeClass may have another disk. */
function pricesOf({ instanceTypes, objects }: DecisionInput): ReadonlyMap<string, MicroUsdPerHour> {
  const sizes = new Set(objects.nodeClaim.map(({ meta }) => meta.labels[LABEL.instanceType]))
  const prices = new Map<string, MicroUsdPerHour>()
  const known = [...instanceTypes].flatMap(([nodeClass, types]) =>
    types.flatMap((type) => (sizes.has(type.name) ? [{ nodeClass, type }] : [])),
  )
  for (const { nodeClass, type } of known) {
    for (const { zone, capacityType, price } of type.offerings) {
      if (price !== undefined) prices.set(`${nodeClass} ${type.name} ${zone} ${capacityType}`, price)
    }
  }
  return prices
}

function offeringOf({ spec, meta: { labels } }: NodeClaim): string {
  return `${spec.nodeClassRef.name} ${labels[LABEL.instanceType]} ${labels[LABEL.zone]} ${labels[LABEL.capacityType]}`
}

/** The used share of the fullest limit. Undefined if the pool has no limits. A limit of 0 counts as full. */
function usedOf({ limits, status }: NodePool): number | undefined {
  const shares = Object.entries(limits).map(([name, limit]) => {
    const used = name === 'nodes' ? (status.nodes ?? 0) : (ownValue(status.resources, name) ?? 0)
    return limit === 0 ? 1 : used / limit
  })
  return shares.length === 0 ? undefined : largestOf(shares)
}

/** A decision that leaves something out shows a bug, which a person must report. */
function reportLeftOut({ cluster, telemetry }: Pick<ClusterDeps, 'cluster' | 'telemetry'>, { leftOut = [] }: Decision): void {
  for (const { kind, name, failure } of leftOut) {
    const fields = { cluster, code: 'INTERNAL.LEFT_OUT', failure } as const
    telemetry.error(
      `the decision fails with ${kind} ${name}, which is left out of it; to do: report it, and change or delete the object`,
      fields,
    )
  }
  for (const [kind, own] of Map.groupBy(leftOut, (each) => each.kind)) telemetry.measure('decision.left_out', own.length, { cluster, kind })
}

function unschedulable({ reasons }: Decision): ReadonlyMap<string, number> {
  const pods = new Map<string, number>()
  for (const { subject, code } of reasons) {
    if (subject.kind === 'pod') pods.set(code, (pods.get(code) ?? 0) + 1)
  }
  return pods
}
