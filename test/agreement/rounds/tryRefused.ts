/** Whether what the engine refuses could have been bound after all, by the scheduler's own judgement. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Reason } from '../../../shared/model/decision.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { runsOn, toleratesAll } from '../../checker/kubernetesRules.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import { type PlannedNode, possibleNodes } from '../planCluster.ts'
import { isBound } from '../realCluster.ts'
import type { CaseCluster, CasePod } from './caseCluster.ts'
import { asWaiting, keyOf, readWaiting } from './homelessPods.ts'
import type { Made } from './machines.ts'
import type { Played } from './playCase.ts'

export type Trials = {
  /** Bound to nodes that stood when they were refused. */
  readonly onStanding: readonly string[]
  /** Bound once every machine that can be bought for them stood beside. */
  readonly onPossible: readonly string[]
  /** Pods tried with such machines beside. */
  readonly tried: number
}

/**
 * Nothing a pod's own rules say: the same pod may be placed where more can be bought. It may even be bound to a node that stands: the least count of
 * a spread over host names is zero to the engine, as to Karpenter, since a host can be added, and to the scheduler what the hosts there have.
 */
const OF_THE_POOL = /^(POOL|NODECLASS|AZURE)\.|^SCHEDULING\.(OFFERING|MIN_VALUES|RESERVATION|DEADLINE)$/

function isItsOwn(why: Reason | undefined): boolean {
  return why !== undefined && ![why, ...(why.per ?? [])].some(({ code }) => OF_THE_POOL.test(code))
}

export async function tryRefused(cluster: CaseCluster, { refused, last }: Played, pods: readonly PodManifest[]): Promise<Trials> {
  const manifests = pods.filter((pod) => isItsOwn(refused.get(keyOf(pod)))).map(asWaiting)
  const onStanding = await bound(cluster, manifests)
  const others = manifests.filter((pod) => !onStanding.some((each) => keyOf(each) === keyOf(pod)))
  const tried = others.filter((pod) => !isSpread(pod))
  const found = onStanding.map((pod) => story(pod, refused))
  const machines = machinesFor(last, tried.map(readWaiting))
  if (machines.length === 0) return { onStanding: found, onPossible: [], tried: tried.length }
  await cluster.removePods(manifests.map(keyOf))
  await cluster.createMachines(machines)
  await cluster.settle()
  const more = await bound(cluster, tried)
  return { onStanding: found, onPossible: more.map((pod) => story(pod, refused)), tried: tried.length }
}

async function bound(cluster: CaseCluster, pods: readonly PodManifest[]): Promise<readonly CasePod[]> {
  if (pods.length === 0) return []
  const keys = pods.map(keyOf)
  await cluster.removePods(keys)
  await cluster.createPods(pods)
  return (await cluster.judged()).filter((pod) => isBound(pod) && keys.includes(keyOf(pod)))
}

/**
 * Every machine that can be bought and that one of the pods could run on by itself. That the rest would not do is the other test's to show: it has
 * them all stand there.
 */
function machinesFor(last: ClusterSnapshot, pods: readonly Pod[]): readonly Made[] {
  const possible = last.objects.nodePool.flatMap((pool) => possibleNodes(last, pool))
  return possible.filter((node) => pods.some((pod) => isFor(pod, node))).map(madeOf)
}

function isFor(pod: Pod, { labels, taints, allocatable }: PlannedNode): boolean {
  const hasRoom = Object.entries(pod.requests).every(([name, amount]) => amount <= (allocatable[name] ?? 0))
  return hasRoom && runsOn(pod, labels) && toleratesAll(pod.tolerations, taints)
}

function madeOf({ name, labels, taints, allocatable, maxDataDisks }: PlannedNode): Made {
  const own = `any-${name}`
  const state = { isReady: true, isCordoned: false }
  return { machine: { name: own, labels, taints, capacity: allocatable, allocatable, ...state }, disks: maxDataDisks }
}

/** Machines that stand empty are domains to spread over, so that such a pod is asked something else. Affinity sees only pods. */
function isSpread({ spec }: PodManifest): boolean {
  return JSON.stringify(spec['topologySpreadConstraints'] ?? []).includes('"DoNotSchedule"')
}

function story(pod: CasePod, refused: Played['refused']): string {
  const why = refused.get(keyOf(pod))
  return `${keyOf(pod)} is refused (${why?.code}: ${why?.message}) and was bound to ${pod.spec.nodeName}`
}
