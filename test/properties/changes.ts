/** Changes of a cluster that do not make pods worse off. `which` chooses among equals. Undefined: there is nothing to change. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { zoneName } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { instanceType, oneOf } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'

export type Change = (snapshot: ClusterSnapshot, which: number) => ClusterSnapshot | undefined

export const CHANGES: { readonly [sentence: string]: Change } = {
  'a node comes': (snapshot) => {
    const [pool] = snapshot.objects.nodePool
    if (pool === undefined) return undefined
    const objects = {
      ...snapshot.objects,
      node: [...snapshot.objects.node, node({ claim: 'more-aaaaa', nodePool: pool.name })],
      nodeClaim: [...snapshot.objects.nodeClaim, nodeClaim({ name: 'more-aaaaa', nodePool: pool.name })],
    }
    return { ...snapshot, objects }
  },
  'a size comes': (snapshot) =>
    withTypes(snapshot, (types) => [...types, instanceType({ name: 'Standard_More', cpus: 32, memoryGib: 128 })]),
  'a zone comes': (snapshot) => withTypes(snapshot, (types) => types.map(inOneMoreZone)),
  'another pod goes': (snapshot, which) => {
    const waiting = snapshot.objects.pod.filter(({ nodeName }) => nodeName === undefined)
    const gone = waiting[which % waiting.length]
    if (gone === undefined) return undefined
    return { ...snapshot, objects: { ...snapshot.objects, pod: snapshot.objects.pod.filter((pod) => pod !== gone) } }
  },
}

function withTypes(snapshot: ClusterSnapshot, change: (types: readonly InstanceType[]) => readonly InstanceType[]): ClusterSnapshot {
  return { ...snapshot, instanceTypes: new Map([...snapshot.instanceTypes].map(([name, types]) => [name, change(types)])) }
}

const ZONE = 'topology.kubernetes.io/zone'

/** Adds the offerings of one zone in a further zone. */
function inOneMoreZone(type: InstanceType): InstanceType {
  const [like] = type.offerings
  if (like === undefined) return type
  const further = type.offerings
    .filter(({ zone }) => zone === like.zone)
    .map((each) => ({
      ...each,
      zone: zoneName('eastus-9'),
      requirements: each.requirements.map((own) => (own.key === ZONE ? oneOf(ZONE, ['eastus-9']) : own)),
    }))
  const known = type.requirements.find(({ key }) => key === ZONE)?.values ?? []
  const requirements = type.requirements.map((own) => (own.key === ZONE ? oneOf(ZONE, [...known, 'eastus-9']) : own))
  return { ...type, requirements, offerings: [...type.offerings, ...further] }
}
