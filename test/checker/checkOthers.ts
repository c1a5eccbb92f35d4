/** Checks the rules that involve several nodes, for the combinations of machines that the claims may become. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { type PodToBind, unboundPods } from './bindingOrder.ts'
import { looksAtOthers } from './interPodRules.ts'
import { nameOf } from './kubernetesRules.ts'
import { daemonsBefore, type NodeView } from './nodeView.ts'
import { hardSpread } from './spreadCounts.ts'
import { type Violation, violation } from './violation.ts'

/** One place of the plan: the nodes that the claim may become, and the pods. */
export type PlannedNode = { readonly views: readonly NodeView[]; readonly pods: readonly Pod[] }

/** Pods that the plan does not mention, because a node without a claim will take them. */
export type UnmentionedPod = PodToBind

const MOST_CASES = 24

export function checkOthers(
  snapshot: ClusterSnapshot,
  places: readonly PlannedNode[],
  silent: readonly UnmentionedPod[],
): readonly Violation[] {
  const planned = places.flatMap(({ pods }) => pods)
  const bound = places.flatMap(({ views: [view] }) => view?.bound ?? [])
  const daemons = new Set(places.flatMap(({ views }) => views.flatMap(daemonsBefore)))
  const all = [...planned, ...bound, ...daemons]
  if (!all.some(looksAtOthers)) return []
  const keys = keysThatMatter(all)
  // A machine in flight without planned pods may join after the pods are bound.
  const there = places.filter(({ views: [view], pods }) => pods.length > 0 || view?.isNew === false)
  const choices = there.map(({ views }) => distinctViews(views, keys))
  const found = new Map<string, Violation>()
  for (const views of casesOf(choices)) {
    const coming = there.flatMap(({ pods }, index) =>
      pods.map((pod) => ({ pod, nodes: [views[index]].filter((view) => view !== undefined) })),
    )
    const nodes = views.filter((view) => view !== undefined)
    for (const { pod, refusal } of unboundPods(nodes, [...coming, ...silent], snapshot.objects.namespace)) {
      if (silent.some((each) => each.pod === pod)) continue
      const at = coming.find((each) => each.pod === pod)?.nodes[0]?.title
      if (!found.has(pod.key)) found.set(pod.key, violation(refusal.rule, `pod ${pod.key}`, `cannot be bound to ${at}: ${refusal.message}`))
    }
  }
  return [...found.values()]
}

/** The topology keys, and the labels by which pods with a hard spread select nodes. */
function keysThatMatter(pods: readonly Pod[]): ReadonlySet<string> {
  const keys = pods.flatMap((pod) => {
    const terms = [...pod.podAffinity.required, ...pod.podAntiAffinity.required].map((each) => each.topologyKey)
    const spread = hardSpread(pod).map((each) => each.topologyKey)
    const chosen = (pod.requiredNodeTerms ?? []).flatMap(({ matchExpressions }) => matchExpressions.map(({ key }) => key))
    return [...terms, ...spread, ...(spread.length > 0 ? [...Object.keys(pod.nodeSelector), ...chosen] : [])]
  })
  return new Set(keys.map(nameOf))
}

function distinctViews(views: readonly NodeView[], keys: ReadonlySet<string>): readonly NodeView[] {
  const distinct = new Map(
    views.toReversed().map((view) => [JSON.stringify([...keys].map((key) => ownValue(view.labels, key) ?? null)), view]),
  )
  return [...distinct.values()].toReversed()
}

/** Every combination if they are few. Otherwise a sample in which every choice of every place occurs beside different others. */
function* casesOf(choices: readonly (readonly NodeView[])[]): Generator<readonly (NodeView | undefined)[]> {
  const total = choices.reduce((product, each) => product * Math.max(1, each.length), 1)
  const isAll = total <= MOST_CASES
  for (let index = 0; index < (isAll ? total : MOST_CASES); index++) {
    let rest = index
    yield choices.map((each, place) => {
      if (each.length === 0) return undefined
      const pick = isAll ? rest % each.length : (index * (1 + (place % 5)) + place * Math.floor(index / 3)) % each.length
      rest = Math.floor(rest / each.length)
      return each[pick]
    })
  }
}
