import { describe, expect, it } from 'vitest'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { capacityOf, overheadOf, reservedMemoryMib, reservedMilliCpu } from './capacity.ts'
import { usableSize } from './size.ts'

const MIB = 1024 ** 2

describe('capacity and overhead', () => {
  // cpus / GiB -> milli CPU reserved, MiB reserved, bytes of memory, allocatable Mi, allocatable milli CPU
  const cases = {
    '2 / 3.5': [100, 896, 2979633561, 1195.6, 1900],
    '2 / 4': [100, 1024, 3972844748, 2014.8, 1900],
    '2 / 7': [100, 1638, 6952478310, 4242.4, 1900],
    '2 / 8': [100, 1843, 7945689497, 4984.6, 1900],
    '4 / 8': [140, 1843, 7945689497, 4984.6, 3860],
    '4 / 16': [140, 2662, 15891378995, 11743.2, 3860],
    '4 / 32': [140, 3645, 31782757990, 25915.4, 3860],
    '8 / 32': [180, 3645, 31782757990, 25915.4, 7820],
    '16 / 64': [260, 5611, 63565515980, 54259.8, 15740],
    '32 / 128': [420, 9543, 127131031961, 110948.6, 31580],
    '48 / 192': [580, 10854, 190696547942, 170258.4, 47420],
    '64 / 256': [740, 12165, 254262063923, 229568.2, 63260],
    '16 / 110': [260, 8437, 109253230592, 95005, 15740],
    '24 / 220': [340, 11427, 218506461184, 196207, 23660],
    '96 / 672': [1060, 20684, 667437917798, 615084.4, 94940],
    '128 / 512': [1380, 17408, 508524127846, 466808.4, 126620],
  } as const
  it.each(Object.entries(cases))('of %s before Kubernetes 1.29', (shape, want) => {
    const [cpus, memoryGib] = shape.split(' / ').map(Number)
    const size = usableSize(sku({ capabilities: { vCPUs: String(cpus), MemoryGB: String(memoryGib) } }))
    if (size === undefined) throw new Error('the size must be usable')
    const capacity = capacityOf(size, { osDiskSizeGb: 128, maxPods: 250, memoryOverhead: 0.075 })
    const overhead = overheadOf(size, capacity, '1.28.5')
    const allocatableMib = Math.round((((capacity['memory'] ?? 0) - (overhead['memory'] ?? 0)) / MIB) * 10) / 10
    const allocatableCpu = (capacity['cpu'] ?? 0) - (overhead['cpu'] ?? 0)
    expect([overhead['cpu'], (overhead['memory'] ?? 0) / MIB - 750, capacity['memory'], allocatableMib, allocatableCpu]).toEqual([...want])
  })

  it('follows the brackets between published sizes', () => {
    const before129 = (memoryGib: number) => reservedMemoryMib(memoryGib, 110, '1.28.5')
    expect([reservedMilliCpu(4), before129(7)]).toEqual([140, 1638])
    expect([reservedMilliCpu(2), before129(8)]).toEqual([100, 1843])
    expect([reservedMilliCpu(3), before129(64)]).toEqual([120, 5611])
  })

  // GiB and pods -> MiB reserved. The first two are the examples of the documentation of AKS.
  it.each([
    [8, 30, 650],
    [4, 70, 1024],
    [64, 110, 2250],
    [64, 250, 5050],
    [3.5, 250, 896],
    [8, 110, 2048],
    [0.5, 30, 128],
  ])('reserve memory of a node of %s GiB with %s pods as AKS does since Kubernetes 1.29', (memoryGib, maxPods, want) => {
    for (let minor = 29; minor <= 40; minor++) expect(reservedMemoryMib(memoryGib, maxPods, `1.${minor}.0`)).toBe(want)
  })

  it('leave a D16s_v5 what a node of AKS has', () => {
    const size = usableSize(sku({ name: 'Standard_D16s_v5', capabilities: { vCPUs: '16', MemoryGB: '64' } }))
    if (size === undefined) throw new Error('the size must be usable')
    const capacity = capacityOf(size, { osDiskSizeGb: 128, maxPods: 110, memoryOverhead: 0.025 })
    const overhead = overheadOf(size, capacity, '1.34.2')
    expect(Math.round(((capacity['memory'] ?? 0) - (overhead['memory'] ?? 0)) / MIB)).toBe(61_548)
  })

  it('drops the fraction of memory before the overhead', () => {
    const size = usableSize(sku({ capabilities: { MemoryGB: '218.75' } }))
    if (size === undefined) throw new Error('the size must be usable')
    const capacity = capacityOf(size, { osDiskSizeGb: 30, maxPods: 10, memoryOverhead: 0 })
    expect(capacity).toEqual({ cpu: 2000, memory: 218 * 1024 ** 3, 'ephemeral-storage': 30_000_000_000, pods: 10 })
  })

  it('counts the GPUs of a known size by vendor', () => {
    const size = usableSize(sku({ name: 'Standard_NC16as_T4_v3', capabilities: { vCPUs: '16', MemoryGB: '110', GPUs: '1' } }))
    if (size === undefined) throw new Error('the size must be usable')
    expect(capacityOf(size, { osDiskSizeGb: 128, maxPods: 110, memoryOverhead: 0.075 })['nvidia.com/gpu']).toBe(1)
  })

  it('keeps the share of the disk at which the kubelet evicts', () => {
    const size = usableSize(sku({}))
    if (size === undefined) throw new Error('the size must be usable')
    const overhead = overheadOf(size, capacityOf(size, { osDiskSizeGb: 128, maxPods: 110, memoryOverhead: 0.075 }), '1.34.2')
    expect(overhead['ephemeral-storage']).toBe(12_800_000_000)
  })
})
