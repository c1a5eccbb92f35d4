import { ownValue } from '../../../shared/base/values.ts'
import { must, mustUnlessGone } from '../client/api.ts'
import { type Index, indexBy } from '../client/indexBy.ts'
import type { Informer } from '../client/informer.ts'
import { controllerOf, objectKeyOf, type Pod, type ReplicaSet } from '../client/objects.ts'
import { PODS, REPLICA_SETS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isActive, isAvailable, isReady, isTerminating } from '../podState.ts'
import { inDeletionOrder } from './deletionOrder.ts'
import { podFrom } from './podFactory.ts'

type Parts = {
  readonly context: ControllerContext
  readonly sets: Informer<ReplicaSet>
  readonly pods: Informer<Pod>
  readonly podsOf: Index<Pod>
}

/** Keeps as many pods as each ReplicaSet asks for. Does not adopt pods that it did not create. */
export async function startReplicaSets(context: ControllerContext): Promise<Controller> {
  const sets = context.informers.replicaSets()
  const pods = context.informers.pods()
  await Promise.all([sets.synced, pods.synced])
  const podsOf = indexBy(pods, (pod) => controllerOf(pod)?.uid)
  const parts = { context, sets, pods, podsOf }
  const queue = createKeyQueue({
    name: 'replicaset',
    log: context.log,
    reconcile: async (key) => {
      const againInMs = await reconcile(parts, key)
      if (againInMs !== undefined) queue.addAfter(key, againInMs)
    },
  })
  sets.onChange((now) => now !== undefined && queue.add(objectKeyOf(now)))
  pods.onChange((now, before) => {
    for (const pod of [now, before]) {
      const owner = pod === undefined ? undefined : controllerOf(pod)
      if (owner?.kind === 'ReplicaSet') queue.add(`${pod?.metadata.namespace}/${owner.name}`)
    }
  })
  return queue
}

async function reconcile(parts: Parts, key: string): Promise<number | undefined> {
  const set = parts.sets.get(key)
  if (set === undefined) return undefined
  if (!isTerminating(set)) await adjust(parts, set)
  return writeStatus(parts, set)
}

async function adjust(parts: Parts, set: ReplicaSet): Promise<void> {
  const { context, pods } = parts
  const active = [...parts.podsOf(set.metadata.uid)].filter(isActive)
  const missing = (set.spec.replicas ?? 1) - active.length
  if (missing > 0) {
    const makeOne = async () => {
      const template = set.spec.template ?? {}
      const answer = await context.api.create(PODS, podFrom(template, { resource: REPLICA_SETS, object: set }), set.metadata.namespace)
      if (!answer.ok) {
        const message = `Error creating: ${answer.error.message}`
        context.events.record(
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: set.metadata },
          { type: 'Warning', reason: 'FailedCreate', message },
        )
      }
      pods.observe(must(`create a pod of replicaset ${objectKeyOf(set)}`, answer))
    }
    // One pod first: if pods are refused, the others would be refused too.
    await makeOne()
    await Promise.all(Array.from({ length: missing - 1 }, makeOne))
    return
  }
  await Promise.all(
    inDeletionOrder(active)
      .slice(0, -missing || 0)
      .map((pod) => removePod(parts, pod)),
  )
}

async function removePod({ context, pods }: Parts, pod: Pod): Promise<void> {
  const left = mustUnlessGone(`delete pod ${objectKeyOf(pod)}`, await context.api.remove(PODS, pod.metadata, { uid: pod.metadata.uid }))
  if (left === undefined) pods.forget(pod)
  else pods.observe(left)
}

/** Writes the counts if they changed. Returns in how many milliseconds to look again, if a pod becomes available by waiting alone. */
async function writeStatus(parts: Parts, set: ReplicaSet): Promise<number | undefined> {
  const now = parts.context.now()
  const active = [...parts.podsOf(set.metadata.uid)].filter(isActive)
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const ready = active.filter(isReady)
  const available = active.filter((pod) => isAvailable(pod, minReadySeconds, now))
  const counts = {
    replicas: active.length,
    fullyLabeledReplicas: active.length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    observedGeneration: set.metadata.generation ?? 0,
  }
  const known: { readonly [name: string]: unknown } = { ...set.status }
  const same = set.status !== undefined && Object.entries(counts).every(([name, count]) => (ownValue(known, name) ?? 0) === count)
  if (!same) {
    const answer = await parts.context.api.patch(REPLICA_SETS, set.metadata, { status: counts }, 'merge', 'status')
    const written = mustUnlessGone(`write status of replicaset ${objectKeyOf(set)}`, answer)
    if (written !== undefined) parts.sets.observe(written)
  }
  return available.length < ready.length ? minReadySeconds * 1000 : undefined
}
