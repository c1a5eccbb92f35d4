/**
 * Plays a random world on a real control plane in rounds. A round plans, makes the planned machines and lets the scheduler bind the pods as it likes.
 * Rounds repeat for the pods that are left over, until nothing is planned any more.
 */
import { defined } from '../../../shared/base/values.ts'
import { decideProvisioning } from '../../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision, Reason } from '../../../shared/model/decision.ts'
import { namespaceOf, objectKey } from '../../../shared/model/ids.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import type { PersistentVolumeClaim } from '../../../shared/model/workloads.ts'
import { placedPods } from '../../checker/placedPods.ts'
import { placementOfDecision } from '../../checker/placement.ts'
import type { PodManifest } from '../../generators/randomPods.ts'
import type { RandomWorld } from '../../generators/randomSnapshot.ts'
import { isBound } from '../realCluster.ts'
import type { CaseCluster, CasePod } from './caseCluster.ts'
import { createHomelessPods, podKeyOf, readWaiting } from './homelessPods.ts'
import { type Claims, ofChoice, ofComing, ofRegistered, standing, type Up } from './machines.ts'
import { daemonSetObject, podObject, storageObjects } from './manifests.ts'

const ROUNDS = 3

export type Round = {
  readonly planned: readonly string[]
  /** The planned pods that were bound in this round. */
  readonly bound: readonly string[]
  readonly snapshot: ClusterSnapshot
  readonly decision: Decision
}

export type Played = {
  readonly rounds: readonly Round[]
  /** Pods that were planned in some round and are not bound at the end, with the scheduler's message. */
  readonly left: ReadonlyMap<string, string>
  /** Pods that the engine refuses at the end, with the reason. */
  readonly refused: ReadonlyMap<string, Reason>
  /** The state at the end, for which `refused` was decided. */
  readonly last: ClusterSnapshot
  /** The machines made, by name, with the pods that each was planned for. */
  readonly machines: ReadonlyMap<string, readonly string[]>
  /** The names of the machines that have no pod at the end. */
  readonly empty: readonly string[]
  /** The node of every pod at the end. Undefined if the pod is not bound. */
  readonly places: ReadonlyMap<string, string | undefined>
}

type Plan = {
  readonly creates: readonly CreateClaim[]
  readonly used: ReadonlySet<string>
  readonly nodeOf: ReadonlyMap<string, string>
  readonly planned: readonly string[]
  readonly refused: ReadonlyMap<string, Reason>
  readonly decision: Decision
}

export type Options = {
  /** The pods exist before anything is planned, and the scheduler binds some to standing nodes. This is how a cluster at work looks. */
  readonly podsFirst: boolean
  /** Each pod names its planned node. */
  readonly nominate?: boolean
  readonly decide?: (snapshot: ClusterSnapshot) => Decision
}

export async function playCase(cluster: CaseCluster, world: RandomWorld, options: Options): Promise<Played> {
  const { snapshot: given } = world
  const { podsFirst, nominate = false, decide = decideProvisioning } = options
  const deleting = deletingNodes(given)
  const pods = createHomelessPods(cluster, world, deleting)
  await setUp(cluster, world)
  if (podsFirst) await pods.bring(pods.coming().map(podKeyOf))
  let claims: Claims = { nodeClaim: given.objects.nodeClaim, drafts: given.drafts }
  const machines = new Map<string, readonly string[]>()
  const planned = new Set<string>()
  const rounds: Round[] = []
  for (let round = 1; ; round++) {
    const now = await snapshotOf(cluster, withClaims(given, claims, round), pods.coming())
    const plan = planOf(now, pods.homeless(), decide)
    const isAtRest = plan.planned.length === 0 && (round > 1 || deleting.length === 0)
    if (isAtRest || round > ROUNDS) return atTheEnd(pods.judged(), { rounds, refused: plan.refused, last: now, machines, planned })
    for (const { draft, pods: own } of plan.creates)
      machines.set(
        `joiner-${draft.name}`,
        own.map(({ key }) => key),
      )
    for (const key of plan.planned) planned.add(key)
    if (round === 1) claims = await removeDeleting(cluster, claims, deleting)
    if (round === 1) pods.lost(deleting)
    claims = await bringUp(cluster, now, claims, plan)
    await cluster.settle()
    const bound = await pods.bring(plan.planned, nominate ? plan.nodeOf : undefined)
    rounds.push({ planned: plan.planned, bound: plan.planned.filter((key) => bound.has(key)), snapshot: now, decision: plan.decision })
  }
}

/** Creates everything that exists in the world, without the pending pods. */
export async function setUp(cluster: CaseCluster, { snapshot: given, storage, bound, daemonSets }: RandomWorld): Promise<void> {
  await cluster.createStorage(storageObjects(storage))
  await cluster.createMachines(standing(given))
  await cluster.createPods(bound.map(podObject))
  await cluster.createDaemonSets(daemonSets.map(daemonSetObject))
  await cluster.settle()
}

