import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Resources } from '../../shared/model/resources.ts'

/** Binds each pending pod to the first node with room and no taint that keeps it away, and says of the others that they cannot be scheduled. */
export function runScheduler({ objects, clock }: MemoryWorld): void {
  const pods = objects.all('pod')
  const nodes = objects.all('node').filter(({ taints }) => taints.every(({ effect }) => effect === 'PreferNoSchedule'))
  const taken = new Map<string, Resources>()
  for (const { nodeName, requests } of pods) if (nodeName !== undefined) taken.set(nodeName, plus(taken.get(nodeName), requests))
  for (const pod of pods) {
    if (pod.nodeName !== undefined || pod.deletedAt !== undefined) continue
    const node = nodes.find((each) => fits(each, plus(taken.get(each.name), pod.requests)))
    if (node !== undefined) {
      taken.set(node.name, plus(taken.get(node.name), pod.requests))
      objects.bind(pod.key, node.name)
    } else if (pod.unschedulableSince === undefined) objects.put('pod', { ...pod, unschedulableSince: clock.now() })
  }
}

function fits({ allocatable }: Node, wanted: Resources): boolean {
  return Object.entries(wanted).every(([resource, amount]) => amount <= (allocatable[resource] ?? 0))
}

function plus(first: Resources = {}, second: Resources): Resources {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return Object.fromEntries(names.map((name) => [name, (first[name] ?? 0) + (second[name] ?? 0)]))
}
