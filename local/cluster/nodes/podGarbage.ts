import { mustUnless, mustUnlessGone } from '../client/api.ts'
import { indexBy } from '../client/indexBy.ts'
import { objectKeyOf, type Pod } from '../client/objects.ts'
import { NODES, PODS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isTerminal, isTerminating, timestamp } from '../podState.ts'

/** How long a node must be missing. The real controller waits 40 s, which is too long for a demo. */
const QUARANTINE_MS = 4000

/** Deletes pods that no kubelet will ever end: pods on nodes that are gone, and terminating pods that never had a node. */
export async function startPodGarbage(context: ControllerContext): Promise<Controller> {
  const nodes = context.informers.nodes()
  const pods = context.informers.pods()
  await Promise.all([nodes.synced, pods.synced])
  const podsOn = indexBy(pods, (pod) => pod.spec.nodeName || undefined)
  const quarantineMs = QUARANTINE_MS / context.speed
  const queue = createKeyQueue({
    name: 'podgc',
    log: context.log,
    reconcile: async (key) => {
      const pod = pods.get(key)
      if (pod === undefined) return
      const { nodeName } = pod.spec
      if (!nodeName) return isTerminating(pod) ? remove(context, pod) : undefined
      if (nodes.get(nodeName) !== undefined) return
      // The watch may lag behind, so the API server is asked.
      const live = mustUnless(`look for node ${nodeName}`, [404], await context.api.get(NODES, { name: nodeName }))
      if (!live.ok) await remove(context, pod)
    },
  })
  nodes.onChange((now, before) => {
    if (now !== undefined || before === undefined) return
    for (const pod of podsOn(before.metadata.name)) queue.addAfter(objectKeyOf(pod), quarantineMs)
  })
  pods.onChange((now) => {
    const lost = now !== undefined && (now.spec.nodeName ? nodes.get(now.spec.nodeName) === undefined : isTerminating(now))
    if (lost) queue.addAfter(objectKeyOf(now), quarantineMs)
  })
  return queue
}

async function remove(context: ControllerContext, pod: Pod): Promise<void> {
  const { uid } = pod.metadata
  if (!isTerminal(pod)) {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: timestamp(context.now()),
    }
    const patch = { metadata: { uid }, status: { phase: 'Failed', conditions: [condition] } }
    mustUnless(`fail pod ${objectKeyOf(pod)}`, [404, 409], await context.api.patch(PODS, pod.metadata, patch, 'strategic', 'status'))
  }
  mustUnlessGone(`delete pod ${objectKeyOf(pod)}`, await context.api.remove(PODS, pod.metadata, { uid, graceSeconds: 0 }))
}
