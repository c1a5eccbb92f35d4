/**
 * Binds the pods that a decision moves, as kube-scheduler may bind them: in any order, and each to the emptiest node that may take it. The scheduler
 * knows nothing of the places that the plan had in mind.
 */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { type Deleting, deletingBy, needsAPlace } from './checkMoves.ts'
import { checkFit } from './fitRules.ts'
import { daemonsJoining, refusalNow } from './interPodRules.ts'
import { bindTo, type Nodes, nodesOf } from './nodes.ts'
import { type NodeView, type SimulatedNode, viewOfNode, viewsOfClaim } from './nodeView.ts'

/** The rounds in which the scheduler must have bound every pod. A pod that is refused in one round is tried again in the next round. */
export const MOST_ROUNDS = 3

export type WaveTrial = {
  /** True if the nodes that go still stand, empty and tainted, while the pods are bound. False if they are gone. */
  readonly withGhosts: boolean
  readonly order: 'smallestFirst' | 'largestFirst' | 'random'
  /** True if the nodes that need no replacement are drained before any replacement has joined. */
  readonly isEarly: boolean
  /** The version of the scheduler's plugin BalancedAllocation: up to Kubernetes 1.35, or since 1.36. */
  readonly balance: 'none' | '1.35' | '1.36'
  /** As much as other plugins of the scheduler may add to the score of a node. Equal scores are told apart at random. */
  readonly otherPlugins: number
  readonly seed: number
}

/** The number of pods bound in each round, and the pods that found no place. */
export type WaveBinding = { readonly byRound: readonly number[]; readonly unbound: readonly Pod[] }

export type Wave = {
  readonly snapshot: ClusterSnapshot
  readonly deleting: readonly Deleting[]
  readonly creates: readonly Coming[]
}

/** A replacement, and the size that the decision expects. */
export type Coming = {
  readonly draft: Pick<CreateClaim['draft'], 'name' | 'spec' | 'labels'>
  readonly choice: Pick<CreateClaim['choice'], 'size'>
}

export function waveOf(snapshot: ClusterSnapshot, decision: Decision): Wave {
  const creates = decision.actions.filter((action): action is CreateClaim => action.kind === 'createClaim' && action.command !== undefined)
  return { snapshot, deleting: deletingBy(snapshot, decision), creates }
}

/** Trials that differ in everything that the scheduler, Azure and time may do differently. The last ones are random. */
export function* trialsOf(count: number): Generator<WaveTrial> {
  for (let seed = 0; seed < count; seed++) {
    const way = WAYS[Math.floor(seed / 2) % WAYS.length]
    if (way !== undefined) yield { ...way, withGhosts: seed % 2 === 0, isEarly: Math.floor(seed / 2 / WAYS.length) % 2 === 1, seed }
  }
}

/**
 * LeastAllocated is one of several plugins that score nodes: BalancedAllocation counts as much, other rules more
 * (https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins, read 2026-11-27). What the other rules add is not worked out here.
 */
const WAYS: readonly Pick<WaveTrial, 'order' | 'balance' | 'otherPlugins'>[] = [
  { order: 'smallestFirst', balance: '1.36', otherPlugins: 0 },
  { order: 'largestFirst', balance: '1.35', otherPlugins: 0 },
  { order: 'random', balance: '1.36', otherPlugins: 0 },
  { order: 'random', balance: 'none', otherPlugins: 0.1 },
]
const TIE = 1e-6

export function bindWave(wave: Wave, trial: WaveTrial): WaveBinding {
  const random = createRandom(trial.seed * 7919 + wave.deleting.length)
  const parts = trial.isEarly
    ? [wave.deleting.filter((each) => each.with === 0), wave.deleting.filter((each) => each.with > 0)]
    : [wave.deleting]
  const moved = parts.map((part) => inOrder(part.flatMap(movedFrom), trial.order, random))
  const places = placesOf(wave, trial, random)
  const nodes = nodesOf([...places.standing, ...places.coming], wave.snapshot.objects.namespace)
  for (const node of nodes.all) if (node.view.isNew) node.daemons.push(...daemonsJoining(node, nodes))
  const open = (isLate: boolean): readonly SimulatedNode[] =>
    nodes.all.filter(({ view }) => places.open.has(view) || (isLate && view.isNew))
  const byRound = Array.from({ length: MOST_ROUNDS }, () => 0)
  const unbound = moved.flatMap((pods, part) => {
    const offered = open(!trial.isEarly || part > 0)
    let waiting = pods
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const left = waiting.filter(
        (pod) =>
          !bindOne(pod, offered, nodes, wave.snapshot, (node) => {
            const more = Math.max(TIE, trial.otherPlugins) * (random.int(1000) / 1000)
            return emptiness(node, pod) + balanced(node, pod, trial.balance) + more
          }),
      )
      byRound[round] = (byRound[round] ?? 0) + waiting.length - left.length
      waiting = left
    }
    return waiting
  })
  return { byRound, unbound }
}

function movedFrom({ pods }: Deleting): readonly Pod[] {
  return pods.filter(needsAPlace).map((pod): Pod => {
    const { nodeName: _, deletedAt: __, ...free } = pod
    return { ...free, phase: 'Pending' }
  })
}

/** `open`: the nodes that take pods. All others only count in the rules of pods. */
type Places = { readonly standing: readonly NodeView[]; readonly coming: readonly NodeView[]; readonly open: ReadonlySet<NodeView> }

