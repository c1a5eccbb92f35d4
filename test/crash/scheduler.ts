import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'

/** Binds each pending pod to the first node with room and no taint, and says of the others that they cannot be scheduled. */
export function runScheduler(world: MemoryWorld): void {
  for (const pod of world.objects.all('pod')) {
    if (pod.nodeName !== undefined || pod.deletedAt !== undefined) continue
    const node = world.objects.all('node').find((each) => each.taints.length === 0 && hasRoom(world, each, pod))
    if (node) world.objects.bind(pod.key, node.name)
    else if (pod.unschedulableSince === undefined) world.objects.put('pod', { ...pod, unschedulableSince: world.clock.now() })
  }
}

function hasRoom(world: MemoryWorld, node: Node, pod: Pod): boolean {
  const used = world.objects.all('pod').filter((each) => each.nodeName === node.name)
  return Object.entries(pod.requests).every(([resource, amount]) => {
    const taken = used.reduce((sum, each) => sum + (each.requests[resource] ?? 0), 0)
    return taken + amount <= (node.allocatable[resource] ?? 0)
  })
}
