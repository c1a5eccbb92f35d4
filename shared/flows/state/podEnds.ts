import { largestOf } from '../../base/lists.ts'
import type { Change } from '../../model/change.ts'
import type { MachineNames, NodeName } from '../../model/ids.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

/**
 * The pods that end on nodes that stay: a controller deletes them, or they have ended by themselves. Pods of DaemonSets do not count, nor do pods of
 * nodes that are drained or gone.
 */
export interface PodEnds {
  /** Notes that a version of an object replaced another. */
  note(before: Change | undefined, after: Change): void
  /** The times, `from` or later, at which pods began to end or left their nodes. Times are kept for ten seconds. */
  since(from: EpochMs): readonly EpochMs[]
  /** The number of pods that are ending and whose deletion time is `from` or later. Pods with an earlier time are forgotten. */
  ending(from: EpochMs): number
}

/** How long a time is kept after the newest. */
const ENDS_KEPT = durationMs(10_000)

/** `isStaying`: reports whether the node exists and is not drained. */
export function createPodEnds(isStaying: (node: NodeName) => boolean): PodEnds {
  /** The deletion times of ending pods, by key. */
  const ending = new Map<string, EpochMs>()
  let ends: EpochMs[] = []
  let mostEnds = 0

  function noteEnd(at: EpochMs): void {
    ends.push(at)
    if (ends.length <= mostEnds) return
    const newest = largestOf(ends, at)
    ends = ends.filter((each) => later(each, ENDS_KEPT) >= newest)
    mostEnds = 2 * ends.length
  }

  return {
    note(before, after) {
      const node = before && nodeOccupiedBy(before)
      if (node === undefined) return
      const hasLeft = nodeOccupiedBy(after) !== node
      const deletedAt = deletionOf(after)
      const hasBegun = deletedAt !== undefined && !ending.has(after.key)
      if (isStaying(node) && (hasLeft || hasBegun)) noteEnd(after.at)
      if (hasLeft) ending.delete(after.key)
      else if (deletedAt !== undefined && isStaying(node)) ending.set(after.key, deletedAt)
    },
    since: (from) => ends.filter((at) => at >= from),
    ending(from) {
      for (const [key, deletedAt] of ending) if (deletedAt < from) ending.delete(key)
      return ending.size
    },
  }
}

function deletionOf(change: Change): EpochMs | undefined {
  return change.op === 'put' && change.kind === 'pod' ? change.object.deletedAt : undefined
}

/** The times at which pods last left their nodes. */
export interface Departures {
  /** Notes that a version of an object replaced another. */
  note(before: Change | undefined, after: Change): void
  leftAt(node: NodeName): EpochMs | undefined
  /** Returns the nodes that pods left since the last call. */
  takeLeft(): readonly NodeName[]
  /** Returns the nodes that pods left since the last call. Pods of DaemonSets count here. */
  takeExits(): readonly NodeName[]
  /** Forgets nodes that are gone. */
  keep(isThere: (node: NodeName) => boolean): void
}

export function createDepartures(): Departures {
  const last = new Map<NodeName, EpochMs>()
  const left = new Set<NodeName>()
  const exits = new Set<NodeName>()
  return {
    note(before, after) {
      const ranOn = before && nodeOf(before)
      if (ranOn !== undefined && nodeOf(after) !== ranOn) exits.add(ranOn)
      const node = before && nodeOccupiedBy(before)
      if (node === undefined || nodeOccupiedBy(after) === node) return
      left.add(node)
      last.set(node, epochMs(Math.max(after.at, last.get(node) ?? 0)))
    },
    leftAt: (node) => last.get(node),
    takeLeft: () => takeAll(left),
    takeExits: () => takeAll(exits),
    keep(isThere) {
      for (const node of last.keys()) if (!isThere(node)) last.delete(node)
    },
  }
}

function takeAll(nodes: Set<NodeName>): readonly NodeName[] {
  const all = [...nodes]
  nodes.clear()
  return all
}

/** The node that this version of a pod runs on, if the pod keeps the node from being empty. */
function nodeOccupiedBy(change: Change): NodeName | undefined {
  const isOfDaemonSet = change.op === 'put' && change.kind === 'pod' && change.object.owner?.kind === 'DaemonSet'
  return isOfDaemonSet ? undefined : nodeOf(change)
}

/** The node that this version of a pod runs on. Undefined if it has ended. */
function nodeOf(change: Change): NodeName | undefined {
  if (change.op !== 'put' || change.kind !== 'pod') return undefined
  const { nodeName, phase } = change.object
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : nodeName
}

/** The claim with the time at which a pod last left its node, if that is later than its own. `consolidateAfter` runs from that time. */
export function withPodEvent(
  claim: NodeClaim,
  seen: { readonly podLeftAt: (node: NodeName) => EpochMs | undefined },
  names: MachineNames,
): NodeClaim {
  const leftAt = seen.podLeftAt(nodeNameOf(claim, names))
  const known = claim.status.lastPodEventAt
  return leftAt === undefined || (known !== undefined && known >= leftAt)
    ? claim
    : { ...claim, status: { ...claim.status, lastPodEventAt: leftAt } }
}
