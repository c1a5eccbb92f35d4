/**
 * Whether kube-scheduler could bind the pods where the plan has them: some order in which each passes the filters when its turn comes.
 * It is enough that one order exists: pods that the scheduler takes in another order come back and are planned again.
 */
import type { Pod } from '../../shared/model/pod.ts'
import type { Namespace } from '../../shared/model/workloads.ts'
import { createRandom } from '../agreement/random.ts'
import { looksAtOthers, type Refusal, refusalNow, type Standing } from './interPodRules.ts'
import type { NodeView } from './nodeView.ts'

export type Coming = {
  readonly pod: Pod
  /** The nodes it may go to, in order of preference: one where the plan says so. */
  readonly nodes: readonly NodeView[]
}

export type Stuck = { readonly pod: Pod; readonly refusal: Refusal }

const SHUFFLES = 40

/** The pods that cannot be bound in the best of the orders tried. */
export function stuckPods(nodes: readonly NodeView[], coming: readonly Coming[], namespaces: readonly Namespace[]): readonly Stuck[] {
  let best: readonly Stuck[] | undefined
  for (const order of ordersOf(coming)) {
    const stuck = bindAll(nodes, order, namespaces)
    if (stuck.length === 0) return stuck
    if (best === undefined || stuck.length < best.length) best = stuck
  }
  return best ?? []
}

/** Those that look at others first, since their filters only get harder to pass; then as planned; then at random. */
function* ordersOf(coming: readonly Coming[]): Generator<readonly Coming[]> {
  for (const rank of RANKS) yield ranked(largestFirst(coming), rank)
  for (const rank of RANKS) yield ranked(coming, rank)
  const random = createRandom(coming.length)
  for (let index = 0; index < SHUFFLES; index++) yield ranked(shuffled(coming, random), RANKS[index % RANKS.length] ?? asPlanned)
}

/** As pods are usually planned. */
function largestFirst(coming: readonly Coming[]): readonly Coming[] {
  const amount = ({ pod }: Coming, name: string): number => pod.requests[name] ?? 0
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
const spreadFirst: Rank = (pod) => (isSpread(pod) ? 0 : looksAtOthers(pod) ? 1 : 2)
const friendsFirst: Rank = (pod) => (pod.podAffinity.required.length > 0 ? 0 : looksAtOthers(pod) ? 1 : 2)
const RANKS: readonly Rank[] = [spreadFirst, friendsFirst, asPlanned]

function ranked(list: readonly Coming[], rank: Rank): readonly Coming[] {
  return [...list].sort((first, second) => rank(first.pod) - rank(second.pod))
}

function isSpread({ topologySpread }: Pod): boolean {
  return topologySpread.some((each) => each.whenUnsatisfiable === 'DoNotSchedule')
}

/** Always the first of the order that can be bound now. */
function bindAll(nodes: readonly NodeView[], order: readonly Coming[], namespaces: readonly Namespace[]): readonly Stuck[] {
  const standing = nodes.map((view): Standing => ({ view, pods: [...view.bound] }))
  const waiting = [...order]
  for (;;) {
    const refused: Stuck[] = []
    const next = waiting.findIndex((each) => {
      const refusal = bindOne(each, standing, namespaces)
      if (refusal !== undefined) refused.push({ pod: each.pod, refusal })
      return refusal === undefined
    })
    if (next < 0) return refused
    waiting.splice(next, 1)
  }
}

function bindOne({ pod, nodes }: Coming, standing: readonly Standing[], namespaces: readonly Namespace[]): Refusal | undefined {
  let refusal: Refusal | undefined = { rule: 'target', message: 'its node does not exist' }
  for (const view of nodes) {
    const node = standing.find((each) => each.view === view)
    if (node === undefined) continue
    refusal = refusalNow(pod, node, standing, namespaces)
    if (refusal !== undefined) continue
    node.pods.push(pod)
    return undefined
  }
  return refusal
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
