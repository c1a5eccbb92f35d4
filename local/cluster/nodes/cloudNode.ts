import type { Machine, MachineSource } from '../../machine.ts'
import { mustUnlessGone } from '../client/api.ts'
import type { Node } from '../client/objects.ts'
import { NODES } from '../client/resource.ts'
import { createKeyQueue } from '../client/workQueue.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { writeTaints } from './writeTaints.ts'

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized'
/** Marks the nodes of simulated kubelets, so that no real node is mistaken for one of them. */
export const SIMULATED_ANNOTATION = 'local.joiner.dev/simulated-kubelet'

const INITIALIZE_MS = 300
/** The real cloud node controller asks the cloud every five seconds. */
const NOTICE_GONE_MS = 5000

/**
 * The work of a cloud node controller: removes the uninitialized taint of a new node once its machine is known, and deletes the Node of a machine
 * that ended. Touches only nodes whose machine this source has shown, or that have the annotation of a simulated kubelet.
 */
export async function startCloudNodes(context: ControllerContext, source: MachineSource | undefined): Promise<Controller> {
  const nodes = context.informers.nodes()
  await nodes.synced
  const machines = createMachineView()
  const seen = new Map<string, number>()
  const queue = createKeyQueue({
    name: 'cloudnode',
    log: context.log,
    reconcile: async (name) => {
      const node = nodes.get(name)
      if (node === undefined) return void seen.delete(name)
      const began = seen.get(name) ?? context.now()
      seen.set(name, began)
      const state = source === undefined ? 'running' : machines.stateOf(node)
      if (state === 'ended' || (state === 'unknown' && isSimulated(node))) return remove(context, node)
      if (state !== 'running' || !node.spec.taints?.some(({ key }) => key === UNINITIALIZED)) return
      const leftMs = began + INITIALIZE_MS / context.speed - context.now()
      if (leftMs > 0) return queue.addAfter(name, leftMs)
      const rest = node.spec.taints.filter(({ key }) => key !== UNINITIALIZED)
      await writeTaints(context, node, rest)
    },
  })
  const unlisten = source?.listen({
    started: (machine) => {
      machines.started(machine)
      for (const node of nodes.items()) if (machines.isOf(node, machine)) queue.add(node.metadata.name)
    },
    stopped: (machine) => {
      machines.stopped(machine)
      for (const node of nodes.items()) if (machines.isOf(node, machine)) queue.addAfter(node.metadata.name, NOTICE_GONE_MS / context.speed)
    },
  })
  nodes.onChange((now) => now !== undefined && queue.add(now.metadata.name))
  return {
    close: () => {
      unlisten?.()
      queue.close()
    },
  }
}

type MachineView = {
  started(machine: Machine): void
  stopped(machine: Machine): void
  isOf(node: Node, machine: Machine): boolean
  stateOf(node: Node): 'running' | 'ended' | 'unknown'
}

/** Resource ids are compared without regard to case, as ARM does. */
function createMachineView(): MachineView {
  const states = new Map<string, 'running' | 'ended'>()
  const idOf = (node: Node) => (node.spec.providerID ?? '').replace(/^azure:\/\//, '').toLowerCase()
  return {
    started: (machine) => states.set(machine.id.toLowerCase(), 'running'),
    stopped: (machine) => states.set(machine.id.toLowerCase(), 'ended'),
    isOf: (node, machine) => idOf(node) === machine.id.toLowerCase(),
    stateOf: (node) => states.get(idOf(node)) ?? 'unknown',
  }
}

function isSimulated(node: Node): boolean {
  return node.metadata.annotations?.[SIMULATED_ANNOTATION] === 'true'
}

async function remove(context: ControllerContext, node: Node): Promise<void> {
  const { name, uid, deletionTimestamp } = node.metadata
  if (deletionTimestamp !== undefined) return
  const subject = { apiVersion: 'v1', kind: 'Node', metadata: node.metadata }
  const message = `Deleting node ${name} because it does not exist in the cloud provider`
  context.events.record(subject, { type: 'Normal', reason: 'DeletingNode', message })
  mustUnlessGone(`delete node ${name}`, await context.api.remove(NODES, node.metadata, { uid }))
}
