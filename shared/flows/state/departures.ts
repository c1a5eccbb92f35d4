import type { Change } from '../../model/change.ts'
import type { NodeName } from '../../model/ids.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'

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
export function nodeOccupiedBy(change: Change): NodeName | undefined {
  const isOfDaemonSet = change.op === 'put' && change.kind === 'pod' && change.object.owner?.kind === 'DaemonSet'
  return isOfDaemonSet ? undefined : nodeOf(change)
}

/** The node that this version of a pod runs on. Undefined if it has ended. */
function nodeOf(change: Change): NodeName | undefined {
  if (change.op !== 'put' || change.kind !== 'pod') return undefined
  const { nodeName, phase } = change.object
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : nodeName
}
