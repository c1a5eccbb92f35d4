import { ownValue } from '../../../shared/base/values.ts'
import { must, mustUnless, mustUnlessGone } from '../client/api.ts'
import { type Index, indexBy } from '../client/indexBy.ts'
import type { Informer } from '../client/informer.ts'
import { controllerOf, type DaemonSet, type Node, objectKeyOf, type Pod } from '../client/objects.ts'
import { DAEMON_SETS, PODS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { isActive, isAvailable, isReady, isTerminal, isTerminating } from '../podState.ts'
import { daemonFits, daemonPodSpec, nodeOfDaemonPod } from './daemonPlacement.ts'
import { podFrom, templateHash } from './podFactory.ts'

const HASH_LABEL = 'controller-revision-hash'

type Parts = {
  readonly context: ControllerContext
  readonly sets: Informer<DaemonSet>
  readonly nodes: Informer<Node>
  readonly pods: Informer<Pod>
  readonly podsOf: Index<Pod>
}

/** Keeps one pod of each DaemonSet on each node that the DaemonSet fits, and replaces old pods within maxUnavailable. */
export async function startDaemonSets(context: ControllerContext): Promise<Controller> {
  const sets = context.informers.daemonSets()
  const nodes = context.informers.nodes()
  const pods = context.informers.pods()
  await Promise.all([sets.synced, nodes.synced, pods.synced])
  const podsOf = indexBy(pods, (pod) => controllerOf(pod)?.uid)
  const parts = { context, sets, nodes, pods, podsOf }
  const queue = createKeyQueue({
    name: 'daemonset',
    log: context.log,
    reconcile: async (key) => {
      const againInMs = await reconcile(parts, key)
      if (againInMs !== undefined) queue.addAfter(key, againInMs)
    },
  })
  sets.onChange((now) => now !== undefined && queue.add(objectKeyOf(now)))
  pods.onChange((now, before) => {
    const pod = now ?? before
    const owner = pod === undefined ? undefined : controllerOf(pod)
    if (owner?.kind === 'DaemonSet') queue.add(`${pod?.metadata.namespace}/${owner.name}`)
  })
  nodes.onChange((now, before) => {
    if (now !== undefined && before !== undefined && placementText(now) === placementText(before)) return
    for (const set of sets.items()) queue.add(objectKeyOf(set))
  })
  return queue
}

function placementText(node: Node): string {
  return JSON.stringify([node.metadata.labels, node.spec.taints, node.metadata.uid])
}

async function reconcile(parts: Parts, key: string): Promise<number | undefined> {
  const set = parts.sets.get(key)
  if (set === undefined || isTerminating(set)) return undefined
  const hash = templateHash(set.spec.template)
  const { missing, surplus } = difference(parts, set)
  await Promise.all(missing.map((name) => create(parts, set, hash, name)))
  await Promise.all(surplus.map((pod) => remove(parts, pod)))
  await rollOn(parts, set, hash)
  return writeStatus(parts, set, hash)
}

/** Returns the nodes that lack their pod, and the pods that should not exist. */
function difference(parts: Parts, set: DaemonSet): { readonly missing: readonly string[]; readonly surplus: readonly Pod[] } {
  const all = [...parts.podsOf(set.metadata.uid)]
  const byNode = Map.groupBy(all, (pod) => nodeOfDaemonPod(pod) ?? '')
  const nodes = [...parts.nodes.items()].map((node) => ({ name: node.metadata.name, ...daemonFits(set, node) }))
  // A node is taken until its terminating pod is gone.
  const missing = nodes.filter(({ name, run }) => run && !byNode.has(name)).map(({ name }) => name)
  const surplus = nodes.flatMap(({ name, stay }) => {
    const here = (byNode.get(name) ?? []).filter((pod) => !isTerminating(pod))
    const working = here.filter((pod) => !isTerminal(pod)).sort(oldestFirst)
    return [...here.filter(isTerminal), ...(stay ? working.slice(1) : working)]
  })
  const lost = all.filter((pod) => !pod.spec.nodeName && !isTerminating(pod) && parts.nodes.get(nodeOfDaemonPod(pod) ?? '') === undefined)
  return { missing, surplus: [...surplus, ...lost] }
}

function oldestFirst(first: Pod, second: Pod): number {
  const bound = Number(Boolean(second.spec.nodeName)) - Number(Boolean(first.spec.nodeName))
  return bound || Date.parse(first.metadata.creationTimestamp) - Date.parse(second.metadata.creationTimestamp)
}

async function create({ context, pods }: Parts, set: DaemonSet, hash: string, nodeName: string): Promise<void> {
  const labels = { [HASH_LABEL]: hash }
  const pod = podFrom(set.spec.template, { resource: DAEMON_SETS, object: set }, { labels, spec: daemonPodSpec(set, nodeName) })
  pods.observe(must(`create a pod of daemonset ${objectKeyOf(set)}`, await context.api.create(PODS, pod, set.metadata.namespace)))
}

async function remove({ context, pods }: Parts, pod: Pod): Promise<void> {
  const left = mustUnlessGone(`delete pod ${objectKeyOf(pod)}`, await context.api.remove(PODS, pod.metadata, { uid: pod.metadata.uid }))
  if (left === undefined) pods.forget(pod)
  else pods.observe(left)
}

/** Deletes the old pods that are not ready, and as many ready ones as maxUnavailable allows. The next rounds create new pods. */
async function rollOn(parts: Parts, set: DaemonSet, hash: string): Promise<void> {
  if (set.spec.updateStrategy?.type === 'OnDelete') return
  const all = [...parts.podsOf(set.metadata.uid)]
  const active = all.filter(isActive)
  const old = active.filter((pod) => pod.metadata.labels?.[HASH_LABEL] !== hash)
  const said = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1
  const text = String(said)
  const number = Number.parseInt(text, 10) || 0
  const limit = Math.max(1, text.endsWith('%') ? Math.ceil((number * active.length) / 100) : number)
  const unavailable = all.length - active.filter(isReady).length
  const broken = old.filter((pod) => !isReady(pod))
  const working = old.filter(isReady).slice(0, Math.max(0, limit - unavailable))
  await Promise.all([...broken, ...working].map((pod) => remove(parts, pod)))
}

/** Writes the counts if they changed. Returns in how many milliseconds to look again, if a pod becomes available by waiting alone. */
async function writeStatus(parts: Parts, set: DaemonSet, hash: string): Promise<number | undefined> {
  const active = [...parts.podsOf(set.metadata.uid)].filter(isActive)
  const fitting = [...parts.nodes.items()].filter((node) => daemonFits(set, node).run)
  const names = new Set(fitting.map((node) => node.metadata.name))
  const placed = active.filter((pod) => names.has(nodeOfDaemonPod(pod) ?? ''))
  const now = parts.context.now()
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const ready = placed.filter(isReady).length
  const available = placed.filter((pod) => isAvailable(pod, minReadySeconds, now)).length
  const counts = {
    observedGeneration: set.metadata.generation ?? 0,
    desiredNumberScheduled: fitting.length,
    currentNumberScheduled: placed.length,
    numberMisscheduled: active.length - placed.length,
    updatedNumberScheduled: placed.filter((pod) => pod.metadata.labels?.[HASH_LABEL] === hash).length,
    numberReady: ready,
    numberAvailable: available,
    numberUnavailable: fitting.length - available,
  }
  const againInMs = available < ready ? minReadySeconds * 1000 : undefined
  const known: { readonly [name: string]: unknown } = { ...set.status }
  if (Object.entries(counts).every(([name, count]) => (ownValue(known, name) ?? 0) === count) && set.status !== undefined) return againInMs
  const answer = await parts.context.api.patch(DAEMON_SETS, set.metadata, { status: counts }, 'merge', 'status')
  const written = mustUnless(`write status of daemonset ${objectKeyOf(set)}`, [404, 409], answer)
  if (written.ok) parts.sets.observe(written.value)
  return againInMs
}
