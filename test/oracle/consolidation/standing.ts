/** A cluster after parts of a plan were carried out: claims become nodes, pods are bound, machines are removed. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { nodeName } from '../../../shared/model/ids.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { epochMs } from '../../../shared/model/units.ts'
import { condition } from '../../builders/condition.ts'
import { node } from '../../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../builders/nodeClaim.ts'
import { allocatable, type Outcome } from '../../checker/outcomes.ts'
import type { PlacedClaim } from '../../checker/placement.ts'
import { priceOfNode } from './candidate.ts'

/** Adds the claim as an initialized machine of this kind, without pods. */
export function withMachine(snapshot: ClusterSnapshot, claim: PlacedClaim, outcome: Outcome): ClusterSnapshot {
  const { objects, takenAt } = snapshot
  const { name, pool, spec } = claim
  const { type } = outcome
  const labels = { ...outcome.labels, [LABEL.zone]: outcome.offering.zone, [LABEL.capacityType]: outcome.offering.capacityType }
  const amounts = { capacity: type.capacity, allocatable: allocatable(type) }
  const conditions = ['Launched', 'Registered', 'Initialized'].map((each) => condition(each, { lastTransitionAt: takenAt }))
  const made = nodeClaim({ name, nodePool: pool, meta: { labels, createdAt: takenAt }, spec, status: { ...amounts, conditions } })
  const up = node({
    claim: name,
    nodePool: pool,
    meta: { labels: { ...labels, [LABEL.hostname]: nodeNameOf(name) } },
    taints: spec.taints,
    ...amounts,
  })
  return { ...snapshot, objects: { ...objects, nodeClaim: [...objects.nodeClaim, made], node: [...objects.node, up] } }
}

export function nodeOfClaim(snapshot: ClusterSnapshot, claim: string): string {
  return snapshot.objects.nodeClaim.find(({ name }) => name === claim)?.status.nodeName ?? claim
}

/** Binds pods. `places` maps pod keys to node names. */
export function withBound(snapshot: ClusterSnapshot, places: ReadonlyMap<string, string>): ClusterSnapshot {
  const { objects, takenAt } = snapshot
  const pod = objects.pod.map((each): Pod => {
    const place = places.get(each.key)
    if (place === undefined) return each
    const { unschedulableSince: _, ...rest } = each
    return { ...rest, nodeName: nodeName(place), phase: 'Running', scheduledAt: takenAt, startedAt: takenAt }
  })
  return { ...snapshot, objects: { ...objects, pod } }
}

/** Removes the machines and their DaemonSet pods. The other pods of the machines become pending. */
export function withoutMachines(snapshot: ClusterSnapshot, claims: ReadonlySet<string>): ClusterSnapshot {
  const { objects, takenAt } = snapshot
  const nodes = new Set(objects.nodeClaim.filter(({ name }) => claims.has(name)).map(({ status }) => status.nodeName))
  const pod = objects.pod.flatMap((each): readonly Pod[] => {
    if (each.nodeName === undefined || !nodes.has(each.nodeName)) return [each]
    if (each.owner?.kind === 'DaemonSet') return []
    const { nodeName: _, scheduledAt: __, startedAt: ___, ...free } = each
    return [{ ...free, phase: 'Pending', unschedulableSince: takenAt }]
  })
  const left = {
    pod,
    node: objects.node.filter(({ name }) => !nodes.has(name)),
    nodeClaim: objects.nodeClaim.filter(({ name }) => !claims.has(name)),
  }
  return { ...snapshot, objects: { ...objects, ...left } }
}

const STEP_MS = 600_000

/** The snapshot after a step of time, long enough that all machines are quiet again. */
export function later(snapshot: ClusterSnapshot): ClusterSnapshot {
  return { ...snapshot, takenAt: epochMs(snapshot.takenAt + STEP_MS), decision: snapshot.decision + 1 }
}

/** The price of all nodes, in millionths of a dollar per hour. */
export function priceOfAll(snapshot: ClusterSnapshot): number {
  const { objects } = snapshot
  return objects.node.reduce((sum, each) => {
    const claim = objects.nodeClaim.find(({ status }) => status.providerId === each.providerId)
    return sum + (claim === undefined ? 0 : priceOfNode(snapshot, claim, each))
  }, 0)
}
