/** Lets the scheduler judge the pods that the engine refuses: could any of them have been bound? */
import { ownValue } from '../../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Reason } from '../../../shared/model/decision.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { runsOn, toleratesAll } from '../../checker/kubernetesRules.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import { type PlannedNode, possibleNodes } from '../planCluster.ts'
import { isBound } from '../realCluster.ts'
import type { CaseCluster, CasePod } from './caseCluster.ts'
import { asWaiting, podKeyOf, readWaiting } from './homelessPods.ts'
import type { Made } from './machines.ts'
import type { Played } from './playCase.ts'

export type Trials = {
  /** Pods bound to nodes that stood when the engine refused them. */
  readonly onStanding: readonly string[]
  /** Pods bound after every machine that could be bought for them was added. */
  readonly onPossible: readonly string[]
  /** The number of pods that were tried with these machines. */
  readonly tried: number
}

/**
 * Codes that do not follow from the pod's own rules: the same pod may be placed where more machines can be bought. The pod may even bind to a
 * standing node. For a spread over host names, the engine and Karpenter take 0 as the least count, because a host can be added. The scheduler takes
 * the least count of the hosts that exist.
 */
const OF_THE_POOL = /^(POOL|NODECLASS|AZURE)\.|^SCHEDULING\.(OFFERING|MIN_VALUES|RESERVATION|DEADLINE)$/

function isItsOwn(why: Reason | undefined): boolean {
  return why !== undefined && ![why, ...(why.per ?? [])].some(({ code }) => OF_THE_POOL.test(code))
}

export async function tryRefused(cluster: CaseCluster, { refused, last }: Played, pods: readonly PodManifest[]): Promise<Trials> {
  const manifests = pods.filter((pod) => isItsOwn(refused.get(podKeyOf(pod)))).map(asWaiting)
  const onStanding = await bound(cluster, manifests)
  const others = manifests.filter((pod) => !onStanding.some((each) => podKeyOf(each) === podKeyOf(pod)))
  const tried = others.filter((pod) => !isSpread(pod))
  const found = onStanding.map((pod) => story(pod, refused))
  const machines = machinesFor(last, tried.map(readWaiting))
  if (machines.length === 0) return { onStanding: found, onPossible: [], tried: tried.length }
  await cluster.removePods(manifests.map(podKeyOf))
  await cluster.createMachines(machines)
  await cluster.settle()
  const more = await bound(cluster, tried)
  return { onStanding: found, onPossible: more.map((pod) => story(pod, refused)), tried: tried.length }
}

async function bound(cluster: CaseCluster, pods: readonly PodManifest[]): Promise<readonly CasePod[]> {
  if (pods.length === 0) return []
  const keys = pods.map(podKeyOf)
  await cluster.removePods(keys)
  await cluster.createPods(pods)
  return (await cluster.judged()).filter((pod) => isBound(pod) && keys.includes(podKeyOf(pod)))
}

/** The machines that can be bought and on which one of the pods could run by itself. The agreement test tries all machines and covers the rest. */
function machinesFor(last: ClusterSnapshot, pods: readonly Pod[]): readonly Made[] {
  const possible = last.objects.nodePool.flatMap((pool) => possibleNodes(last, pool))
  return possible.filter((node) => pods.some((pod) => isFor(pod, node))).map(madeOf)
}

function isFor(pod: Pod, { labels, taints, allocatable }: PlannedNode): boolean {
  const hasRoom = Object.entries(pod.requests).every(([name, amount]) => amount <= (ownValue(allocatable, name) ?? 0))
  return hasRoom && runsOn(pod, labels) && toleratesAll(pod.tolerations, taints)
}

function madeOf({ name, labels, taints, allocatable, maxDataDisks }: PlannedNode): Made {
  const own = `any-${name}`
  const state = { isReady: true, isCordoned: false }
  return { machine: { name: own, labels, taints, capacity: allocatable, allocatable, ...state }, disks: maxDataDisks }
}

/** Empty machines are domains of a spread, so they change the answer for a pod with a hard spread. Affinity looks at pods only. */
function isSpread({ spec }: PodManifest): boolean {
  return JSON.stringify(spec['topologySpreadConstraints'] ?? []).includes('"DoNotSchedule"')
}

function story(pod: CasePod, refused: Played['refused']): string {
  const why = refused.get(podKeyOf(pod))
  return `${podKeyOf(pod)} is refused (${why?.code}: ${why?.message}) and was bound to ${pod.spec.nodeName}`
}
