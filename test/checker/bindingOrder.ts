/**
 * Searches for a binding order: an order in which each pod passes kube-scheduler's filters on its planned node when its turn comes.
 * One such order is enough, because pods that the scheduler takes in another order come back and are planned again.
 */
import { ownValue } from '../../shared/base/values.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Namespace } from '../../shared/model/workloads.ts'
import { createRandom } from '../agreement/random.ts'
import { daemonsJoining, helpersOf, looksAtOthers, type Refusal, refusalNow } from './interPodRules.ts'
import { nameOf } from './kubernetesRules.ts'
import { bindTo, type Nodes, nodesOf } from './nodes.ts'
import type { NodeView } from './nodeView.ts'
import { hardSpread } from './spreadCounts.ts'

export type PodToBind = {
  readonly pod: Pod
  /** The nodes that the pod may be bound to, in order of preference. A single node if the plan names one. */
  readonly nodes: readonly NodeView[]
}

export type UnboundPod = { readonly pod: Pod; readonly refusal: Refusal }

const SHUFFLES = 40

/** The largest number of pods for which random orders are also tried. */
const MOST_AT_LENGTH = 1_000

/** The pods that cannot be bound in the best of the tried orders. */
export function unboundPods(
  nodes: readonly NodeView[],
  coming: readonly PodToBind[],
  namespaces: readonly Namespace[],
): readonly UnboundPod[] {
  let best: readonly UnboundPod[] | undefined
  for (const order of ordersOf(coming)) {
    const stuck = bindAll(nodes, order, namespaces)
    if (stuck.length === 0) return stuck
    if (best === undefined || stuck.length < best.length) best = stuck
  }
  return best ?? []
}

/**
 * The orders to try. Pods with rules about other pods come first, since binding makes their filters harder to pass. Pods with anti-affinity come
 * before DaemonSet pods that they avoid. Each ranking is tried on the pods by size, then as planned, then by domain in turn, then at random. Random
 * orders also shuffle nodes.
 */
function* ordersOf(coming: readonly PodToBind[]): Generator<readonly PodToBind[]> {
  for (const rank of RANKS) yield ranked(largestFirst(coming), rank)
  for (const rank of RANKS) yield ranked(coming, rank)
  for (const rank of RANKS) yield ranked(domainsInTurn(coming), rank)
  if (coming.length > MOST_AT_LENGTH) return
  const random = createRandom(coming.length)
  for (let index = 0; index < SHUFFLES; index++) yield ranked(shuffledAll(coming, random), RANKS[index % RANKS.length] ?? asPlanned)
}

function shuffledAll(coming: readonly PodToBind[], random: ReturnType<typeof createRandom>): readonly PodToBind[] {
  return shuffled(coming, random).map((each) => (each.nodes.length < 2 ? each : { ...each, nodes: shuffled(each.nodes, random) }))
}

/** The first pod of each domain, then the second pod of each domain, and so on, for the spread of the pods over domains wider than a machine. */
function domainsInTurn(coming: readonly PodToBind[]): readonly PodToBind[] {
  const counts = new Map<string, number>()
  const turns = new Map<PodToBind, number>()
  for (const each of coming) {
    const [node] = each.nodes
    const spread = hardSpread(each.pod).map(({ topologyKey, selector }) => ({ key: nameOf(topologyKey), selector }))
    const wide = spread.filter(({ key }) => key !== LABEL.hostname)
    const domains = wide.map(({ key, selector }) => [selector, ownValue(node?.labels, key)])
    const text = JSON.stringify(domains)
    const turn = counts.get(text) ?? 0
    counts.set(text, turn + 1)
    turns.set(each, domains.length === 0 ? 0 : turn)
  }
  return [...coming].sort((first, second) => (turns.get(first) ?? 0) - (turns.get(second) ?? 0))
}

