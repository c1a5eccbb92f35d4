import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { instanceType, offering } from '../../../test/builders/instanceType.ts'
import { GIB, MIB } from '../../../test/builders/resources.ts'

export const KWOK_ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'] as const
const CPUS = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256]
const LETTER_BY_FACTOR = { 2: 'c', 4: 's', 8: 'm' }
const MOST_PODS = 1024

/** Returns the catalog of Karpenter's KWOK provider: 144 types, four zones, spot at seven tenths of the price. */
export function kwokTypes(): readonly InstanceType[] {
  return CPUS.flatMap((cpus) =>
    ([2, 4, 8] as const).flatMap((factor) =>
      ['amd64', 'arm64'].flatMap((arch) => ['linux', 'windows'].map((os) => kwokType({ cpus, factor, arch, os }))),
    ),
  )
}

function kwokType({ cpus, factor, arch, os }: { cpus: number; factor: 2 | 4 | 8; arch: string; os: string }): InstanceType {
  const memoryGib = cpus * factor
  const price = 0.025 * cpus + (0.001 * memoryGib * GIB) / 1e9
  return instanceType({
    name: `${LETTER_BY_FACTOR[factor]}-${cpus}x-${arch}-${os}`,
    cpus,
    memoryGib,
    pods: Math.min(16 * cpus, MOST_PODS),
    arch,
    os: [os],
    family: LETTER_BY_FACTOR[factor],
    capacity: { 'ephemeral-storage': 20 * GIB },
    overhead: { cpu: 100, memory: 10 * MIB },
    offerings: KWOK_ZONES.flatMap((zone) => [
      offering({ zone, capacityType: 'on-demand', price }),
      offering({ zone, capacityType: 'spot', price: 0.7 * price }),
    ]),
  })
}
