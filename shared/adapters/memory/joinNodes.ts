import { findCondition, setCondition } from '../../model/condition.ts'
import { type NodeName, nodeName } from '../../model/ids.ts'
import { allocatableOfType } from '../../model/instanceType.ts'
import { LABEL, type Labels, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { Machine } from './machines.ts'
import type { MemoryWorld } from './memoryWorld.ts'

/**
 * Acts as the kubelets: nodes of machines that restart are not ready until their machine is up again, with another boot id. And each running machine without a node registers one, if its bootstrap token was valid when it came up. A machine with a wrong
 * or expired token stays without a node. Returns the names of the nodes that joined now.
 */
export function joinNodes(world: MemoryWorld): readonly NodeName[] {
  for (const machine of world.machines.all()) rebootNode(world, machine)
  const joining = world.machines
    .all()
    .filter(
      (machine) => world.objects.get('node', machine.instance.name) === undefined && world.machines.state(machine).state.kind === 'running',
    )
    .filter((machine) => tokenIsGood(world, machine))
  return joining.map((machine) => world.objects.put('node', nodeOf(machine, world)).name)
}

function rebootNode({ objects, clock }: MemoryWorld, { instance, restarted }: Machine): void {
  const node = objects.get('node', instance.name)
  if (node === undefined || restarted === undefined || node.bootId === bootIdOf(instance.name, restarted.boot)) return
  const now = clock.now()
  const isUp = now >= restarted.upAt
  const status = isUp ? 'True' : 'Unknown'
  const before = findCondition(node.conditions, 'Ready')
  if (!isUp && before?.status === status) return
  const condition = { type: 'Ready', status, reason: isUp ? 'KubeletReady' : 'NodeStatusUnknown' } as const
  const conditions = setCondition(node.conditions, condition, { generation: 0, createdAt: node.meta.createdAt }, now)
  objects.put('node', { ...node, conditions, ...(isUp && { bootId: bootIdOf(instance.name, restarted.boot) }) })
}

/** The id that the kubelet reports after this many boots. */
function bootIdOf(machine: string, boot: number): string {
  return `boot ${boot} of ${machine}`
}

function tokenIsGood({ objects }: MemoryWorld, { claim, bootstrapToken, runningAt }: Machine): boolean {
  const known = [...objects.tokens.values()].find(({ token }) => token === bootstrapToken)
  return known?.claim === claim.name && runningAt < known.expiresAt
}

function nodeOf({ claim, candidate, instance }: Machine, { clock, objects }: MemoryWorld): Node {
  const { capacity } = candidate.instanceType
  const now = clock.now()
  const labels: Labels = { ...claim.meta.labels, ...candidate.labels, [LABEL.hostname]: instance.name }
  return {
    name: nodeName(instance.name),
    meta: { uid: objects.newUid(), labels, annotations: {}, createdAt: now, generation: 1, resourceVersion: '', finalizers: [] },
    providerId: instance.providerId,
    taints: [...claim.spec.taints, ...claim.spec.startupTaints, { key: TAINT_KEY.unregistered, effect: 'NoExecute' }],
    unschedulable: false,
    capacity,
    allocatable: allocatableOfType(candidate.instanceType),
    bootId: bootIdOf(instance.name, 1),
    ...(instance.kubernetesVersion === undefined ? {} : { kubeletVersion: `v${instance.kubernetesVersion}` }),
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastTransitionAt: now, observedGeneration: 0 }],
  }
}
