import { must, mustUnless, mustUnlessGone } from '../client/api.ts'
import { type Index, indexBy } from '../client/indexBy.ts'
import type { Informer } from '../client/informer.ts'
import { controllerOf, type Deployment, objectKeyOf, type Pod, type ReplicaSet } from '../client/objects.ts'
import { DEPLOYMENTS, REPLICA_SETS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isTerminal, isTerminating } from '../podState.ts'
import { deploymentStatus, sameStatus } from './deploymentStatus.ts'
import { ownerReference, templateHash } from './podFactory.ts'
import { byAge, limitsOf, newSetReplicas, oldSetReplicas, sum, wanted } from './rollout.ts'

const HASH_LABEL = 'pod-template-hash'
const REVISION = 'deployment.kubernetes.io/revision'

type Parts = {
  readonly context: ControllerContext
  readonly deployments: Informer<Deployment>
  readonly sets: Informer<ReplicaSet>
  readonly setsOf: Index<ReplicaSet>
  readonly podsOf: Index<Pod>
}

/** Rolls out Deployments: one ReplicaSet for each template, replaced step by step within maxSurge and maxUnavailable. */
export async function startDeployments(context: ControllerContext): Promise<Controller> {
  const deployments = context.informers.deployments()
  const sets = context.informers.replicaSets()
  const pods = context.informers.pods()
  await Promise.all([deployments.synced, sets.synced, pods.synced])
  const setsOf = indexBy(sets, (set) => controllerOf(set)?.uid)
  const podsOf = indexBy(pods, (pod) => controllerOf(pod)?.uid)
  const parts = { context, deployments, sets, setsOf, podsOf }
  const queue = createKeyQueue({ name: 'deployment', log: context.log, reconcile: (key) => reconcile(parts, key) })
  deployments.onChange((now) => now !== undefined && queue.add(objectKeyOf(now)))
  sets.onChange((now, before) => {
    const set = now ?? before
    const owner = set === undefined ? undefined : controllerOf(set)
    if (owner?.kind === 'Deployment') queue.add(`${set?.metadata.namespace}/${owner.name}`)
  })
  // Recreate waits until the last old pod is gone, which no ReplicaSet reports.
  pods.onChange((now, before) => {
    const owner = before === undefined || now !== undefined ? undefined : controllerOf(before)
    const set = owner?.kind === 'ReplicaSet' ? sets.get(`${before?.metadata.namespace}/${owner.name}`) : undefined
    const deployment = set === undefined ? undefined : controllerOf(set)
    if (deployment?.kind === 'Deployment') queue.add(`${set?.metadata.namespace}/${deployment.name}`)
  })
  return queue
}

async function reconcile(parts: Parts, key: string): Promise<void> {
  const deployment = parts.deployments.get(key)
  if (deployment === undefined) return
  if (isTerminating(deployment)) return writeStatus(parts, deployment, undefined)
  const hash = templateHash(deployment.spec.template)
  const find = () => setsNow(parts, deployment).find((set) => set.metadata.labels?.[HASH_LABEL] === hash)
  if (deployment.spec.paused === true) {
    await scaleTogether(parts, deployment)
    return writeStatus(parts, deployment, find())
  }
  const newSet = find() ?? (await createSet(parts, deployment, hash))
  await markRevision(parts, deployment, newSet)
  const old = () => setsNow(parts, deployment).filter((set) => set.metadata.uid !== newSet.metadata.uid)
  const current = () => parts.sets.get(objectKeyOf(newSet)) ?? newSet
  if (deployment.spec.strategy?.type === 'Recreate') await recreate(parts, deployment, current(), old())
  else {
    const limits = limitsOf(deployment)
    await scale(parts, deployment, current(), newSetReplicas(limits, current(), setsNow(parts, deployment)))
    for (const { set, replicas } of oldSetReplicas(limits, current(), old())) await scale(parts, deployment, set, replicas)
  }
  await writeStatus(parts, deployment, current())
  await dropHistory(parts, deployment, old())
}

function setsNow(parts: Parts, deployment: Deployment): readonly ReplicaSet[] {
  return [...parts.setsOf(deployment.metadata.uid)].filter((set) => !isTerminating(set))
}

async function createSet(parts: Parts, deployment: Deployment, hash: string): Promise<ReplicaSet> {
  const { name, namespace, annotations } = deployment.metadata
  const { template, selector, minReadySeconds } = deployment.spec
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  const answer = await parts.context.api.create(
    REPLICA_SETS,
    {
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels,
        annotations: copied(annotations),
        ownerReferences: [ownerReference(DEPLOYMENTS, deployment)],
      },
      spec: {
        // Without a rollout to protect, the first set starts at once with all its pods.
        replicas: setsNow(parts, deployment).length === 0 ? (deployment.spec.replicas ?? 1) : 0,
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    },
    namespace,
  )
  const created = must(`create a replicaset of deployment ${objectKeyOf(deployment)}`, answer)
  parts.sets.observe(created)
  announce(parts, deployment, created, 0)
  return created
}

