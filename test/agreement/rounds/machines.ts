/** The machines of a random world: the machines at the start, and the machines that claims become once a plan uses them. */

import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { CreateClaim } from '../../../shared/model/decision.ts'
import { nodePoolName } from '../../../shared/model/ids.ts'
import type { Labels } from '../../../shared/model/labels.ts'
import type { NodeClaim, NodeClaimSpec } from '../../../shared/model/nodeClaim.ts'
import { nodeClaim, nodeNameOf, providerIdOf } from '../../builders/nodeClaim.ts'
import { type NodeView, viewOfLaunched, viewOfNode } from '../../checker/nodeView.ts'
import { allocatable, type Outcome, outcomesOf } from '../../checker/outcomes.ts'
import { DISK_DRIVER, diskLimitOf, type Machine, machineOf } from './manifests.ts'

/** Claims with and without a node. The nodes themselves are in the cluster. */
export type Claims = Pick<ClusterSnapshot, 'drafts'> & { readonly nodeClaim: readonly NodeClaim[] }

export type Made = { readonly machine: Machine; readonly disks?: number | undefined }

/** A machine made from a claim, and the claim after its initialization. */
export type Up = Made & { readonly claim: NodeClaim }

/** The nodes of the world. A node that is not initialized is not ready. Until its driver has come, the attach limit of its size counts. */
export function standing({ objects, instanceTypes }: ClusterSnapshot): readonly Made[] {
  return objects.node.map((node) => {
    const claim = objects.nodeClaim.find((each) => node.providerId !== undefined && each.status.providerId === node.providerId)
    const isUp = node.meta.labels['karpenter.sh/initialized'] === 'true' || node.providerId === undefined
    const { limits, unlimited = [] } = objects.csiNode.find((each) => each.name === node.name) ?? {}
    const types = claim === undefined || unlimited.includes(DISK_DRIVER) ? [] : (instanceTypes.get(claim.spec.nodeClassRef.name) ?? [])
    return { machine: machineOf(node, isUp), disks: limits?.[DISK_DRIVER] ?? diskLimitOf(types, node.meta.labels) }
  })
}

/** The machine that a new claim becomes if its first choice can be launched. */
export function ofChoice(given: ClusterSnapshot, { draft, choice }: CreateClaim): Up {
  const { name, spec, labels } = draft
  const outcome = outcomesOf(given, spec, labels).find(
    ({ type, offering }) => type.name === choice.size && offering.zone === choice.zone && offering.capacityType === choice.capacityType,
  )
  if (outcome === undefined) throw new Error(`claim ${name} cannot become its own choice`)
  return ofOutcome(name, spec, outcome)
}

/** A machine for a claim in flight or a draft. Any size that the claim allows will do, so the last is taken. Undefined if there is no such claim. */
export function ofComing(given: ClusterSnapshot, name: string): Up | undefined {
  const claim = given.objects.nodeClaim.find((each) => each.name === name)
  if (claim?.status.providerId !== undefined) return ofLaunched(given, claim)
  const draft = given.drafts.find((each) => each.name === name)
  const from = claim === undefined ? draft : { spec: claim.spec, labels: claim.meta.labels }
  if (from === undefined) return undefined
  const outcome = outcomesOf(given, from.spec, from.labels).at(-1)
  if (outcome === undefined) throw new Error(`claim ${name} cannot become anything`)
  return ofOutcome(name, from.spec, outcome)
}

/** The node of the claim after its initialization. Undefined if the claim has no node or the node is initialized already. */
export function ofRegistered(given: ClusterSnapshot, claim: NodeClaim): Up | undefined {
  const node = given.objects.node.find((each) => each.providerId !== undefined && each.providerId === claim.status.providerId)
  if (node === undefined || node.meta.labels['karpenter.sh/initialized'] === 'true') return undefined
  const view = viewOfNode(given, node)
  const { machine } = ofView(given, claim, view)
  return { machine: { ...machine, isCordoned: node.unschedulable }, claim: initialized(claim, view) }
}

function ofLaunched(given: ClusterSnapshot, claim: NodeClaim): Up {
  return ofView(given, claim, viewOfLaunched(given, claim))
}

function ofView({ instanceTypes }: ClusterSnapshot, claim: NodeClaim, view: NodeView): Up {
  const { labels, taints, allocatable: free } = view
  const types = instanceTypes.get(claim.spec.nodeClassRef.name) ?? []
  const capacity = claim.status.capacity
  const machine = { ...UP, name: nodeNameOf(claim.name), providerId: providerIdOf(claim.name), labels, taints, capacity, allocatable: free }
  return { machine, disks: diskLimitOf(types, labels), claim: initialized(claim, view) }
}

function ofOutcome(name: string, spec: NodeClaimSpec, { type, labels }: Outcome): Up {
  const { capacity, maxDataDisks } = type
  const status = { capacity, allocatable: allocatable(type) }
  const machine = { ...UP, name: nodeNameOf(name), providerId: providerIdOf(name), labels, taints: spec.taints, ...status }
  return { machine, disks: maxDataDisks, claim: claimUp(name, spec, labels, status) }
}

const UP = { isReady: true, isCordoned: false }

function initialized({ name, spec, status }: NodeClaim, { labels, allocatable: free }: NodeView): NodeClaim {
  return claimUp(name, spec, labels, { capacity: status.capacity, allocatable: free })
}

function claimUp(
  name: string,
  spec: NodeClaimSpec,
  labels: Labels,
  status: Pick<NodeClaim['status'], 'capacity' | 'allocatable'>,
): NodeClaim {
  const { ['kubernetes.io/hostname']: _, ...own } = labels
  return nodeClaim({ name, nodePool: nodePoolName(labels['karpenter.sh/nodepool'] ?? ''), meta: { labels: own }, spec, status })
}
