import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { instanceType, offering, oneOf } from '../../../test/builders/instanceType.ts'
import { GIB, MIB } from '../../../test/builders/resources.ts'

export const FAKE_ZONES = ['test-zone-1', 'test-zone-2', 'test-zone-3'] as const
const COUNT = 400

/** Dollars an hour for one CPU of a fake type, with its 2 GiB. */
export const FAKE_UNIT_USD = 0.1 + (0.1 * 2 * GIB) / 1e9

/**
 * Returns the catalog of Karpenter's scheduling benchmark: type k of 400 has k CPUs, 2k GiB and room for 10k pods, five offerings of one price (no
 * spot in zone 3), and labels of its own. The price is proportional to the size, so that only rounding and overhead decide.
 */
export function fakeTypes(): readonly InstanceType[] {
  return Array.from({ length: COUNT }, (_, index) => fakeType(index + 1))
}

export function fakeType(cpus: number): InstanceType {
  const price = cpus * FAKE_UNIT_USD
  const onDemand = FAKE_ZONES.map((zone) => offering({ zone, capacityType: 'on-demand', price }))
  const spot = FAKE_ZONES.slice(0, 2).map((zone) => offering({ zone, capacityType: 'spot', price }))
  const type = instanceType({
    name: `fake-it-${cpus - 1}`,
    cpus,
    memoryGib: 2 * cpus,
    pods: 10 * cpus,
    os: ['darwin', 'linux', 'windows'],
    overhead: { cpu: 100, memory: 10 * MIB },
    family: 'fake',
    offerings: [...spot, ...onDemand],
  })
  return { ...type, requirements: [...type.requirements, ...ownLabels(cpus)].sort((first, second) => (first.key < second.key ? -1 : 1)) }
}

/** Returns the benchmark's own labels. Large means more than 4 CPUs and more than 8 GiB. */
function ownLabels(cpus: number) {
  const isLarge = cpus > 4
  return [oneOf('integer', [String(cpus)]), oneOf('size', [isLarge ? 'large' : 'small']), oneOf('special', isLarge ? ['optional'] : [])]
}
