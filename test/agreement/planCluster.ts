/** The engine's plan for a random cluster: nodes with their pods, and the refused pods with the problem code. */
import { ownValue } from '../../shared/base/values.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim } from '../../shared/model/decision.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { ProblemCode } from '../../shared/model/problem.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { DaemonSet } from '../../shared/model/workloads.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { NOW } from '../builders/clock.ts'
import { snapshot } from '../builders/snapshot.ts'
import { allocatable, type Outcome, outcomesOf } from '../checker/outcomes.ts'
import type { Manifest, RandomCluster } from './randomCluster.ts'

export type PlannedNode = {
  readonly name: string
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly allocatable: Resources
  /** The number of data disks that the node can attach. */
  readonly maxDataDisks: number | undefined
}

export type Plan = {
  readonly nodes: readonly PlannedNode[]
  /** Maps pod names to node names. */
  readonly placed: ReadonlyMap<string, string>
  readonly refused: ReadonlyMap<string, ProblemCode>
  /** Every node that any pool could make, without nodes that another node can replace for every pod. */
  readonly possible: readonly PlannedNode[]
}

export function planCluster(cluster: RandomCluster): Plan {
  const input = snapshotOf(cluster)
  const { actions, reasons } = decideProvisioning(input)
  const creates = actions.filter((action) => action.kind === 'createClaim')
  const nodes = creates.map((create) => nodeOf(input, create))
  const placed = new Map(creates.flatMap(({ draft, pods }) => pods.map((pod) => [nameIn(pod.key), draft.name] as const)))
  const refused = new Map(reasons.filter(({ subject }) => subject.kind === 'pod').map(({ subject, code }) => [nameIn(subject.name), code]))
  const possible = cluster.pools.flatMap((pool) => possibleNodes(input, pool))
  return { nodes, placed, refused, possible: withoutInferior(possible, cluster) }
}

function snapshotOf({ pools, types, pods, daemons }: RandomCluster): ClusterSnapshot {
  return snapshot({ types, objects: { nodePool: pools, pod: pods.map(pendingPod), daemonSet: daemons.map(daemonSetOf) } })
}

function pendingPod({ metadata, spec }: Manifest): Pod {
  const at = new Date(NOW).toISOString()
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: at }]
  const head = { ...metadata, namespace: 'default', uid: metadata.name, creationTimestamp: at }
  const read = objectFromKube('pod', { metadata: head, spec, status: { phase: 'Pending', conditions } })
  if (!read.ok) throw new Error(`${metadata.name}: ${read.error.message}`)
  return read.value
}

function daemonSetOf({ metadata, spec }: Manifest): DaemonSet {
  const read = objectFromKube('daemonSet', {
    metadata: { ...metadata, namespace: 'default', uid: metadata.name },
    spec: { template: { spec } },
  })
  if (!read.ok) throw new Error(`${metadata.name}: ${read.error.message}`)
  return read.value
}

/** The machine that the claim becomes if its first choice can be launched. */
function nodeOf(input: ClusterSnapshot, { draft, choice }: CreateClaim): PlannedNode {
  const outcome = outcomesOf(input, draft.spec, draft.labels).find(
    ({ type, offering }) => type.name === choice.size && offering.zone === choice.zone && offering.capacityType === choice.capacityType,
  )
  if (outcome === undefined) throw new Error(`claim ${draft.name} cannot become its own choice`)
  return machine(draft.name, outcome, draft.spec.taints)
}

/** Every node that the pool could make. */
export function possibleNodes(input: ClusterSnapshot, pool: NodePool): readonly PlannedNode[] {
  const { requirements, labels, taints, nodeClassRef, startupTaints, expireAfter } = pool.template
  const spec = { nodeClassRef, requirements, requests: {}, taints, startupTaints, expireAfter }
  const own = { ...labels, 'karpenter.sh/nodepool': pool.name }
  const free = requirements.filter((each) => each.key.startsWith('example.com/') && each.operator === 'In')
  const variants = free.reduce<readonly Labels[]>(
    (all, { key, values }) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [own],
  )
  const machines = variants.flatMap((variant) => outcomesOf(input, spec, variant)).filter(({ isForSale }) => isForSale)
  return machines.map((outcome, index) => machine(`${pool.name}-${index}`, outcome, taints))
}

/** Keeps one node of each group that has the same taints and the same values of the labels in the manifests: the largest. */
function withoutInferior(nodes: readonly PlannedNode[], { pods, daemons }: RandomCluster): readonly PlannedNode[] {
  const text = JSON.stringify([pods, daemons])
  const keys = new Set(nodes.flatMap(({ labels }) => Object.keys(labels)))
  const asked = [...keys].filter((key) => text.includes(`"${key}"`)).sort()
  const alike = Map.groupBy(nodes, ({ labels, taints }) => JSON.stringify([asked.map((key) => ownValue(labels, key) ?? null), taints]))
  return [...alike.values()].flatMap((group) =>
    group.filter(
      (node, index) => !group.some((other, at) => at !== index && exceeds(other, node) && (at < index || !exceeds(node, other))),
    ),
  )
}

function exceeds(one: PlannedNode, other: PlannedNode): boolean {
  return Object.entries(other.allocatable).every(([name, amount]) => (ownValue(one.allocatable, name) ?? 0) >= amount)
}

function machine(name: string, { type, labels }: Outcome, taints: readonly Taint[]): PlannedNode {
  return { name, labels, taints, allocatable: allocatable(type), maxDataDisks: type.maxDataDisks }
}

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
