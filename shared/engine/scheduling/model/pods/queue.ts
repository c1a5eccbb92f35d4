import { inOrder, type Order } from '../../../../base/lists.ts'
import type { Candidate } from './candidate.ts'
import type { PodClass } from './constraint.ts'
import { byAge, bySize, type PodList } from './podReplicas.ts'

/** Pods that no rule can tell apart. `first` is the candidate of the first pod. */
export type EquivalenceClass = PodList & { readonly first: Candidate }

/** Pods in the order in which Karpenter would take them. */
export type Queue = {
  /** The equivalence classes, in the order of their first pods. */
  readonly alike: readonly EquivalenceClass[]
  readonly runs: readonly Run[]
}

/** Consecutive pods of one class: the position of the class in `alike`, and the number of pods. */
export type Run = { readonly at: number; count: number }

/** Consecutive pods of one class: one pod or more. `from`: the place of the first relaxed pod that they ask for, 0 by default. */
export type QueueEntry = { readonly podClass: PodClass; readonly count: number; readonly from?: number }

/** A candidate with the number of its class. `rank`: how many candidates of buffers come before it, or REAL. */
export type Grouped = { readonly candidate: Candidate; readonly group: number; readonly rank: number }

/** The rank of candidates that are real pods. */
export const REAL = -1

/** Queues the pods. Pods of buffers come after all real pods or, as in Karpenter, after the real pods of their size. */
export function queueOf(grouped: readonly Grouped[], buffersBySize: boolean): Queue {
  const order = orderOf(grouped, buffersBySize)
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

/** Ranks order nothing if all candidates are real pods, as in nearly all clusters. */
function orderOf(grouped: readonly Grouped[], buffersBySize: boolean): Order<Grouped> {
  if (grouped.every(({ rank }) => rank === REAL)) return bySizeOfPods
  return buffersBySize ? inOrder(bySizeOfPods, byRank) : inOrder(realFirst, bySizeOfPods, byRank)
}

const bySizeOfPods: Order<Grouped> = (one, other) => bySize(one.candidate.pod, other.candidate.pod)
const byRank: Order<Grouped> = (one, other) => one.rank - other.rank
const realFirst: Order<Grouped> = (one, other) => Math.min(one.rank, 0) - Math.min(other.rank, 0)

/** Splits the list into stretches that are equal in the order. The pods of a stretch take turns by age. */
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

/** Joins the candidates of one class. Pods of real candidates come first, by age, and then the pods of buffers. */
function classesOf(own: readonly Grouped[]): readonly EquivalenceClass[] {
  if (own.length < 2) return own.map(({ candidate }) => ({ first: candidate, count: candidate.count, pods: candidate.pods }))
  const podsOf = (isReal: boolean) => own.flatMap(({ candidate, rank }) => ((rank === REAL) === isReal ? candidate.pods() : []))
  const all = [...podsOf(true).sort(byAge), ...podsOf(false)]
  const first = own.filter(({ candidate }) => candidate.pods()[0] === all[0])
  return first.map(({ candidate }) => ({ first: candidate, count: all.length, pods: () => all }))
}
