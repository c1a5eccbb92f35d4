import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'

/** The same snapshot with every list in another order. The same seed gives the same order. */
export function shuffled(before: ClusterSnapshot, seed: number): ClusterSnapshot {
  const random = numbers(seed)
  const mix = <Item>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => ({ item, rank: random() }))
      .sort((first, second) => first.rank - second.rank)
      .map(({ item }) => item)
  const objects = Object.fromEntries(Object.entries(before.objects).map(([kind, list]) => [kind, mix<unknown>(list)]))
  return {
    ...before,
    objects: { ...before.objects, ...objects },
    instanceTypes: new Map(mix([...before.instanceTypes]).map(([name, types]) => [name, mix(types)])),
    nominations: mix(before.nominations),
    unavailable: mix(before.unavailable),
    demoted: mix(before.demoted ?? []),
    drafts: mix(before.drafts),
  }
}

function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
}
