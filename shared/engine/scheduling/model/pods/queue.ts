import { inOrder, type Order } from '../../../../base/order.ts'
import type { Candidate } from './candidate.ts'
import type { PodClass } from './podClass.ts'
import type { PodList } from './podReplicas.ts'
import { byAge, bySize } from './queueOrder.ts'

/** Pods that no rule can tell apart. `first` is of the first of them. */
export type EquivalenceClass = PodList & { readonly first: Candidate }

/** Pods one after another as Karpenter would take them. */
export type Queue = {
  /** In the order of their first pods. */
  readonly alike: readonly EquivalenceClass[]
  readonly runs: readonly Run[]
}

/** Pods in a row that are alike: their place in the list of these, and how many. */
export type Run = { readonly at: number; count: number }

/** One pod of a class, or several in a row. */
export type QueueEntry = { readonly podClass: PodClass; readonly count: number }

/** A candidate among those it is alike with, which have one number; `rank`: how many buffers come before its own. */
export type Grouped = { readonly candidate: Candidate; readonly group: number; readonly rank: number }

/** The rank of candidates that are there. */
export const REAL = -1

/** Pods of buffers come after all real ones; or, as Karpenter has it, after those of their size. */
export function queueOf(grouped: readonly Grouped[], buffersBySize: boolean): Queue {
  const order = buffersBySize ? inOrder(bySizeOfPods, byRank) : inOrder(realFirst, bySizeOfPods, byRank)
  const stretches = stretchesOf([...grouped].sort(order), order)
  const places = new Map<number, number>()
  const runs: Run[] = []
  for (const { group, count } of stretches.flatMap(turnsOf)) {
    const at = places.get(group) ?? places.size
    places.set(group, at)
    const last = runs.at(-1)
    if (last?.at === at) last.count += count
    else runs.push({ at, count })
  }
  const byGroup = Map.groupBy(stretches.flat(), ({ group }) => group)
  return { alike: [...places.keys()].flatMap((group) => classesOf(byGroup.get(group) ?? [])), runs }
}

const bySizeOfPods: Order<Grouped> = (one, other) => bySize(one.candidate.pod, other.candidate.pod)
const byRank: Order<Grouped> = (one, other) => one.rank - other.rank
const realFirst: Order<Grouped> = (one, other) => Math.min(one.rank, 0) - Math.min(other.rank, 0)

/** What the order holds for equal: their pods take turns. */
function stretchesOf(sorted: readonly Grouped[], order: Order<Grouped>): readonly (readonly Grouped[])[] {
  const stretches: Grouped[][] = []
  let first: Grouped | undefined
  for (const each of sorted) {
    if (first !== undefined && order(first, each) === 0) stretches.at(-1)?.push(each)
    else {
      stretches.push([each])
      first = each
    }
  }
  return stretches
}

type Turn = { readonly group: number; readonly count: number }

function turnsOf(stretch: readonly Grouped[]): readonly Turn[] {
  if (stretch.length === 1) return stretch.map(({ candidate, group }) => ({ group, count: candidate.count }))
  const pods = stretch.flatMap(({ candidate, group }) => candidate.pods().map((pod) => ({ pod, group })))
  return pods.sort((one, other) => byAge(one.pod, other.pod)).map(({ group }) => ({ group, count: 1 }))
}

/** Pods of real candidates take turns; those of buffers come after them. */
function classesOf(own: readonly Grouped[]): readonly EquivalenceClass[] {
  if (own.length < 2) return own.map(({ candidate }) => ({ first: candidate, count: candidate.count, pods: candidate.pods }))
  const podsOf = (isReal: boolean) => own.flatMap(({ candidate, rank }) => ((rank === REAL) === isReal ? candidate.pods() : []))
  const all = [...podsOf(true).sort(byAge), ...podsOf(false)]
  const first = own.filter(({ candidate }) => candidate.pods()[0] === all[0])
  return first.map(({ candidate }) => ({ first: candidate, count: all.length, pods: () => all }))
}
