import { type Node, objectKeyOf, type Pod } from '../client/objects.ts'
import { objectPath, PODS } from '../client/resource.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isTerminal, isTerminating } from '../podState.ts'
import { type ClusterModel, createClusterModel } from './clusterView.ts'
import { createFailureReports, type Failure, type FailureReports } from './failureReports.ts'
import { place, type Strategy } from './place.ts'
import { createRounds, inSlices } from './rounds.ts'
import { unsupportedReason } from './unsupported.ts'

const SCHEDULER_NAME = 'default-scheduler'

/** Gives every waiting pod a node, or writes on the pod why there is none. Does not preempt pods. */
export async function startScheduler(context: ControllerContext, strategy: Strategy = 'leastAllocated'): Promise<Controller> {
  const pods = context.informers.pods()
  const nodes = context.informers.nodes()
  const namespaces = context.informers.namespaces()
  await Promise.all([pods.synced, nodes.synced, namespaces.synced])
  const model = createClusterModel((name) => namespaces.get(name)?.metadata.labels ?? {})
  const reports = createFailureReports(context)
  const { waiting, take, forget } = trackPods(model, reports)
  const rounds = createRounds(async () => {
    failedClasses.clear()
    await inSlices(inOrder(waiting.values(), model), (pod) => {
      // The pod may have changed while other pods had their turn.
      if (waiting.get(pod.metadata.uid) === pod && model.nodeOf(pod.metadata.uid) === undefined) decide(pod)
    })
  })
  const failedClasses = new Map<string, string>()

  const tell = (pod: Pod, failure: Failure) => {
    const againMs = reports.tell(pod, failure)
    if (againMs !== undefined) rounds.soon(againMs)
  }

  const decide = (pod: Pod) => {
    const unjudged = unsupportedReason(pod)
    if (unjudged !== undefined) return tell(pod, { reason: 'SchedulerError', message: unjudged })
    const known = failedClasses.get(classOf(pod))
    const placement = known === undefined ? place(pod, model, strategy) : { message: known }
    if ('message' in placement) {
      if (pod.spec.affinity?.podAffinity === undefined) failedClasses.set(classOf(pod), placement.message)
      return tell(pod, { reason: 'Unschedulable', message: placement.message })
    }
    model.putPod(pod, placement.node)
    void bind(context, pod, placement.node).then((bound) => {
      if (bound) return
      // If the pod no longer waits, a watch has reported a node for it meanwhile.
      if (waiting.has(pod.metadata.uid)) model.dropPod(pod.metadata.uid)
      rounds.soon(RETRY_MS)
    })
  }

  pods.onChange((now, before) => {
    if (before !== undefined && now?.metadata.uid !== before.metadata.uid) forget(before)
    if (now !== undefined) take(now)
    if (mayMakeSchedulable(now, before, schedulingFieldsOfPod)) rounds.soon(0)
  })
  nodes.onChange((now, before) => {
    if (now !== undefined) model.putNode(now)
    else if (before !== undefined) model.dropNode(before.metadata.name)
    if (mayMakeSchedulable(now, before, schedulingFieldsOfNode)) rounds.soon(0)
  })
  return { close: rounds.close }
}

const RETRY_MS = 200

type Tracked = { readonly waiting: ReadonlyMap<string, Pod>; take(pod: Pod): void; forget(pod: Pod): void }

/** Sorts pods into waiting pods, by uid, and pods that the model holds on their nodes. */
function trackPods(model: ClusterModel, reports: FailureReports): Tracked {
  const waiting = new Map<string, Pod>()
  const stopWaiting = ({ metadata }: Pod) => {
    waiting.delete(metadata.uid)
    reports.forget(metadata.uid)
  }
  const forget = (pod: Pod) => {
    stopWaiting(pod)
    model.dropPod(pod.metadata.uid)
  }
  const take = (pod: Pod) => {
    if (isTerminal(pod)) return forget(pod)
    if (pod.spec.nodeName) model.putPod(pod, pod.spec.nodeName)
    if (!pod.spec.nodeName && isOurs(pod)) waiting.set(pod.metadata.uid, pod)
    else stopWaiting(pod)
  }
  return { waiting, take, forget }
}

function isOurs(pod: Pod): boolean {
  const name = pod.spec.schedulerName
  return (!name || name === SCHEDULER_NAME) && !isTerminating(pod) && (pod.spec.schedulingGates ?? []).length === 0
}

/** Higher priority first, then the longest wait. Pods with a binding under way are left out. */
function inOrder(pods: Iterable<Pod>, model: ClusterModel): readonly Pod[] {
  return [...pods]
    .filter((pod) => model.nodeOf(pod.metadata.uid) === undefined)
    .sort((first, second) => {
      const byPriority = (second.spec.priority ?? 0) - (first.spec.priority ?? 0)
      return (
        byPriority ||
        compare(first.metadata.creationTimestamp, second.metadata.creationTimestamp) ||
        compare(objectKeyOf(first), objectKeyOf(second))
      )
    })
}

function compare(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0
}

/** Reports whether the change may make a pod placeable. Most changes are heartbeats and statuses, our own reports among them. */
function mayMakeSchedulable<Item>(now: Item | undefined, before: Item | undefined, fieldsOf: (item: Item) => string): boolean {
  return now === undefined || before === undefined || fieldsOf(now) !== fieldsOf(before)
}

/** Returns the part of a pod that a placement, its own or that of another pod, can depend on. */
function schedulingFieldsOfPod(pod: Pod): string {
  return [classOf(pod), isTerminal(pod), isTerminating(pod), pod.status?.nominatedNodeName].join()
}

function schedulingFieldsOfNode({ metadata, spec, status }: Node): string {
  return JSON.stringify([metadata.labels, spec, status?.allocatable])
}

const classes = new WeakMap<Pod, string>()

/** Pods of one class are placed alike. If one of them found no node, the others of the same round need not be tried. */
function classOf(pod: Pod): string {
  const known = classes.get(pod)
  if (known !== undefined) return known
  const own = JSON.stringify([pod.metadata.namespace, pod.metadata.labels, pod.spec])
  classes.set(pod, own)
  return own
}

async function bind(context: ControllerContext, pod: Pod, node: string): Promise<boolean> {
  const { namespace, name, uid } = pod.metadata
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  }
  const answer = await context.api.post(objectPath(PODS, pod.metadata, 'binding'), body)
  if (answer.ok) {
    context.events.record(
      { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata },
      { type: 'Normal', reason: 'Scheduled', message: `Successfully assigned ${objectKeyOf(pod)} to ${node}` },
    )
  } else context.log(`scheduler: binding ${objectKeyOf(pod)} to ${node}: ${answer.error.message}`)
  return answer.ok
}
