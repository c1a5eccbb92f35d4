import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../../../test/builders/instanceType.ts'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { type Packing, packing } from '../../../../../test/builders/packing.ts'
import { type PodShape, pods } from '../../../../../test/builders/pod.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { Pod } from '../../../../model/pod.ts'
import { MOST_ROWS } from '../../model/quantities/tuning.ts'
import { type ColumnSpace, columnSpaceOf, spaceBeforeLayout } from './columns.ts'

const SIZES = [2, 4, 8, 16, 32, 64].map((cpus) =>
  instanceType({ name: `size-${cpus}`, cpus, memoryGib: 4 * cpus, overhead: {}, price: cpus / 10, spotPrice: null }),
)
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']

const inZone = (zone: string): PodShape => ({ nodeSelector: { [LABEL.zone]: zone } })

/** Pods that keep apart from each other: each needs a machine of its own. */
function apart(count: number, shape: PodShape = {}, app = 'apart'): readonly Pod[] {
  const selector = { matchLabels: { app }, matchExpressions: [] }
  const term = { topologyKey: LABEL.hostname, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
  return pods(count, { name: app, labels: { app }, podAntiAffinity: { required: [term], preferred: [] }, ...shape })
}

/** One pod of each amount in each zone: three times as many exact rows as amounts. */
function ofAmounts(amounts: number): readonly Pod[] {
  return ZONES.flatMap((zone) =>
    Array.from({ length: amounts }, (_, index) => pods(1, { name: `${zone}-${index}`, cpus: (index + 1) / 100, ...inZone(zone) })).flat(),
  )
}

const AMOUNTS = 70

function packed(waiting: readonly Pod[], nodePools = [nodePool()]): Packing {
  return packing({ types: SIZES, objects: { pod: waiting, nodePool: nodePools } })
}

function spaceOf(waiting: readonly Pod[], machines: number, nodePools = [nodePool()]): ColumnSpace | undefined {
  const { binTypes, items } = packed(waiting, nodePools)
  return columnSpaceOf(binTypes, items, machines)
}

function spaceBefore(waiting: readonly Pod[]): ColumnSpace | undefined {
  const { binTypes, items } = packed(waiting)
  return spaceBeforeLayout(binTypes, items)
}

/** The pods of each row. */
function podsByRow(space: ColumnSpace | undefined): readonly number[] | undefined {
  return space?.rows.map(({ items }) => items.reduce((sum, { count }) => sum + count, 0))
}

function cpusOf(space: ColumnSpace | undefined): readonly number[] {
  return [...new Set(space?.sizes.map(({ binType, place }) => binType.narrowedTemplate.order[place]?.type.cpus ?? 0))]
}

const IN_TWO_ZONES = [...pods(3, { name: 'one', ...inZone('eastus-1') }), ...pods(4, { name: 'two', ...inZone('eastus-2') })]

describe('the space of columns after a layout', () => {
  it('has exact rows where there are as many machines as rows', () => {
    const space = spaceOf(IN_TWO_ZONES, 2)
    expect(space).toMatchObject({ isCoarse: false, machines: 2 })
    expect(podsByRow(space)).toEqual([3, 4])
  })

  it('has rows of amounts where there are fewer machines than exact rows', () => {
    const space = spaceOf(IN_TWO_ZONES, 1)
    expect(space).toMatchObject({ isCoarse: true, places: [], machines: 1 })
    expect(podsByRow(space)).toEqual([7])
  })

  it('is undefined where there are fewer machines than amounts', () => {
    expect(spaceOf([...pods(1, { name: 'a', cpus: 1 }), ...pods(1, { name: 'b', cpus: 2 })], 1)).toBeUndefined()
  })

  it('has rows of amounts where there are more exact rows than columns can have', () => {
    const space = spaceOf(ofAmounts(AMOUNTS), 1_000)
    expect(3 * AMOUNTS).toBeGreaterThan(MOST_ROWS)
    expect(space?.isCoarse).toBe(true)
    expect(podsByRow(space)).toEqual(Array.from({ length: AMOUNTS }, () => 3))
  })

  it('has rows of their own for pods that other pools take', () => {
    const taint = { key: 'team', value: 'x', effect: 'NoSchedule' } as const
    const pools = [nodePool(), nodePool({ name: 'tainted', template: { taints: [taint] } })]
    const tolerating = { tolerations: [{ key: 'team', operator: 'Exists' } as const] }
    const both = [...IN_TWO_ZONES, ...pods(5, { name: 'tolerating', ...tolerating, ...inZone('eastus-1') })]
    expect(podsByRow(spaceOf(both, 2, pools))).toEqual([7, 5])
    expect(podsByRow(spaceOf(both, 2))).toEqual([8, 4])
  })
})

describe('the space of columns before a layout', () => {
  it('has rows of amounts, and as many machines as a rule asks for', () => {
    const space = spaceBefore([...ofAmounts(AMOUNTS), ...apart(80)])
    expect(space).toMatchObject({ isCoarse: true, machines: 80 })
    expect(podsByRow(space)).toEqual(expect.arrayContaining([...Array.from({ length: AMOUNTS }, () => 3), 80]))
  })

  it('keeps pods under the rule in a row apart from pods of the same amounts, and bounds them on one machine', () => {
    const cpus = 1 / 100
    const space = spaceBefore([...ofAmounts(AMOUNTS), ...apart(80, { cpus })])
    const under = space?.rows.filter(({ items }) => items.some(({ rules }) => rules.tightest !== undefined))
    expect(space?.rows).toHaveLength(AMOUNTS + 1)
    expect(space?.rows.filter(({ amounts }) => amounts === under?.[0]?.amounts)).toHaveLength(2)
    expect(podsByRow(space && { ...space, rows: under ?? [] })).toEqual([80])
    expect(space?.places).toEqual([{ rows: new Set(under), most: 1 }])
  })

  it.each([
    ['exact rows are few enough', [...apart(80), ...Array.from({ length: MOST_ROWS }, (_, index) => apart(1, {}, `app-${index}`)).flat()]],
    ['no rule asks for machines', ofAmounts(AMOUNTS)],
    ['the rule asks for fewer machines than there are amounts', [...ofAmounts(AMOUNTS), ...apart(AMOUNTS)]],
  ])('is undefined where %s', (_, waiting) => {
    expect(spaceBefore(waiting)).toBeUndefined()
  })

  it('leaves out sizes beyond three shares of a machine', () => {
    expect(cpusOf(spaceBefore([...ofAmounts(AMOUNTS), ...apart(80)]))).toEqual([2, 4, 8])
  })

  it('keeps the size of a pod that is larger than three shares, and columns with it', () => {
    const waiting = [...ofAmounts(AMOUNTS), ...apart(80), ...pods(1, { name: 'large', cpus: 50 })]
    expect(cpusOf(spaceBefore(waiting))).toEqual([2, 4, 8, 64])
    expect(packed(waiting).layouter.columnGenerationFirst()?.isCoarse).toBe(true)
  })
})
