import { allocatableOfType, type InstanceType } from '../../../shared/model/instanceType.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Node } from '../../../shared/model/node.ts'
import type { NodeClaim } from '../../../shared/model/nodeClaim.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'

export type NodeWish = {
  readonly type: InstanceType
  readonly zone: string
  readonly nodePool?: string
  readonly labels?: { readonly [key: string]: string }
  readonly pods: readonly PodShape[]
}

export type LoadedCluster = { readonly node: readonly Node[]; readonly nodeClaim: readonly NodeClaim[]; readonly pod: readonly Pod[] }

/** Returns nodes that Joiner made, ready, with running pods. */
export function loadedCluster(wishes: readonly NodeWish[]): LoadedCluster {
  const machines = wishes.map((wish, index) => machineOf(wish, index))
  return {
    node: machines.map((each) => each.node),
    nodeClaim: machines.map((each) => each.claim),
    pod: machines.flatMap((each) => each.pods),
  }
}

function machineOf({ type, zone, nodePool = 'default', labels = {}, pods }: NodeWish, index: number) {
  const name = `${nodePool}-${index.toString(36).padStart(5, '0')}`
  const size = { capacity: type.capacity, allocatable: allocatableOfType(type) }
  const place = { nodePool, size: type.name, zone, meta: { labels: { ...labels, ...typeLabels(type) } } }
  const machine = node({ ...place, claim: name, ...size })
  return {
    node: machine,
    claim: nodeClaim({ ...place, name, status: size }),
    pods: pods.map((shape, place) => pod({ ...shape, name: `${name}-${place}`, nodeName: machine.name })),
  }
}

/** Returns the labels that follow from the size alone. */
function typeLabels(type: InstanceType): { readonly [key: string]: string } {
  const single = type.requirements.filter((each) => !each.complement && each.values.length === 1)
  return Object.fromEntries(single.flatMap(({ key, values: [value = ''] }) => (CHOSEN_LATER.has(key) ? [] : [[key, value]])))
}

const CHOSEN_LATER: ReadonlySet<string> = new Set([LABEL.zone, LABEL.capacityType, LABEL.os])