/** Returns all annotations except those that belong to the Deployment alone. */
function copied(annotations: { readonly [key: string]: string } | undefined): { readonly [key: string]: string } {
  const own = ['kubectl.kubernetes.io/last-applied-configuration', REVISION]
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !own.includes(key)))
}

/** Marks the set in use with the highest revision, and the Deployment with the same revision. */
async function markRevision(parts: Parts, deployment: Deployment, newSet: ReplicaSet): Promise<void> {
  const revisionOf = (set: ReplicaSet) => Number(set.metadata.annotations?.[REVISION] ?? 0)
  const others = setsNow(parts, deployment).filter((set) => set.metadata.uid !== newSet.metadata.uid)
  const highest = Math.max(0, ...others.map(revisionOf))
  const revision = revisionOf(newSet) > highest ? revisionOf(newSet) : highest + 1
  const patch = { metadata: { annotations: { [REVISION]: String(revision) } } }
  if (revisionOf(newSet) !== revision) {
    parts.sets.observe(must('mark revision', await parts.context.api.patch(REPLICA_SETS, newSet.metadata, patch, 'merge')))
  }
  if (deployment.metadata.annotations?.[REVISION] !== String(revision)) {
    must('mark revision', await parts.context.api.patch(DEPLOYMENTS, deployment.metadata, patch, 'merge'))
  }
}

async function recreate(parts: Parts, deployment: Deployment, newSet: ReplicaSet, old: readonly ReplicaSet[]): Promise<void> {
  for (const set of old) await scale(parts, deployment, set, 0)
  const oldPods = old.flatMap((set) => [...parts.podsOf(set.metadata.uid)])
  if (oldPods.every(isTerminal)) await scale(parts, deployment, newSet, deployment.spec.replicas ?? 1)
}

/** Scales a paused Deployment: the newest set that has pods takes the difference. During a rollout its surge stays. */
async function scaleTogether(parts: Parts, deployment: Deployment): Promise<void> {
  const sets = [...setsNow(parts, deployment)].sort(byAge)
  const active = sets.filter((set) => wanted(set) > 0)
  const target = active.at(-1) ?? sets.at(-1)
  if (target === undefined) return
  const { desired, maxSurge } = limitsOf(deployment)
  const total = active.length > 1 && desired > 0 ? desired + maxSurge : desired
  const elsewhere = sum(sets, wanted) - wanted(target)
  await scale(parts, deployment, target, Math.max(0, total - elsewhere))
}

async function scale(parts: Parts, deployment: Deployment, set: ReplicaSet, replicas: number): Promise<void> {
  const before = wanted(set)
  if (before === replicas) return
  const answer = await parts.context.api.patch(REPLICA_SETS, set.metadata, { spec: { replicas } }, 'merge')
  const scaled = mustUnlessGone(`scale replicaset ${objectKeyOf(set)}`, answer)
  if (scaled === undefined) return
  parts.sets.observe(scaled)
  announce(parts, deployment, scaled, before)
}

function announce(parts: Parts, deployment: Deployment, set: ReplicaSet, before: number): void {
  const after = wanted(set)
  if (after === before) return
  const message = `Scaled ${after > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${after}`
  const subject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: deployment.metadata }
  parts.context.events.record(subject, { type: 'Normal', reason: 'ScalingReplicaSet', message })
}

async function writeStatus(parts: Parts, deployment: Deployment, newSet: ReplicaSet | undefined): Promise<void> {
  const status = deploymentStatus(deployment, newSet, setsNow(parts, deployment), parts.context.now())
  if (sameStatus(deployment.status, status)) return
  const answer = await parts.context.api.patch(DEPLOYMENTS, deployment.metadata, { status }, 'merge', 'status')
  const written = mustUnless(`write status of deployment ${objectKeyOf(deployment)}`, [404, 409], answer)
  if (written.ok) parts.deployments.observe(written.value)
}

async function dropHistory(parts: Parts, deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
  const unused = old.filter((set) => wanted(set) === 0 && (set.status?.replicas ?? 0) === 0).sort(byAge)
  const surplus = unused.slice(0, Math.max(0, unused.length - (deployment.spec.revisionHistoryLimit ?? 10)))
  for (const set of surplus) await parts.context.api.remove(REPLICA_SETS, set.metadata, { uid: set.metadata.uid })
}