function placesOf(wave: Wave, { withGhosts }: WaveTrial, random: Random): Places {
  const { snapshot, deleting } = wave
  const going = new Map<string, ReadonlySet<Pod>>(deleting.map(({ node, pods }) => [node.name, new Set(pods.filter(needsAPlace))]))
  const open = new Set<NodeView>()
  const standing = snapshot.objects.node.flatMap((node) => {
    const view = viewOfNode(snapshot, node)
    const claim = snapshot.objects.nodeClaim.find(({ status }) => node.providerId !== undefined && status.providerId === node.providerId)
    const isEnding = going.has(node.name) || node.meta.deletedAt !== undefined || claim?.meta.deletedAt !== undefined
    const isUp = claim === undefined || node.meta.labels['karpenter.sh/initialized'] === 'true'
    if (!isEnding && isUp) open.add(view)
    if (!isEnding) return [view]
    const moved = going.get(node.name)
    return withGhosts ? [{ ...view, taints: [...view.taints, DISRUPTED], bound: view.bound.filter((pod) => moved?.has(pod) !== true) }] : []
  })
  return { standing, coming: comingOf(wave, random), open }
}

const DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const

/** The replacements. Half of them become what the decision expects, the others anything that their claim allows. */
function comingOf({ snapshot, creates }: Wave, random: Random): readonly NodeView[] {
  return creates.flatMap(({ draft, choice }) => {
    const views = viewsOfClaim(snapshot, draft.name, draft.spec, draft.labels)
    const chosen = views.filter(({ labels }) => labels['node.kubernetes.io/instance-type'] === choice.size)
    return views.length === 0 ? [] : [random.pick(random.chance(0.5) && chosen.length > 0 ? chosen : views)]
  })
}

function inOrder(pods: readonly Pod[], order: WaveTrial['order'], random: Random): readonly Pod[] {
  const ranks = new Map(pods.map((pod) => [pod, random.int(1 << 30)]))
  const size = (pod: Pod): number => (pod.requests['cpu'] ?? 0) / 1000 + (pod.requests['memory'] ?? 0) / 2 ** 32
  const sign = order === 'random' ? 0 : order === 'smallestFirst' ? 1 : -1
  return [...pods].sort(
    (first, second) =>
      second.priority - first.priority || sign * (size(first) - size(second)) || (ranks.get(first) ?? 0) - (ranks.get(second) ?? 0),
  )
}

function bindOne(
  pod: Pod,
  offered: readonly SimulatedNode[],
  nodes: Nodes,
  snapshot: ClusterSnapshot,
  scoreOf: (node: SimulatedNode) => number,
): boolean {
  let best: { readonly node: SimulatedNode; readonly score: number } | undefined
  for (const node of offered) {
    const score = scoreOf(node)
    if (best !== undefined && best.score >= score) continue
    if (checkFit(snapshot, { ...node.view, bound: node.pods }, [pod]).length > 0 || refusalNow(pod, node, nodes) !== undefined) continue
    best = { node, score }
  }
  if (best === undefined) return false
  bindTo(best.node, pod, nodes)
  return true
}

/** The share of CPU and memory that would be left, as the scheduler's plugin LeastAllocated scores nodes. */
function emptiness(node: SimulatedNode, pod: Pod): number {
  const [cpu, memory] = usedShares(node, [pod])
  return 1 - (cpu + memory) / 2
}

/**
 * The plugin BalancedAllocation looks at the deviation of the used shares of CPU and memory. Up to 1.35, the least deviation counts. Since 1.36, it counts
 * what the pod changes, by half (pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, read 2026-11-29).
 */
function balanced(node: SimulatedNode, pod: Pod, balance: WaveTrial['balance']): number {
  if (balance === 'none') return 0
  const deviation = ([cpu, memory]: readonly [number, number]): number => Math.abs(cpu - memory) / 2
  const after = deviation(usedShares(node, [pod]))
  return balance === '1.35' ? -after : (deviation(usedShares(node, [])) - after) / 2
}

function usedShares(node: SimulatedNode, more: readonly Pod[]): readonly [cpu: number, memory: number] {
  const used = usedOf(node)
  const shareOf = (name: 'cpu' | 'memory'): number => {
    const has = ownValue(node.view.allocatable, name) ?? 0
    const asked = more.reduce((sum, pod) => sum + (ownValue(pod.requests, name) ?? 0), used[name])
    return has === 0 ? 1 : Math.min(1, asked / has)
  }
  return [shareOf('cpu'), shareOf('memory')]
}

type Used = { pods: number; cpu: number; memory: number }
const USED = new WeakMap<SimulatedNode, Used>()

/** What the pods of a node ask for. Nodes of a trial only gain pods: each is added once, because the scores of hundreds of pods ask again and again. */
function usedOf(node: SimulatedNode): Used {
  const used = USED.get(node) ?? { pods: 0, cpu: 0, memory: 0 }
  USED.set(node, used)
  const all = node.daemons.length + node.pods.length
  for (; used.pods < all; used.pods++) {
    const { requests = {} } = node.daemons[used.pods] ?? node.pods[used.pods - node.daemons.length] ?? {}
    used.cpu += ownValue(requests, 'cpu') ?? 0
    used.memory += ownValue(requests, 'memory') ?? 0
  }
  return used
}
