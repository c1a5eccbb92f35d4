/** Nodes, claims and bound pods, joined into machines. A change makes only the machines anew that it concerns. */
import type { NodeName, ProviderId } from '../../../model/ids.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { differing, type Leaving, NOBODY_LEAVES, type StateNode, stateNodeOf } from '../../cluster/stateNode.ts'

/** A machine by the name of its node, or by the name of its claim if it has no node. `id` tells which. `machine` is undefined if it is gone. */
export type MachineChange = { readonly id: string; readonly machine: StateNode | undefined }

export interface MachineIndex {
  readonly nodes: ReadonlyMap<string, Node>
  readonly claims: ReadonlyMap<string, NodeClaim>
  setNode(name: string, node: Node | undefined): void
  setClaim(name: string, claim: NodeClaim | undefined): void
  /** Pods that use the node, whether or not the node exists. */
  podsOn(node: NodeName): readonly Pod[]
  bind(pod: Pod, node: NodeName): void
  unbind(pod: Pod, node: NodeName): void
  /** Sets the claims that moves under way take away. All others stay or end by themselves. */
  setLeaving(claims: Leaving): void
  /** The machines that have changed since the last call. */
  changes(): readonly MachineChange[]
}

export function createMachineIndex(): MachineIndex {
  const nodes = createShelf((node: Node) => node.providerId)
  const claims = createShelf((claim: NodeClaim) => claim.status.providerId)
  const pods = createPodsByNode()
  let leaving = NOBODY_LEAVES

  function touch(instances: Iterable<ProviderId | undefined>): void {
    for (const instance of instances) {
      nodes.touch(instance)
      claims.touch(instance)
    }
  }

  /** The claim of an instance. If several claims name the instance, the last by name counts. */
  function claimOf(instance: ProviderId | undefined): NodeClaim | undefined {
    let last = ''
    for (const name of claims.of(instance)) if (name > last) last = name
    return claims.all.get(last)
  }

  const ofNode = (node: Node): StateNode => stateNodeOf(node, claimOf(node.providerId), pods.on(node.name), leaving)
  const machineOfNode = (name: string): StateNode | undefined => optional(nodes.all.get(name), ofNode)

  function machineOfClaim(name: string): StateNode | undefined {
    const claim = claims.all.get(name)
    const instance = claim?.status.providerId
    const isJoined = nodes.of(instance).size > 0 && claimOf(instance) === claim
    return isJoined ? undefined : optional(claim, (alone) => stateNodeOf(undefined, alone, [], leaving))
  }

  return {
    nodes: nodes.all,
    claims: claims.all,
    setNode: (name, node) => touch(nodes.set(name, node)),
    setClaim: (name, claim) => touch(claims.set(name, claim)),
    podsOn: pods.on,
    bind(pod, node) {
      pods.add(pod, node)
      nodes.changed.add(node)
    },
    unbind(pod, node) {
      pods.remove(pod, node)
      nodes.changed.add(node)
    },
    setLeaving(next) {
      for (const name of differing(leaving, next)) touch(claims.set(name, claims.all.get(name)))
      leaving = next
    },
    changes: () => [
      ...taken(nodes.changed).map((name) => ({ id: `node ${name}`, machine: machineOfNode(name) })),
      ...taken(claims.changed).map((name) => ({ id: `claim ${name}`, machine: machineOfClaim(name) })),
    ],
  }
}

/** Objects of one kind by name and by their instance, and the names of the objects to look at again. */
function createShelf<Value>(instanceOf: (value: Value) => ProviderId | undefined) {
  const all = new Map<string, Value>()
  const byInstance = createByInstance()
  const changed = new Set<string>()
  return {
    all,
    changed,
    of: byInstance.of,
    touch(instance: ProviderId | undefined): void {
      for (const name of byInstance.of(instance)) changed.add(name)
    },
    /** Sets or removes the object. Returns the instances that it had before and has now. */
    set(name: string, value: Value | undefined): ReadonlySet<ProviderId | undefined> {
      const before = optional(all.get(name), instanceOf)
      const after = optional(value, instanceOf)
      put(all, name, value)
      changed.add(name)
      byInstance.move(name, before, after)
      return new Set([before, after])
    },
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

/** Names of the nodes or claims of each cloud instance. */
export interface ByInstance {
  /** Records that the name has another instance now, or none. */
  move(name: string, before: ProviderId | undefined, after: ProviderId | undefined): void
  of(instance: ProviderId | undefined): ReadonlySet<string>
}

function createByInstance(): ByInstance {
  const names = new Map<ProviderId, Set<string>>()
  return {
    move(name, before, after) {
      if (before === after) return
      const old = before === undefined ? undefined : names.get(before)
      old?.delete(name)
      if (before !== undefined && old?.size === 0) names.delete(before)
      if (after === undefined) return
      const known = names.get(after)
      if (known === undefined) names.set(after, new Set([name]))
      else known.add(name)
    },
    of: (instance) => (instance === undefined ? NONE : (names.get(instance) ?? NONE)),
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Pods that use a node, whether or not the node exists. */
export interface PodsByNode {
  /** Returns a list that is changed in place while pods come and go. */
  on(node: NodeName): readonly Pod[]
  add(pod: Pod, node: NodeName): void
  remove(pod: Pod, node: NodeName): void
}

function createPodsByNode(): PodsByNode {
  const pods = new Map<NodeName, Pod[]>()
  return {
    on: (node) => pods.get(node) ?? NO_PODS,
    add(pod, node) {
      const present = pods.get(node)
      if (present === undefined) pods.set(node, [pod])
      else present.push(pod)
    },
    remove(pod, node) {
      const present = pods.get(node)
      const at = present?.indexOf(pod) ?? -1
      if (present === undefined || at < 0) return
      if (present.length === 1) pods.delete(node)
      else present.splice(at, 1)
    },
  }
}

const NO_PODS: readonly Pod[] = []
