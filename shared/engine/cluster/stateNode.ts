/** The machines of the cluster as decisions see them: a Node and the NodeClaim it came from, joined by provider id. */

import { byKey } from '../../base/lists.ts'
import { ownValue, setOwnValue } from '../../base/values.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { type NodeClaimName, type NodeName, type ProviderId, providerId, type Uid } from '../../model/ids.ts'
import { LABEL, type Labels, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { isFence, isRebooting } from '../../model/reboot.ts'
import type { Resources } from '../../model/resources.ts'
import { isEphemeral, isSameTaint, type Taint, withoutPlanned } from '../../model/taint.ts'
import { isTerminal } from '../pod/podPredicates.ts'

/** One machine. At least one of `node` and `claim` is defined. */
export type StateNode = {
  readonly name: string
  readonly node?: Node
  readonly claim?: NodeClaim
  /** Pods bound to the node that still use it. */
  readonly pods: readonly Pod[]
  /** False also while the node is rebooted: it comes back as a node that joins. */
  readonly isInitialized: boolean
  /** True if it is being deleted or a move under way takes it. It is no capacity then, and its pods need another place. */
  readonly isDeleting: boolean
}

type Objects = { readonly node: readonly Node[]; readonly nodeClaim: readonly NodeClaim[]; readonly pod: readonly Pod[] }

/** Every node with its claim, and every claim without a node, by name. */
export function stateNodes({ node: nodes, nodeClaim: claims, pod: pods }: Objects, leaving = NOBODY_LEAVES): readonly StateNode[] {
  const claimById = new Map<ProviderId, NodeClaim>()
  for (const claim of claims) if (claim.status.providerId !== undefined) claimById.set(claim.status.providerId, claim)
  const podsByNode = groupByNode(pods)
  const joined = nodes.map((node) => stateNodeOf(node, claimById.get(node.providerId ?? NO_ID), podsByNode.get(node.name) ?? [], leaving))
  const taken = new Set(joined.map((each) => each.claim))
  const alone = claims.filter((claim) => !taken.has(claim)).map((claim) => stateNodeOf(undefined, claim, [], leaving))
  return [...joined, ...alone].sort(byKey((each) => each.name))
}

export function labelsOf({ node, claim }: StateNode): Labels {
  const own = isRegistered(node, claim) || claim === undefined ? node?.meta.labels : claim.meta.labels
  return own ?? {}
}

/** Reports whether a reboot of the node is under way. */
export function isInReboot({ claim }: Pick<StateNode, 'claim'>): boolean {
  return claim !== undefined && isRebooting(claim)
}

/** The pods that take room on the machine. Pods that leave a node in a reboot are gone before the node comes back. */
export function podsThatStay(machine: StateNode): readonly Pod[] {
  return isInReboot(machine) ? machine.pods.filter(({ deletedAt }) => deletedAt === undefined) : machine.pods
}

/**
 * The allocatable resources of the machine. Until it is initialized, a resource that the kubelet does not report yet counts as the claim promised.
 */
export function allocatableOf(machine: StateNode): Resources {
  return reported(machine, 'allocatable')
}

export function capacityOf(machine: StateNode): Resources {
  return reported(machine, 'capacity')
}

/**
 * The taints that a pod must tolerate. While the machine comes up, or comes back from a reboot, taints that go away by themselves do not count. Nor does
 * an undeclared taint: a second machine would get the same. Initialization of the claim waits for the taint to go, and its condition says when this wait ends.
 */
export function taintsOf(machine: StateNode): readonly Taint[] {
  const { node, claim, isInitialized } = machine
  if (claim === undefined) return node === undefined ? [] : withCordon(node)
  const taints = node === undefined || !isRegistered(node, claim) ? claim.spec.taints : withCordon(node)
  if (isInitialized) return taints
  const comes = (taint: Taint): boolean => isEphemeral(taint) || (isFence(taint) && isRebooting(claim))
  const own = taints.filter((taint) => !comes(taint) && !claim.spec.startupTaints.some((startup) => isSameTaint(startup, taint)))
  return node === undefined ? own : own.filter((taint) => !isUndeclared(taint, claim, node))
}

const NO_ID = providerId('')

/** Joins a node and its claim into a machine. */
export function stateNodeOf(node: Node | undefined, claim: NodeClaim | undefined, pods: readonly Pod[], leaving: Leaving): StateNode {
  return {
    name: nameOf(node, claim),
    ...(node && { node }),
    ...(claim && { claim }),
    pods,
    isInitialized: claim === undefined || (node?.meta.labels[LABEL.initialized] === 'true' && !isRebooting(claim)),
    isDeleting: claim === undefined ? node?.meta.deletedAt !== undefined : isEnding(claim) || leaving.get(claim.name) === claim.meta.uid,
  }
}

function nameOf(node: Node | undefined, claim: NodeClaim | undefined): string {
  return node?.name ?? claim?.status.nodeName ?? claim?.name ?? ''
}

/** Reports whether the end of the claim has begun. It cannot be taken back. */
export function isEnding(claim: NodeClaim): boolean {
  if (claim.meta.deletedAt !== undefined) return true
  return claim.status.conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
}

function isRegistered(node: Node | undefined, claim: NodeClaim | undefined): boolean {
  return node !== undefined && (claim === undefined || node.meta.labels[LABEL.registered] === 'true')
}

function reported({ node, claim, isInitialized }: StateNode, member: 'allocatable' | 'capacity'): Resources {
  if (node === undefined) return claim?.status[member] ?? {}
  if (isInitialized || claim === undefined) return node[member]
  const filled: { [resource: string]: number } = { ...node[member] }
  for (const [name, amount] of Object.entries(claim.status[member])) setOwnValue(filled, name, ownValue(filled, name) || amount)
  return filled
}

/** The taints of the node, without the taint of planned nodes. A cordoned node gets its taint from the control plane a moment later, and no pod should be sent there meanwhile. */
function withCordon(node: Node): readonly Taint[] {
  const cordon: Taint = { key: TAINT_KEY.unschedulable, effect: 'NoSchedule' }
  const taints = withoutPlanned(node.taints)
  return node.unschedulable && !taints.some((taint) => isSameTaint(taint, cordon)) ? [...taints, cordon] : taints
}

function groupByNode(pods: readonly Pod[]): ReadonlyMap<NodeName, readonly Pod[]> {
  const groups = new Map<NodeName, Pod[]>()
  for (const pod of pods) {
    if (pod.nodeName === undefined || isTerminal(pod)) continue
    const group = groups.get(pod.nodeName)
    if (group === undefined) groups.set(pod.nodeName, [pod])
    else group.push(pod)
  }
  return groups
}

/** The claims that moves under way take away, with their uids. A uid tells a claim from a later claim of the same name. */
export type Leaving = ReadonlyMap<NodeClaimName, Uid>

export const NOBODY_LEAVES: Leaving = new Map()

export function leavingBy(commands: readonly DisruptionCommand[]): Leaving {
  if (commands.length === 0) return NOBODY_LEAVES
  return new Map(commands.flatMap(({ candidates }) => candidates.map(({ claim, uid }) => [claim, uid] as const)))
}

/** The names of claims that only one of the two has, or that have different uids in both. */
export function differing(first: Leaving, second: Leaving): readonly NodeClaimName[] {
  const names = new Set([...first.keys(), ...second.keys()])
  return [...names].filter((name) => first.get(name) !== second.get(name))
}

/**
 * Reports whether a taint on a claim's node is declared nowhere. Network plugins and device drivers put such a taint on a starting node, and remove
 * it when they run.
 */
export function isUndeclared(taint: Taint, { spec }: NodeClaim, { meta }: Node): boolean {
  if (taint.effect === 'PreferNoSchedule' || isEphemeral(taint) || ASKED_FOR.has(taint.key)) return false
  // With this label somebody else manages the taints of the node.
  if (meta.labels[LABEL.doNotSyncTaints] === 'true') return false
  return ![...spec.taints, ...spec.startupTaints].some((declared) => isSameTaint(declared, taint))
}

/** Taints that a person or a disruption sets to keep pods off the node. */
const ASKED_FOR: ReadonlySet<string> = new Set([TAINT_KEY.disrupted, TAINT_KEY.unschedulable])
