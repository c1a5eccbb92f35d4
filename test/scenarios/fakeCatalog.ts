import type { InstanceType } from '../../shared/model/instanceType.ts'
import { type InstanceTypeShape, instanceType, offering } from '../builders/instanceType.ts'

const ZONES = ['test-zone-1', 'test-zone-2', 'test-zone-3'] as const

/** The sizes upstream's scheduling suites use, with its prices: 0.1 a CPU, 0.1 a GiB, 1 a GPU; spot in zones 1 and 2 only. */
export function fakeCatalog(): readonly InstanceType[] {
  return [
    fake('default-instance-type', { cpus: 4, memoryGib: 4, pods: 5 }),
    fake('small-instance-type', { cpus: 2, memoryGib: 2, pods: 5 }),
    fake('gpu-vendor-instance-type', { cpus: 4, memoryGib: 4, pods: 5, capacity: { 'vendor-a.example/gpu': 2 } }, 2),
    fake('gpu-vendor-b-instance-type', { cpus: 4, memoryGib: 4, pods: 5, capacity: { 'vendor-b.example/gpu': 2 } }, 2),
    fake('arm-instance-type', { cpus: 16, memoryGib: 128, pods: 5, arch: 'arm64', os: ['ios', 'linux', 'windows'] }),
    fake('single-pod-instance-type', { cpus: 4, memoryGib: 4, pods: 1 }),
  ]
}

/** `count` sizes: the i-th has i CPUs, 2i GiB and room for 10i pods. */
export function growingCatalog(count: number): readonly InstanceType[] {
  return Array.from({ length: count }, (_, index) =>
    fake(`fake-it-${index}`, { cpus: index + 1, memoryGib: 2 * (index + 1), pods: 10 * (index + 1) }),
  )
}

/** Every mix of CPU, memory, zone, capacity type, system and architecture, one offering each. */
export function assortedCatalog(): readonly InstanceType[] {
  return crossed([
    [1, 2, 4, 8, 16, 32, 64],
    [1, 2, 4, 8, 16, 32, 64, 128],
    ZONES,
    ['spot', 'on-demand'],
    ['linux', 'windows'],
    ['amd64', 'arm64'],
  ]).map(([cpus, memory, zone, capacityType, os, arch]) => {
    const price = 0.1 * Number(cpus) + 0.1 * Number(memory)
    return instanceType({
      name: [cpus, memory, zone, capacityType, os, arch].join('-'),
      cpus: Number(cpus),
      memoryGib: Number(memory),
      os: [String(os)],
      arch: String(arch),
      overhead: {},
      offerings: [offering({ zone: String(zone), capacityType: capacityType === 'spot' ? 'spot' : 'on-demand', price })],
    })
  })
}

function crossed(lists: readonly (readonly (string | number)[])[]): readonly (readonly (string | number)[])[] {
  return lists.reduce<readonly (readonly (string | number)[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  )
}

function fake(name: string, shape: InstanceTypeShape, gpus = 0): InstanceType {
  const price = 0.1 * (shape.cpus ?? 0) + 0.1 * (shape.memoryGib ?? 0) + gpus
  const onDemand = ZONES.map((zone) => offering({ zone, capacityType: 'on-demand', price }))
  const spot = ZONES.slice(0, 2).map((zone) => offering({ zone, capacityType: 'spot', price }))
  return instanceType({
    os: ['darwin', 'linux', 'windows'],
    ...shape,
    name,
    overhead: { cpu: 100, memory: 10 * 1024 ** 2 },
    offerings: [...spot, ...onDemand],
  })
}
