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
