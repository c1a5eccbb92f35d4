import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../../test/agreement/random.ts'
import { instanceType } from '../../../../../test/builders/instanceType.ts'
import { packing } from '../../../../../test/builders/packing.ts'
import { type PodShape, pods } from '../../../../../test/builders/pod.ts'
import { LABEL } from '../../../../model/labels.ts'
import { MOST_RETRIES } from '../../model/quantities/tuning.ts'
import { columnSpaceOf } from './columns.ts'
import type { Item } from './items.ts'
import { createTournament, type PatternUse } from './layout.ts'

const ZONES = ['eastus-1', 'eastus-2', 'eastus-3', 'eastus-4']
const SHARED_ZONE = 'eastus-4'
/** Holds one pod with many cores and one pod with much memory. */
const SIZES = [instanceType({ name: 'size', cpus: 4, memoryGib: 4, overhead: {}, zones: ZONES, spotPrice: null })]
const MACHINES = 3

const inZone = (zone: string): PodShape => ({ nodeSelector: { [LABEL.zone]: zone } })

/**
 * Lays out one coarse column and nothing else: a pod with many cores and a pod with much memory, `MACHINES` times. Pods with much memory are all in
 * the shared zone. Pods with many cores are also in `others`, and these come first.
 */
function layOutColumn(others: readonly string[]): readonly PatternUse[] {
  const cores = [...others, SHARED_ZONE].flatMap((zone) => pods(MACHINES, { name: zone, cpus: 3, memoryGib: 1, ...inZone(zone) }))
  const memory = pods(MACHINES, { name: 'memory', cpus: 1, memoryGib: 3, ...inZone(SHARED_ZONE) })
  const { binTypes, items, layouter } = packing({ types: SIZES, objects: { pod: [...cores, ...memory] } })
  const rows = [...(columnSpaceOf(binTypes, items, 2)?.rows ?? [])].sort((one, other) => other.items.length - one.items.length)
  const both = layouter.layoutBy(['dotProduct']).uses.find((use) => use.pattern.contents.length === 2)?.pattern
  if (both === undefined) return []
  const pattern = { ...both, binType: both.poolOption.narrowedTemplate }
  const sharedZoneLast = rows.map((row) => ({
    ...row,
    items: [...row.items].sort((one, other) => inSharedZone(one) - inSharedZone(other)),
  }))
  return layouter.layoutBy([], [{ pattern, shares: sharedZoneLast.map((row) => ({ row, count: 1 })), times: MACHINES }]).uses
}

function inSharedZone({ podClass }: Item): number {
  return Number(podClass.pod.nodeSelector[LABEL.zone] === SHARED_ZONE)
}

function machinesIn(uses: readonly PatternUse[]): number {
  return uses.reduce((sum, { times }) => sum + times, 0)
}

describe('a coarse column whose first pods cannot share a machine', () => {
  it('is tried again with other pods of the same amounts', () => {
    const uses = layOutColumn(ZONES.slice(0, MOST_RETRIES))
    expect(machinesIn(uses)).toBe(MACHINES)
    for (const { pattern } of uses)
      expect(pattern.contents.map(({ item, count }) => [inSharedZone(item), count])).toEqual([
        [1, 1],
        [1, 1],
      ])
  })

  it('is given up after some tries', () => {
    expect(machinesIn(layOutColumn(ZONES.slice(0, MOST_RETRIES + 1)))).toBe(0)
  })
})

type Entry = { readonly score: number; readonly place: number }

const isHigher = (later: Entry, earlier: Entry): boolean => later.score > earlier.score

/** The entry with the highest score. Of several it is the first. Every entry is compared. */
function bestOf(entries: readonly (Entry | undefined)[]): Entry | undefined {
  return entries.reduce(
    (best, each) => (best === undefined || (each !== undefined && isHigher(each, best)) ? (each ?? best) : best),
    undefined,
  )
}

describe('the best of many entries', () => {
  it('is none of none', () => {
    expect(createTournament<Entry>(0, isHigher).best()).toBeUndefined()
    expect(createTournament<Entry>(3, isHigher).best()).toBeUndefined()
  })

  it.each([1, 2, 3, 7, 8, 33])('is what a look at all %d finds, whatever comes and goes', (places) => {
    const random = createRandom(places)
    const entries: (Entry | undefined)[] = Array.from({ length: places })
    const tournament = createTournament<Entry>(places, isHigher)
    for (let turn = 0; turn < 300; turn++) {
      const place = random.int(places)
      const entry = random.int(4) === 0 ? undefined : { score: random.int(5), place }
      entries[place] = entry
      tournament.set(place, entry)
      expect(tournament.best()).toEqual(bestOf(entries))
    }
  })
})