/** The usual planning order: by CPU, memory, age and uid. */
function largestFirst(coming: readonly PodToBind[]): readonly PodToBind[] {
  const amount = ({ pod }: PodToBind, name: string): number => ownValue(pod.requests, name) ?? 0
  return [...coming].sort(
    (first, second) =>
      amount(second, 'cpu') - amount(first, 'cpu') ||
      amount(second, 'memory') - amount(first, 'memory') ||
      first.pod.createdAt - second.pod.createdAt ||
      (first.pod.uid < second.pod.uid ? -1 : 1),
  )
}

type Rank = (pod: Pod) => number

const asPlanned: Rank = () => 0
const aloofFirst: Rank = (pod) => (pod.podAntiAffinity.required.length > 0 ? 0 : 1)
const spreadFirst: Rank = (pod) => (hardSpread(pod).length > 0 ? 0 : looksAtOthers(pod) ? 1 : 2)
const friendsFirst: Rank = (pod) => (pod.podAffinity.required.length > 0 ? 0 : looksAtOthers(pod) ? 1 : 2)
const RANKS: readonly Rank[] = [spreadFirst, friendsFirst, aloofFirst, asPlanned]

function ranked(list: readonly PodToBind[], rank: Rank): readonly PodToBind[] {
  return [...list].sort((first, second) => rank(first.pod) - rank(second.pod))
}

/** Always binds the first pod of the order that can be bound now. Tries a refused pod again after a binding that may help it. */
function bindAll(views: readonly NodeView[], order: readonly PodToBind[], namespaces: readonly Namespace[]): readonly UnboundPod[] {
  const nodes = nodesOf(views, namespaces)
  const waiting = new Set(order)
  const refused = new Map<PodToBind, Refused>()
  for (;;) {
    const next = firstBound(waiting, refused, (coming) => bindOne(coming, nodes))
    if (next === undefined) return [...refused].map(([{ pod }, { refusal }]) => ({ pod, refusal }))
    waiting.delete(next.coming)
    for (const [coming, { isHelpedBy }] of refused) if (next.opensNode || isHelpedBy(next.coming.pod)) refused.delete(coming)
  }
}

type Refused = { readonly refusal: Refusal; readonly isHelpedBy: (bound: Pod) => boolean }

type Bound = { readonly coming: PodToBind; readonly opensNode: boolean }

function firstBound(
  waiting: ReadonlySet<PodToBind>,
  refused: Map<PodToBind, Refused>,
  bind: (coming: PodToBind) => Refused | Bound,
): Bound | undefined {
  for (const coming of waiting) {
    if (refused.has(coming)) continue
    const answer = bind(coming)
    if ('coming' in answer) return answer
    refused.set(coming, answer)
  }
  return undefined
}

function bindOne(coming: PodToBind, nodes: Nodes): Refused | Bound {
  const { pod } = coming
  let refusal: Refusal = { rule: 'target', message: 'its node does not exist' }
  for (const view of coming.nodes) {
    const node = nodes.byView.get(view)
    if (node === undefined) continue
    // A new machine joins with its DaemonSet pods before this pod is bound.
    const isJoining = node.pods.length === 0
    if (isJoining) node.daemons.push(...daemonsJoining(node, nodes))
    const found = refusalNow(pod, node, nodes)
    if (found === undefined) {
      bindTo(node, pod, nodes)
      return { coming, opensNode: view.mayJoinLater && isJoining }
    }
    if (isJoining) node.daemons.length = 0
    refusal = found
  }
  return { refusal, isHelpedBy: helpersOf(pod, nodes.namespaces) }
}

function shuffled<Item>(list: readonly Item[], random: ReturnType<typeof createRandom>): Item[] {
  const result = [...list]
  for (let index = result.length - 1; index > 0; index--) {
    const other = random.int(index + 1)
    const [one, two] = [result[index], result[other]]
    if (one === undefined || two === undefined) continue
    result[index] = two
    result[other] = one
  }
  return result
}
