import { must, mustUnless } from '../client/api.ts'
import { indexBy } from '../client/indexBy.ts'
import { type Node, type NodeCondition, type Pod } from '../client/objects.ts'
import { NODES, PODS } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { conditionOf, isTerminal, timestamp, wholeCondition } from '../podState.ts'
import { taintsByCondition } from './conditionTaints.ts'
import { writeTaints } from './writeTaints.ts'

const LEASE_NAMESPACE = 'kube-node-lease'
const LOOK_EVERY_MS = 2000
/** How long a kubelet may be silent. Kubelets renew every 10 s of real time, whatever the speed. */
const SILENCE_MS = 40_000

/** Turns the reports of kubelets, and their silence, into conditions and taints. */
export async function startNodeLifecycle(context: ControllerContext, silenceMs: number = SILENCE_MS): Promise<Controller> {
  const nodes = context.informers.nodes()
  const leases = context.informers.leases()
  const pods = context.informers.pods()
  await Promise.all([nodes.synced, leases.synced, pods.synced])
  const podsOn = indexBy(pods, (pod) => pod.spec.nodeName || undefined)
  const heardAt = new Map<string, number>()
  const queue = createKeyQueue({
    name: 'nodelifecycle',
    log: context.log,
    reconcile: async (name) => {
      const node = nodes.get(name)
      if (node === undefined) return void heardAt.delete(name)
      const silent = context.now() - (heardAt.get(name) ?? context.now()) > silenceMs
      const current = silent ? await markUnknown(context, node) : node
      const taints = taintsByCondition(current, timestamp(context.now()))
      const known = current.spec.taints ?? []
      if (taints.length !== known.length || taints.some((taint) => !known.includes(taint))) await writeTaints(context, current, taints)
      const ready = current.status?.conditions?.find(({ type }) => type === 'Ready')?.status
      if (ready === 'Unknown') for (const pod of podsOn(name)) await markNotReady(context, pod)
    },
  })
  nodes.onChange((now, before) => {
    const name = (now ?? before)?.metadata.name ?? ''
    if (now !== undefined && readyBeat(now) !== (before === undefined ? undefined : readyBeat(before))) heardAt.set(name, context.now())
    queue.add(name)
  })
  leases.onChange((now, before) => {
    if (now?.metadata.namespace !== LEASE_NAMESPACE || now.spec.renewTime === before?.spec.renewTime) return
    heardAt.set(now.metadata.name, context.now())
    if (nodes.get(now.metadata.name) !== undefined && isUnknown(nodes.get(now.metadata.name))) queue.add(now.metadata.name)
  })
  const timer = setInterval(() => {
    for (const [name, at] of heardAt) if (context.now() - at > silenceMs && !isUnknown(nodes.get(name))) queue.add(name)
  }, LOOK_EVERY_MS)
  return {
    close: () => {
      clearInterval(timer)
      queue.close()
    },
  }
}

function readyBeat(node: Node): string | undefined {
  const ready = node.status?.conditions?.find(({ type, status }) => type === 'Ready' && status !== 'Unknown')
  return ready === undefined ? '' : `${ready.status} ${ready.lastHeartbeatTime}`
}

function isUnknown(node: Node | undefined): boolean {
  return node === undefined || node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown') === true
}

const CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

async function markUnknown(context: ControllerContext, node: Node): Promise<Node> {
  if (isUnknown(node)) return node
  const at = timestamp(context.now())
  const conditions = CONDITIONS.map((type): NodeCondition => {
    const known = node.status?.conditions?.find((condition) => condition.type === type)
    const heartbeat = known?.lastHeartbeatTime
    return {
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: at,
      ...(heartbeat === undefined ? {} : { lastHeartbeatTime: heartbeat }),
    }
  })
  const subject = { apiVersion: 'v1', kind: 'Node', metadata: node.metadata }
  context.events.record(subject, {
    type: 'Normal',
    reason: 'NodeNotReady',
    message: `Node ${node.metadata.name} status is now: NodeNotReady`,
  })
  const answer = await context.api.patch(NODES, node.metadata, { status: { conditions } }, 'strategic', 'status')
  const written = must(`mark node ${node.metadata.name} unknown`, answer)
  context.informers.nodes().observe(written)
  return written
}

async function markNotReady(context: ControllerContext, pod: Pod): Promise<void> {
  if (isTerminal(pod) || conditionOf(pod, 'Ready')?.status !== 'True') return
  const condition = wholeCondition({ type: 'Ready', status: 'False', lastTransitionTime: timestamp(context.now()) })
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } }
  const answer = await context.api.patch(PODS, pod.metadata, patch, 'strategic', 'status')
  mustUnless(`mark pod ${pod.metadata.name} not ready`, [404, 409], answer)
}