function atTheEnd(
  pods: readonly CasePod[],
  { planned, ...played }: Omit<Played, 'left' | 'empty' | 'places'> & { readonly planned: ReadonlySet<string> },
): Played {
  const places = new Map(pods.map((pod) => [podKeyOf(pod), pod.spec.nodeName]))
  const used = new Set(places.values())
  const waiting = pods.filter((pod) => planned.has(podKeyOf(pod)) && !isBound(pod))
  const left = new Map(waiting.map((pod) => [podKeyOf(pod), pod.status.conditions?.map(({ message }) => message).join(' ') ?? '']))
  return { ...played, left, empty: [...played.machines.keys()].filter((name) => !used.has(name)), places }
}

async function snapshotOf(cluster: CaseCluster, given: ClusterSnapshot, coming: readonly PodManifest[]): Promise<ClusterSnapshot> {
  const seen = await cluster.seen()
  const pods = coming.map(readWaiting)
  const objects = {
    ...seen,
    pod: [...seen.pod, ...pods],
    persistentVolumeClaim: [...seen.persistentVolumeClaim, ...pods.flatMap(ephemeralClaims)],
  }
  return { ...given, objects: { ...given.objects, ...objects } }
}

function withClaims(given: ClusterSnapshot, { nodeClaim, drafts }: Claims, decision: number): ClusterSnapshot {
  return { ...given, decision, drafts, objects: { ...given.objects, nodeClaim } }
}

/** The claims of the pod's ephemeral volumes. The pod and the claims are not on the API server yet. */
function ephemeralClaims({ key, uid, volumes }: Pod): readonly PersistentVolumeClaim[] {
  return volumes.flatMap((volume) => {
    if (volume.kind !== 'ephemeral') return []
    const { claimName, storageClassName } = volume
    return [{ key: objectKey(namespaceOf({ key }), claimName), uid, deleted: false, ...defined({ storageClassName }) }]
  })
}

/** The engine gives no reason for a pod that it leaves to a node outside Joiner. So each pod that the engine does not refuse counts as planned. */
function planOf(now: ClusterSnapshot, homeless: readonly string[], decide: (snapshot: ClusterSnapshot) => Decision): Plan {
  const decision = decide(now)
  const refused = new Map(decision.reasons.filter(({ subject }) => subject.kind === 'pod').map((each) => [each.subject.name, each]))
  const { targets } = placementOfDecision(decision)
  return {
    creates: decision.actions.filter((action) => action.kind === 'createClaim'),
    used: new Set(targets.keys()),
    nodeOf: new Map(placedPods(decision).map(({ pod, claim }) => [pod.key, `joiner-${claim}`])),
    planned: homeless.filter((key) => !refused.has(key)),
    refused,
    decision,
  }
}

/** Makes three kinds of machines ready: nodes that come up in any case, claims in flight that the plan uses, and new claims. */
async function bringUp(cluster: CaseCluster, now: ClusterSnapshot, claims: Claims, { creates, used }: Plan): Promise<Claims> {
  const registered = claims.nodeClaim.flatMap((claim) => ofRegistered(now, claim) ?? [])
  const hasNode = (name: string): boolean => now.objects.node.some((node) => node.name === `joiner-${name}`)
  const fresh = [
    ...[...used].filter((name) => !hasNode(name)).flatMap((name) => ofComing(now, name) ?? []),
    ...creates.map((create) => ofChoice(now, create)),
  ]
  for (const { machine } of registered) await cluster.bringUp(machine)
  await cluster.createMachines(fresh)
  return withUp(claims, [...registered, ...fresh])
}

function withUp({ nodeClaim, drafts }: Claims, up: readonly Up[]): Claims {
  const names = new Set<string>(up.map(({ claim }) => claim.name))
  return {
    nodeClaim: [...nodeClaim.filter((claim) => !names.has(claim.name)), ...up.map(({ claim }) => claim)],
    drafts: drafts.filter((draft) => !names.has(draft.name)),
  }
}

function deletingNodes({ objects }: ClusterSnapshot): readonly string[] {
  const deleting = objects.nodeClaim.filter((claim) => claim.meta.deletedAt !== undefined).map((claim) => claim.status.providerId)
  return objects.node.filter((node) => node.providerId !== undefined && deleting.includes(node.providerId)).map(({ name }) => name)
}

async function removeDeleting(cluster: CaseCluster, { nodeClaim, drafts }: Claims, deleting: readonly string[]): Promise<Claims> {
  await cluster.removeMachines(deleting)
  return { nodeClaim: nodeClaim.filter((claim) => claim.meta.deletedAt === undefined), drafts }
}
