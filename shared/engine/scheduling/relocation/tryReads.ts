/** Tells whether tries of an earlier decision would still end as they did, without making them again. */
import { remembered } from '../../../base/caches.ts'
import { canonicalJson } from '../../../base/json.ts'
import { leastOf } from '../../../base/lists.ts'
import { OBJECT_KINDS } from '../../../model/clusterObjects.ts'
import { type DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import type { RoomChange } from '../model/cluster/freeCapacity.ts'
import type { PoolsNow } from '../model/cluster/poolCache.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { ExistingNodeInput } from '../model/nodes/existingNodeOf.ts'
import { type Amounts, type Axes, fits } from '../model/quantities/amounts.ts'
import type { OtherKind, OtherObjects } from '../snapshot/otherObjects.ts'
import type { RelocationProblem } from './relocationProblem.ts'

/** What tries have read, besides the machines that they close and the order of the places. */
export type TryReads = {
  readonly axes: Axes
  readonly pools: PoolsNow
  /** The amounts that the pods of the tries ask for, each once. */
  readonly asks: readonly Amounts[]
  /** The least of these, axis by axis. */
  readonly least: Amounts
  /** True if rules about neighbours count for some of the pods. */
  readonly countsNeighbours: boolean
}

/**
 * Returns a function that gives the reads of all tries about this problem. Call it before the first try. It returns undefined if it cannot be told
 * from changes whether the tries would end differently.
 */
export function readsOf({ problem: { axes, pools, classes, groups, newDaemons } }: RelocationProblem): () => TryReads | undefined {
  const domains = (): number => groups.all.reduce((sum, { known }) => sum + known.size, 0)
  const before = domains()
  return () => {
    // A pod with a shared volume may fit where its amounts do not, so every node is asked. A domain that a try has added stays for later tries.
    if (classes.some(({ shared }) => shared.length > 0) || domains() !== before) return undefined
    const asks = [...new Map(classes.map(({ amounts }) => [amounts.join(), amounts])).values()]
    return { axes, pools, asks, least: leastOn(axes, asks), countsNeighbours: groups.all.length > 0 || newDaemons !== undefined }
  }
}

function leastOn({ names, drivers }: Axes, asks: readonly Amounts[]): Amounts {
  return Float64Array.from({ length: names.length + drivers.length }, (_, axis) => leastOf(asks.map((amounts) => amounts[axis] ?? 0)))
}

/** What has changed since the last decision that asked. */
export interface TryChanges {
  /**
   * Reports whether places and neighbours are as before to tries with these reads. `moved`: nodes that have become places or ceased to be, or that
   * have changed their position among the places.
   */
  stands(reads: TryReads, moved: readonly string[]): boolean
  /** Reports whether the pools may make the same machines. */
  hasSamePools(reads: TryReads): boolean
}

export interface TryWatch {
  /** Undefined if no try of an earlier decision stands. `isIdle`: no pod waits for a place. */
  changes(context: DecisionContext, isIdle: boolean): TryChanges | undefined
}

export function createTryWatch(cluster: Cluster): TryWatch {
  let last: Basis | undefined
  return {
    changes(context, isIdle) {
      const basis =
        isIdle && context.drafts.length === 0 && cluster.machines.deleting().length === 0 ? basisOf(cluster, context) : undefined
      const isSameBasis = basis !== undefined && last !== undefined && isEqual(basis, last)
      last = basis
      const rooms = cluster.machines.placeChanges.take()
      const neighbours = cluster.pods.neighbourChanges.take()
      if (basis === undefined || !isSameBasis || rooms === undefined || neighbours === 'rules') return undefined
      // The same few places are looked at for each kept look, mostly on the same axes.
      const freeOf = freeOfPlaces()
      const mayTake = (existingNode: ExistingNode | undefined, { axes, asks, least }: TryReads): boolean => {
        if (existingNode === undefined) return false
        const free = freeOf(existingNode, axes)
        // A node on which none of the amounts fit is not even asked.
        return fits(least, free) && asks.some((amounts) => fits(amounts, free))
      }
      return {
        stands(reads, moved) {
          if (reads.countsNeighbours && neighbours !== 'none') return false
          const isOutOfReach = ({ before, after }: RoomChange): boolean => !mayTake(before, reads) && !mayTake(after, reads)
          return rooms.every(isOutOfReach) && moved.every((name) => !mayTake(cluster.machines.placeOf(name), reads))
        },
        hasSamePools: ({ axes, pools }) => cluster.poolsOn(context, basis.input, axes) === pools,
      }
    },
  }
}

function freeOfPlaces(): (existingNode: ExistingNode, axes: Axes) => Amounts {
  const byAxes = remembered((_key: string) => new Map<ExistingNode, Amounts>())
  return (existingNode, axes) => {
    const known = byAxes(axes.key)
    const free = known.get(existingNode) ?? existingNode.freeOn(axes)
    known.set(existingNode, free)
    return free
  }
}

/** What all tries read. `text`: the parts that are compared by value. */
type Basis = { readonly input: ExistingNodeInput; readonly objects: OtherObjects; readonly text: string }

function basisOf(cluster: Cluster, context: DecisionContext): Basis {
  const { objects, machines } = cluster
  const { settings, unavailable, demoted = [], claimRefusals = [], takenAt } = context
  const input = cluster.settle(context)
  const live = [...unavailable, ...claimRefusals].filter(({ until }) => until > takenAt)
  const limited = objects.nodePool.filter(({ limits }) => Object.keys(limits).length > 0)
  const used = limited.map(({ name }) => [name, machines.usage.of(name)])
  return { input, objects, text: canonicalJson([settings, live, demoted, used]) }
}

function isEqual(first: Basis, second: Basis): boolean {
  return first.input === second.input && first.text === second.text && READ.every((kind) => first.objects[kind] === second.objects[kind])
}

/** The kinds that tries read. PodDisruptionBudgets count only for machines that are being deleted and for pods that end with their machine. */
const READ: readonly OtherKind[] = OBJECT_KINDS.filter(
  (kind) => kind !== 'pod' && kind !== 'node' && kind !== 'nodeClaim' && kind !== 'podDisruptionBudget',
)
