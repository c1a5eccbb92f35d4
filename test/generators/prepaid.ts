import { byKey } from '../../shared/base/lists.ts'
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Offering } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { times } from '../adversarial/world.ts'
import { instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { ZONES } from './words.ts'

/** Machines that are prepaid, by size. */
const PREPAID: { readonly [size: string]: number } = { Standard_E64as_v6: 1, Standard_E4as_v6: 2 }

/** Pods of three sizes. A few machines are prepaid: their offerings have the price on demand, and spot costs a third of this. */
export function prepaid(pods: number): ClusterSnapshot {
  return snapshot({
    types: [2, 4, 8, 16, 32, 64].flatMap((cpus) =>
      [4, 8].map((gib) => {
        const name = `Standard_${gib === 4 ? 'D' : 'E'}${cpus}as_v6`
        const price = cpus * (gib === 4 ? 0.0433 : 0.0566)
        const sold = ZONES.flatMap((zone) => [offering({ zone, price }), offering({ zone, capacityType: 'spot', price: price / 3 })])
        return instanceType({ name, cpus, memoryGib: cpus * gib, offerings: [...sold, ...reservedOf(name, price)] })
      }),
    ),
    objects: {
      pod: times(pods, (index) => pod({ name: `pod-${index}`, cpus: [0.25, 0.5, 1][index % 3] ?? 1, memoryGib: 1 + (index % 3) })),
    },
  })
}

function reservedOf(name: string, price: number): readonly Offering[] {
  const remaining = ownValue(PREPAID, name)
  if (remaining === undefined) return []
  const made = offering({ zone: ZONES[0] ?? '', capacityType: 'reserved', price })
  const requirements = [...made.requirements, oneOf(LABEL.reservation, [name])].sort(byKey(({ key }) => key))
  return [{ ...made, requirements, reservation: { id: name, remaining } }]
}
