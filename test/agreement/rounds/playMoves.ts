/** Plays moves on a real control plane: the disrupted nodes are drained while they still stand, and the scheduler binds the pods as it likes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decide } from '../../../shared/engine/loadedCluster.ts'
import { decideProvisioning } from '../../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Action } from '../../../shared/model/decision.ts'
import { TAINT_KEY } from '../../../shared/model/labels.ts'
import type { NodeClaim } from '../../../shared/model/nodeClaim.ts'
import { durationMs } from '../../../shared/model/units.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import type { RandomWorld } from '../../generators/randomSnapshot.ts'
import { type KubeCalls, PAUSE_MS } from '../kubeCalls.ts'
import { isBound } from '../realCluster.ts'
import type { CaseCluster } from './caseCluster.ts'
import { podKeyOf, readWaiting } from './homelessPods.ts'
import { ofChoice } from './machines.ts'
import { podObject } from './manifests.ts'
import { nodesThatTake } from './nodesThatTake.ts'
import { setUp } from './playCase.ts'

export type PlayedMoves = {
  /** Names of the nodes that are taken away. */
  readonly nodes: readonly string[]
  readonly machines: readonly string[]
  readonly moved: readonly string[]
  /** The moved pods that are not bound, with the scheduler's message. */
  readonly left: ReadonlyMap<string, string>
  /** Unbound pods that a node takes, in words. No binding of the other pods excuses them. */
  readonly wronged: readonly string[]
}

/** The time in which the scheduler tries a refused pod again, on a machine that is busy with other work. */
const PATIENCE_MS = 20_000

const FREE = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] } as const
const DISRUPTED = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }

export async function playMoves(cluster: CaseCluster, calls: KubeCalls, world: RandomWorld): Promise<PlayedMoves> {
  const { claims, running } = await halfFilled(cluster, withoutMachines(world))
  const now = await seenNow(cluster, world, claims)
  const { actions } = decide(now)
  const creates = actions.filter((action) => action.kind === 'createClaim')
  const moved = actions.flatMap(podsOf)
  const nodes = actions.flatMap((action) => nodesOf(action, now))
  // Replacements are ready before anything is drained.
  const came = creates.map((create) => ofChoice(now, create))
  await cluster.createMachines(came)
  for (const name of nodes) await close(calls, now, name)
  await cluster.settle()
  await cluster.removePods(moved)
  await cluster.createPods(running.filter((each) => moved.includes(podKeyOf(each))))
  const { unbound, wronged } = await unboundOf(cluster, world, [...claims, ...came.map(({ claim }) => claim)])
  const left = new Map(unbound.map((pod) => [podKeyOf(pod), pod.status.conditions?.map(({ message }) => message).join(' ') ?? '']))
  const machines = creates.map(({ draft }) => draft.name)
  return { nodes, machines, moved, left, wronged }
}

/** The pods that the scheduler has refused. It gets time to see that a node takes one of them. */
async function unboundOf(cluster: CaseCluster, world: RandomWorld, claims: readonly NodeClaim[]) {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const unbound = (await cluster.judged()).filter((pod) => !isBound(pod))
    const wronged = unbound.length === 0 ? [] : takenIn(await seenNow(cluster, world, claims), unbound.map(podKeyOf))
    if (wronged.length === 0 || Date.now() >= end) return { unbound, wronged }
    await sleep(PAUSE_MS)
  }
}

function takenIn(now: ClusterSnapshot, keys: readonly string[]): readonly string[] {
  return now.objects.pod
    .filter(({ key, nodeName }) => nodeName === undefined && keys.includes(key))
    .map((pod) => ({ key: pod.key, nodes: nodesThatTake(now, pod) }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(({ key, nodes }) => `${key} is not bound, and ${nodes.join(', ')} would take it`)
}

function withoutMachines({ snapshot, ...world }: RandomWorld): RandomWorld {
  return { ...world, bound: [], snapshot: { ...snapshot, drafts: [], objects: { ...snapshot.objects, node: [], nodeClaim: [] } } }
}

/** Makes the machines that the pending pods of the world need and binds the pods. Then removes every second pod, so that machines are half empty. */
async function halfFilled(
  cluster: CaseCluster,
  world: RandomWorld,
): Promise<{ claims: readonly NodeClaim[]; running: readonly PodManifest[] }> {
  await setUp(cluster, world)
  const empty = await seenNow(cluster, world, [])
  const coming = world.waiting.map(readWaiting)
  const first = { ...empty, objects: { ...empty.objects, pod: [...empty.objects.pod, ...coming] } }
  const creates = decideProvisioning(first).actions.filter((action) => action.kind === 'createClaim')
  const machines = creates.map((create) => ofChoice(first, create))
  await cluster.createMachines(machines)
  await cluster.settle()
  await cluster.createPods(world.waiting.map(podObject))
  const bound = new Set((await cluster.judged()).filter(isBound).map(podKeyOf))
  const stays = (pod: PodManifest, index: number): boolean => index % 2 === 0 && bound.has(podKeyOf(pod))
  await cluster.removePods(world.waiting.filter((pod, index) => !stays(pod, index)).map(podKeyOf))
  return { claims: machines.map(({ claim }) => claim), running: world.waiting.filter(stays).map(podObject) }
}

/** The current state of the world, with pools that allow every disruption, and without drafts and nominations. */
async function seenNow(cluster: CaseCluster, { snapshot }: RandomWorld, nodeClaim: readonly NodeClaim[]): Promise<ClusterSnapshot> {
  const seen = await cluster.seen()
  // The clock of the control plane is ahead of the world's clock. A pod created after the world's now would keep its node forever.
  const pod = seen.pod.map((each) => ({ ...each, createdAt: snapshot.takenAt, ...(each.scheduledAt && { scheduledAt: snapshot.takenAt }) }))
  const nodePool = snapshot.objects.nodePool.map((pool) => ({ ...pool, disruption: { ...pool.disruption, ...FREE } }))
  return { ...snapshot, drafts: [], nominations: [], objects: { ...snapshot.objects, ...seen, pod, nodeClaim, nodePool } }
}

function podsOf(action: Action): readonly string[] {
  if (action.kind === 'startCommand') return action.command.candidates.flatMap(({ pods }) => pods.map(({ key }) => key))
  return action.kind === 'deleteClaim' ? (action.pods ?? []).map(({ key }) => key) : []
}

function nodesOf(action: Action, { objects }: ClusterSnapshot): readonly string[] {
  if (action.kind === 'startCommand') return action.command.candidates.map(({ node }) => node)
  if (action.kind !== 'deleteClaim') return []
  const claim = objects.nodeClaim.find(({ name }) => name === action.claim)
  return objects.node
    .filter(({ providerId }) => providerId !== undefined && providerId === claim?.status.providerId)
    .map(({ name }) => name)
}

async function close({ call }: KubeCalls, { objects }: ClusterSnapshot, name: string): Promise<void> {
  const taints = objects.node.find((each) => each.name === name)?.taints ?? []
  const body = { spec: { taints: [...taints, DISRUPTED] } }
  await call({ method: 'PATCH', path: `/api/v1/nodes/${name}`, body, contentType: 'application/merge-patch+json' })
}
