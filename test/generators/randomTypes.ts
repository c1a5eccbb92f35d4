import type { InstanceType } from '../../shared/model/instanceType.ts'
import { addPrices, microUsdPerHour } from '../../shared/model/units.ts'
import type { Random } from '../agreement/random.ts'
import { catalog } from '../builders/catalog.ts'
import { instanceType } from '../builders/instanceType.ts'

const GPU = instanceType({
  name: 'Standard_NC4as_T4_v3',
  cpus: 4,
  memoryGib: 28,
  price: 0.526,
  family: 'standardNCasT4v3Family',
  zones: ['eastus-1', 'eastus-2'],
  capacity: { 'nvidia.com/gpu': 1 },
  labels: { 'karpenter.azure.com/sku-gpu-count': '1' },
})

/** Micro-USD an hour: 128 GB in eastus. */
const DISK = microUsdPerHour(27_000)

/** A size without a local disk, by its name, gets a managed disk. */
function withOsDisk(type: InstanceType): InstanceType {
  if (!type.name.endsWith('as_v6')) return type
  const offerings = type.offerings.map((each) =>
    each.price === undefined ? each : { ...each, price: addPrices(each.price, DISK), diskPrice: DISK },
  )
  return { ...type, offerings }
}

/** A random selection of sizes. Sizes without a local disk have a managed one. A few offerings are not available. Most sizes have a disk limit. */
export function randomTypes(random: Random): readonly InstanceType[] {
  const some = random.some([...catalog(), GPU], 0.45)
  const types = some.length > 0 ? some : catalog().slice(0, 2)
  return types.map(withOsDisk).map((type) => {
    const offerings = type.offerings.map((each) => (random.chance(0.08) ? { ...each, available: false } : each))
    return random.chance(0.2) ? { ...type, offerings } : { ...type, offerings, maxDataDisks: 1 + random.int(4) }
  })
}
