/** Nodes joined with their claims, as the scheduler sees them. */
import { ownValue } from '../../shared/base/values.ts'
import { isUndeclared } from '../../shared/engine/cluster/stateNode.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL, type Labels } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { type Resources, subtract } from '../../shared/model/resources.ts'
import { isEphemeral, isSameTaint, type Taint } from '../../shared/model/taint.ts'
import type { Quirks } from './oracleAnswer.ts'

export type Machine = {
  readonly name: string
  /** The name in the answer: of the node, or of the claim while there is no node. */
  readonly answerName: string
  readonly node?: Node
  readonly claim?: NodeClaim
  readonly pods: readonly Pod[]
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly capacity: Resources
  readonly allocatable: Resources
  readonly isInitialized: boolean
  readonly isDeleting: boolean
}

/** Nodes, and launched claims without a node. */
export function machinesOf(snapshot: ClusterSnapshot, quirks: Quirks): readonly Machine[] {
  const { node: nodes, nodeClaim: claims, pod: pods } = snapshot.objects
  const launched = claims.filter((claim) => claim.status.providerId !== undefined)
  const joined = nodes.map((node) => {
    const claim = launched.find((each) => node.providerId !== undefined && each.status.providerId === node.providerId)
    const own = pods.filter((pod) => pod.nodeName === node.name && pod.phase !== 'Succeeded' && pod.phase !== 'Failed')
    return machineOf(snapshot, node, claim, own, quirks)
  })
  const taken = new Set(joined.map(({ claim }) => claim))
  const alone = launched.filter((claim) => !taken.has(claim)).map((claim) => machineOf(snapshot, undefined, claim, [], quirks))
  return [...joined, ...alone]
}

function machineOf(
  snapshot: ClusterSnapshot,
  node: Node | undefined,
  claim: NodeClaim | undefined,
  pods: readonly Pod[],
  quirks: Quirks,
): Machine {
  const isRegistered = node !== undefined && (claim === undefined || node.meta.labels[LABEL.registered] === 'true')
  const isInitialized = claim === undefined || node?.meta.labels[LABEL.initialized] === 'true'
  const head = isRegistered ? node.meta.labels : claim?.meta.labels
  const reported = claim === undefined || isInitialized
  const taints = isRegistered ? nodeTaints(node, quirks) : (claim?.spec.taints ?? [])
  return {
    name: isRegistered ? node.name : (claim?.name ?? ''),
    answerName: node?.name ?? claim?.name ?? '',
    ...(node === undefined ? {} : { node }),
    ...(claim === undefined ? {} : { claim }),
    pods,
    labels: head ?? {},
    taints: claim === undefined || isInitialized ? taints : taints.filter((taint) => !passes(taint, claim, node, quirks)),
    capacity: reported && node !== undefined ? node.capacity : filled(node?.capacity, promised(snapshot, claim, 'capacity')),
    allocatable: reported && node !== undefined ? node.allocatable : filled(node?.allocatable, promised(snapshot, claim, 'allocatable')),
    isInitialized,
    isDeleting: claim === undefined ? node?.meta.deletedAt !== undefined : isEnding(claim),
  }
}

/** Leaves out the taint that asks to prefer other nodes. Adds the taint of a cordoned node: the control plane adds it only a moment after the cordon. */
function nodeTaints(node: Node, quirks: Quirks): readonly Taint[] {
  const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
  const taints = node.taints.filter(({ key, effect }) => key !== 'joiner.dev/disruption-planned' || effect !== 'PreferNoSchedule')
  if (quirks === 'upstream' || !node.unschedulable || taints.some((each) => isSameTaint(each, cordon))) return taints
  return [...taints, cordon]
}

/** Reports whether the taint is expected to pass. Karpenter counts an undeclared taint at once. */
function passes(taint: Taint, claim: NodeClaim, node: Node | undefined, quirks: Quirks): boolean {
  if (isEphemeral(taint) || claim.spec.startupTaints.some((each) => isSameTaint(each, taint))) return true
  return quirks !== 'upstream' && node !== undefined && isUndeclared(taint, claim, node)
}

function isEnding({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined || status.conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
}

/** The amounts in the status of the claim, or those of its size while the status has none. */
function promised(snapshot: ClusterSnapshot, claim: NodeClaim | undefined, member: 'capacity' | 'allocatable'): Resources {
  const known = claim?.status[member] ?? {}
  if (claim === undefined || Object.keys(known).length > 0) return known
  const types = snapshot.instanceTypes.get(claim.spec.nodeClassRef.name) ?? []
  const type = types.find((each) => each.name === claim.meta.labels[LABEL.instanceType])
  return type === undefined ? known : member === 'capacity' ? type.capacity : subtract(type.capacity, type.overhead)
}

function filled(reported: Resources | undefined, promise: Resources): Resources {
  const present = Object.entries(reported ?? {}).filter(([name, amount]) => amount !== 0 || ownValue(promise, name) === undefined)
  return { ...promise, ...Object.fromEntries(present) }
}
