import { mustUnless, mustUnlessGone } from '../client/api.ts'
import { indexBy } from '../client/indexBy.ts'
import { type Node, objectKeyOf, type Pod } from '../client/objects.ts'
import { PODS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isTerminating, timestamp } from '../podState.ts'
import { tolerates } from '../toleration.ts'

/** Deletes pods from nodes with NoExecute taints that the pods do not tolerate, or no longer tolerate. */
export async function startTaintEviction(context: ControllerContext): Promise<Controller> {
  const nodes = context.informers.nodes()
  const pods = context.informers.pods()
  await Promise.all([nodes.synced, pods.synced])
  const podsOn = indexBy(pods, (pod) => pod.spec.nodeName || undefined)
  const since = new Map<string, number>()
  const queue = createKeyQueue({
    name: 'tainteviction',
    log: context.log,
    reconcile: async (key) => {
      const pod = pods.get(key)
      const node = pod?.spec.nodeName ? nodes.get(pod.spec.nodeName) : undefined
      const seconds = pod === undefined || node === undefined || isTerminating(pod) ? Number.POSITIVE_INFINITY : toleratedSeconds(pod, node)
      if (pod === undefined || seconds === Number.POSITIVE_INFINITY) return void since.delete(key)
      const began = since.get(key) ?? context.now()
      since.set(key, began)
      const leftMs = began + (seconds * 1000) / context.speed - context.now()
      if (leftMs > 0) queue.addAfter(key, leftMs)
      else await evict(context, pod)
    },
  })
  nodes.onChange((now, before) => {
    if (JSON.stringify(now?.spec.taints) === JSON.stringify(before?.spec.taints)) return
    for (const pod of podsOn((now ?? before)?.metadata.name ?? '')) queue.add(objectKeyOf(pod))
  })
  pods.onChange((now, before) => {
    const pod = now ?? before
    if (pod?.spec.nodeName && now?.spec.nodeName !== before?.spec.nodeName) queue.add(objectKeyOf(pod))
  })
  return queue
}

/** Returns how many seconds the pod may stay: 0 if a taint is not tolerated at all, infinite if all taints are tolerated without a limit. */
export function toleratedSeconds(pod: Pod, node: Node): number {
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
  let seconds = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    const using = (pod.spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint))
    if (using.length === 0) return 0
    for (const { tolerationSeconds } of using)
      if (tolerationSeconds !== undefined) seconds = Math.min(seconds, Math.max(0, tolerationSeconds))
  }
  return seconds
}

async function evict(context: ControllerContext, pod: Pod): Promise<void> {
  const { uid } = pod.metadata
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: timestamp(context.now()),
  }
  const patch = { metadata: { uid }, status: { conditions: [condition] } }
  const subject = { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata }
  const message = `Marking for deletion Pod ${objectKeyOf(pod)}`
  context.events.record(subject, { type: 'Normal', reason: 'TaintManagerEviction', message })
  mustUnless(`mark pod ${objectKeyOf(pod)}`, [404, 409], await context.api.patch(PODS, pod.metadata, patch, 'strategic', 'status'))
  mustUnlessGone(`evict pod ${objectKeyOf(pod)}`, await context.api.remove(PODS, pod.metadata, { uid }))
}
