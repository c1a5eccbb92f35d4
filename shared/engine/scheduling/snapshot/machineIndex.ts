/** Nodes, claims and bound pods, joined into machines. What changes makes only its own machines anew. */
import type { NodeName, ProviderId } from '../../../model/ids.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { differing, type Leaving, NOBODY_LEAVES } from '../../cluster/leaving.ts'
import { type StateNode, stateNodeOf } from '../../cluster/stateNode.ts'
import { createByInstance } from './byInstance.ts'
import { createPodsByNode } from './podsByNode.ts'

/** A machine under the name of its node, or a claim that has none under its own: `id` tells which. */
export type MachineChange = { readonly id: string; readonly machine: StateNode | undefined }

export interface MachineIndex {
  readonly nodes: ReadonlyMap<string, Node>
  readonly claims: ReadonlyMap<string, NodeClaim>
  setNode(name: string, node: Node | undefined): void
  setClaim(name: string, claim: NodeClaim | undefined): void
  /** Pods that use the node, whether or not it is there. */
  podsOn(node: NodeName): readonly Pod[]
  bind(pod: Pod, node: NodeName): void
  unbind(pod: Pod, node: NodeName): void
  /** Claims that moves under way take away; all others stay or end by themselves. */
  setLeaving(claims: Leaving): void
  /** Machines that are not what they were when this was asked last. */
  changes(): readonly MachineChange[]
}

export function createMachineIndex(): MachineIndex {
  const nodes = new Map<string, Node>()
  const claims = new Map<string, NodeClaim>()
  const pods = createPodsByNode()
  const nodesOf = createByInstance()
  const claimsOf = createByInstance()
  const changedNodes = new Set<string>()
  const changedClaims = new Set<string>()
  let leaving = NOBODY_LEAVES

  function touch(instance: ProviderId | undefined): void {
    for (const name of nodesOf.of(instance)) changedNodes.add(name)
    for (const name of claimsOf.of(instance)) changedClaims.add(name)
  }

  function touchClaim(name: string): void {
    changedClaims.add(name)
    touch(claims.get(name)?.status.providerId)
  }

  /** Of several claims that say they made the same instance, the last by name. */
  function claimOf(instance: ProviderId | undefined): NodeClaim | undefined {
    let last = ''
    for (const name of claimsOf.of(instance)) if (name > last) last = name
    return claims.get(last)
  }

  const ofNode = (node: Node): StateNode => stateNodeOf(node, claimOf(node.providerId), pods.on(node.name), leaving)
  const machineOfNode = (name: string): StateNode | undefined => optional(nodes.get(name), ofNode)

  function machineOfClaim(name: string): StateNode | undefined {
    const claim = claims.get(name)
    const instance = claim?.status.providerId
    const isJoined = nodesOf.of(instance).size > 0 && claimOf(instance) === claim
    return isJoined ? undefined : optional(claim, (alone) => stateNodeOf(undefined, alone, [], leaving))
  }

  return {
    nodes,
    claims,
    setNode(name, node) {
      const before = nodes.get(name)?.providerId
      put(nodes, name, node)
      changedNodes.add(name)
      nodesOf.move(name, before, node?.providerId)
      if (before !== node?.providerId) touch(before)
      touch(node?.providerId)
    },
    setClaim(name, claim) {
      const before = claims.get(name)?.status.providerId
      put(claims, name, claim)
      claimsOf.move(name, before, claim?.status.providerId)
      if (before !== claim?.status.providerId) touch(before)
      touchClaim(name)
    },
    podsOn: pods.on,
    bind(pod, node) {
      pods.add(pod, node)
      changedNodes.add(node)
    },
    unbind(pod, node) {
      pods.remove(pod, node)
      changedNodes.add(node)
    },
    setLeaving(next) {
      for (const name of differing(leaving, next)) touchClaim(name)
      leaving = next
    },
    changes: () => [
      ...taken(changedNodes).map((name) => ({ id: `node ${name}`, machine: machineOfNode(name) })),
      ...taken(changedClaims).map((name) => ({ id: `claim ${name}`, machine: machineOfClaim(name) })),
    ],
  }
}

function optional<Value, Result>(value: Value | undefined, map: (value: Value) => Result): Result | undefined {
  return value === undefined ? undefined : map(value)
}

function taken(names: Set<string>): readonly string[] {
  const list = [...names]
  names.clear()
  return list
}

function put<Value>(map: Map<string, Value>, name: string, value: Value | undefined): void {
  if (value === undefined) map.delete(name)
  else map.set(name, value)
}
