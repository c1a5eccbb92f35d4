import { setImmediate as nextTurn } from 'node:timers/promises'
import { mustUnlessGone } from '../client/api.ts'
import { keyOf, type Pod } from '../client/objects.ts'
import { objectPath, PODS } from '../client/resource.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { conditionOf, isTerminal, isTerminating, timestamp } from '../podState.ts'
import { type ClusterModel, createClusterModel } from './clusterView.ts'
import { place, type Strategy } from './place.ts'
import { cannotJudge } from './unjudged.ts'

const SCHEDULER_NAME = 'default-scheduler'

/** Gives every waiting pod a node, or says on the pod why there is none. Never takes a pod off a node for another. */
export async function startScheduler(context: ControllerContext, strategy: Strategy = 'leastAllocated'): Promise<Controller> {
  const pods = context.informers.pods()
  const nodes = context.informers.nodes()
  const namespaces = context.informers.namespaces()
  await Promise.all([pods.synced, nodes.synced, namespaces.synced])
  const model = createClusterModel((name) => namespaces.get(name)?.metadata.labels ?? {})
  const waiting = new Map<string, Pod>()
  const rounds = createRounds(async () => {
    failedClasses.clear()
    await inSlices(inOrder(waiting.values(), model), (pod) => {
      // Something may have happened to it while others had their turn.
      if (waiting.get(pod.metadata.uid) === pod && model.nodeOf(pod.metadata.uid) === undefined) decide(pod)
    })
  })
  const failedClasses = new Map<string, string>()

  const decide = (pod: Pod) => {
    const unjudged = cannotJudge(pod)
    if (unjudged !== undefined) return void report(context, pod, 'SchedulerError', unjudged)
    const known = failedClasses.get(classOf(pod))
    const placement = known === undefined ? place(pod, model, strategy) : { message: known }
    if ('message' in placement) {
      if (pod.spec.affinity?.podAffinity === undefined) failedClasses.set(classOf(pod), placement.message)
      return void report(context, pod, 'Unschedulable', placement.message)
    }
    model.putPod(pod, placement.node)
    void bind(context, pod, placement.node).then((bound) => {
      if (bound) return
      // Still ours only if no watch has told otherwise meanwhile.
      if (waiting.has(pod.metadata.uid)) model.dropPod(pod.metadata.uid)
      rounds.soon(RETRY_MS)
    })
  }

  pods.onChange((now, before) => {
    if (now === undefined || now.metadata.uid !== before?.metadata.uid) forget(before, waiting, model)
    if (now === undefined || isTerminal(now)) forget(now, waiting, model)
    else if (now.spec.nodeName) {
      waiting.delete(now.metadata.uid)
      model.putPod(now, now.spec.nodeName)
    } else if (isOurs(now)) waiting.set(now.metadata.uid, now)
    else waiting.delete(now.metadata.uid)
    rounds.soon(0)
  })
  nodes.onChange((now, before) => {
    if (now !== undefined) model.putNode(now)
    else if (before !== undefined) model.dropNode(before.metadata.name)
    rounds.soon(0)
  })
  return { close: rounds.close }
}

const RETRY_MS = 200

function isOurs(pod: Pod): boolean {
  const name = pod.spec.schedulerName
  return (!name || name === SCHEDULER_NAME) && !isTerminating(pod) && (pod.spec.schedulingGates ?? []).length === 0
}

function forget(pod: Pod | undefined, waiting: Map<string, Pod>, model: ClusterModel): void {
  if (pod === undefined) return
  waiting.delete(pod.metadata.uid)
  model.dropPod(pod.metadata.uid)
}

/** Higher priority first, then who waits longest. Pods whose binding is on its way are not looked at. */
function inOrder(pods: Iterable<Pod>, model: ClusterModel): readonly Pod[] {
  return [...pods]
    .filter((pod) => model.nodeOf(pod.metadata.uid) === undefined)
    .sort((first, second) => {
      const byPriority = (second.spec.priority ?? 0) - (first.spec.priority ?? 0)
      return (
        byPriority || compare(first.metadata.creationTimestamp, second.metadata.creationTimestamp) || compare(keyOf(first), keyOf(second))
      )
    })
}

function compare(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0
}

const classes = new WeakMap<Pod, string>()

/** Pods of one class are placed alike: when one of them found no node, the others of the same round need not look. */
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
      { type: 'Normal', reason: 'Scheduled', message: `Successfully assigned ${keyOf(pod)} to ${node}` },
    )
  } else context.log(`scheduler: binding ${keyOf(pod)} to ${node}: ${answer.error.message}`)
  return answer.ok
}

async function report(context: ControllerContext, pod: Pod, reason: 'Unschedulable' | 'SchedulerError', message: string): Promise<void> {
  const known = conditionOf(pod, 'PodScheduled')
  if (known?.status === 'False' && known.reason === reason && known.message === message) return
  const lastTransitionTime = known?.status === 'False' ? known.lastTransitionTime : timestamp(context.now())
  const condition = { type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime }
  context.events.record({ apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata }, { type: 'Warning', reason: 'FailedScheduling', message })
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } }
  const answer = await context.api.patch(PODS, pod.metadata, patch, 'strategic', 'status')
  if (!answer.ok && answer.error.code !== 404 && answer.error.code !== 409) context.log(`scheduler: ${keyOf(pod)}: ${answer.error.message}`)
  else if (answer.ok) context.informers.pods().observe(mustUnlessGone('report', answer) ?? pod)
}

type Rounds = { soon(ms: number): void; close(): void }

const SLICE_MS = 10

/** Works through the items without keeping everybody else in the process waiting. */
async function inSlices<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
  let began = Date.now()
  for (const item of items) {
    if (Date.now() - began > SLICE_MS) {
      await nextTurn()
      began = Date.now()
    }
    work(item)
  }
}

/** Runs rounds one after another; any number of wishes become one round. */
function createRounds(round: () => Promise<void>): Rounds {
  let next: NodeJS.Timeout | undefined
  let at = Number.POSITIVE_INFINITY
  let running = false
  let closed = false
  const run = async () => {
    at = Number.POSITIVE_INFINITY
    running = true
    await round()
    running = false
    if (at < Number.POSITIVE_INFINITY) arm(at - Date.now())
  }
  const arm = (ms: number) => {
    clearTimeout(next)
    if (!closed) next = setTimeout(() => void run(), Math.max(0, ms))
  }
  return {
    soon: (ms) => {
      const wish = Date.now() + ms
      if (closed || wish >= at) return
      at = wish
      if (!running) arm(ms)
    },
    close: () => {
      closed = true
      clearTimeout(next)
    },
  }
}
