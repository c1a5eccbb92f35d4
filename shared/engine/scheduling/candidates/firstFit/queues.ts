/**
 * The order in which the entries of a queue are tried, pass after pass. An entry that found no place is tried again only after a change that may
 * help.
 */

import type { PodClass, RelaxedPod } from '../../model/pods/constraint.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'

/** Hot code: the queue is a buffer of its caller. A place is the index of an entry of the queue. */
export interface ActiveQueue {
  /** The next place to try, -1 if no further try can help. */
  next(): number
  /** True while the class waits for a change since it found no place. */
  isAsleep(podClass: PodClass): boolean
  /** Lets the entry wait for a change. `waitsForCounts`: only a change of counts that its rules look at can help. */
  sleep(place: number, podClass: PodClass, waitsForCounts: boolean): void
  /** Wakes the classes whose rules look at these pods, which have got a place. */
  placed(podClass: PodClass, relaxedPod: RelaxedPod): void
  /** Wakes all classes that do not wait for counts alone. */
  changed(): void
}

type Sleeper = { readonly podClass: PodClass; readonly places: number[]; isAsleep: boolean; waitsForCounts: boolean }

export function createActiveQueue(count: number): ActiveQueue {
  let now = createQueue(itself)
  let later = createQueue(itself)
  let current = -1
  const sleepers = new Map<PodClass, Sleeper>()
  const listening = new Set<Sleeper>()
  const byGroup = new Map<TopologyGroup, Sleeper[]>()
  now.extend(count)

  function sleeperOf(podClass: PodClass): Sleeper {
    const known = sleepers.get(podClass)
    if (known !== undefined) return known
    const made: Sleeper = { podClass, places: [], isAsleep: false, waitsForCounts: false }
    sleepers.set(podClass, made)
    for (const group of rulesOf(podClass)) {
      const others = byGroup.get(group)
      if (others === undefined) byGroup.set(group, [made])
      else others.push(made)
    }
    return made
  }

  function wake(sleeper: Sleeper): void {
    if (!sleeper.isAsleep) return
    sleeper.isAsleep = false
    listening.delete(sleeper)
    for (const place of sleeper.places) (place > current ? now : later).add(place)
    sleeper.places.length = 0
  }

  return {
    next() {
      if (now.first() < 0) {
        ;[now, later] = [later, now]
        current = -1
      }
      const place = now.first()
      if (place < 0) return place
      now.dropFirst()
      current = place
      return place
    },
    isAsleep: (podClass) => sleepers.get(podClass)?.isAsleep === true,
    sleep(place, podClass, waitsForCounts) {
      const sleeper = sleeperOf(podClass)
      sleeper.places.push(place)
      if (sleeper.isAsleep) return
      sleeper.isAsleep = true
      sleeper.waitsForCounts = waitsForCounts
      if (!waitsForCounts) listening.add(sleeper)
    },
    placed({ counted }, { owned }) {
      if (byGroup.size === 0) return
      for (const group of counted) for (const sleeper of byGroup.get(group) ?? NOBODY) wake(sleeper)
      for (const group of owned) for (const sleeper of byGroup.get(group) ?? NOBODY) wake(sleeper)
    },
    changed() {
      for (const sleeper of listening) wake(sleeper)
    },
  }
}

const NOBODY: readonly Sleeper[] = []

function itself(place: number): number {
  return place
}

/** The groups whose counts decide where pods of the class may go. */
function rulesOf({ relaxedPods, repelledBy }: PodClass): ReadonlySet<TopologyGroup> {
  const groups = new Set(repelledBy)
  for (const { spread, affinity, antiAffinity } of relaxedPods)
    for (const rules of [spread, affinity, antiAffinity]) for (const group of rules) groups.add(group)
  return groups
}

/** A queue of numbers in the order of their ranks. A rank may grow at any time: the member is moved to its right place when it comes first. */
export interface LazyQueue {
  /** Adds all numbers below `end` that have never been members. */
  extend(end: number): void
  /** The member of least rank, -1 if the queue is empty. */
  first(): number
  dropFirst(): void
  add(member: number): void
}

/** A binary heap. */
export function createQueue(rankOf: (member: number) => number): LazyQueue {
  const members: number[] = []
  /** The rank that each member had when it was put in its place. */
  const ranks: number[] = []
  let known = 0

  function rise(from: number, member: number, rank: number): void {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      const other = ranks[above] ?? 0
      if (other <= rank) break
      put(at, members[above] ?? 0, other)
      at = above
    }
    put(at, member, rank)
  }

  function sink(from: number, member: number, rank: number): void {
    let at = from
    for (;;) {
      let below = 2 * at + 1
      if (below >= members.length) break
      if (below + 1 < members.length && (ranks[below + 1] ?? 0) < (ranks[below] ?? 0)) below++
      const other = ranks[below] ?? 0
      if (other >= rank) break
      put(at, members[below] ?? 0, other)
      at = below
    }
    put(at, member, rank)
  }

  function put(at: number, member: number, rank: number): void {
    members[at] = member
    ranks[at] = rank
  }

  return {
    add: (member) => rise(members.length, member, rankOf(member)),
    extend(end) {
      const isMany = end - known > members.length
      for (; known < end; known++) {
        if (isMany) put(members.length, known, rankOf(known))
        else rise(members.length, known, rankOf(known))
      }
      if (isMany) for (let at = (members.length >> 1) - 1; at >= 0; at--) sink(at, members[at] ?? 0, ranks[at] ?? 0)
    },
    first() {
      for (;;) {
        const member = members[0]
        if (member === undefined) return -1
        const rank = rankOf(member)
        if (rank === ranks[0]) return member
        sink(0, member, rank)
      }
    },
    dropFirst() {
      const member = members.pop()
      const rank = ranks.pop()
      if (members.length > 0 && member !== undefined && rank !== undefined) sink(0, member, rank)
    },
  }
}
