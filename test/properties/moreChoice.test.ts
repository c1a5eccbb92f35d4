import { expect, it } from 'vitest'
import { createRandom, type Random } from '../../bench/scheduling/random.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { casesOf, seedsOf } from './cases.ts'

const WORLDS = casesOf(200)
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3']
const CORES = [2, 4, 8, 16, 32]
const GIB_PER_CORE = [2, 4, 8]
const CPUS = [0.1, 0.25, 0.5, 1, 2, 4]
const GIBIBYTES = [0.25, 0.5, 1, 2, 4, 8, 16]
const MOST_PODS = 40

/** What a world has more of, each time from the same beginning. */
const MORE = ['sizes', 'zones', 'cheaper'] as const

/** Worlds in which more choice is dearer, and why. At most a hundredth. */
const EXCEPTIONS: { readonly [world: string]: string } = {
  '269 sizes': '39 pods and 15 sizes: more than `MOST_SETS_OF_SIZES` sets of sizes are cheaper than the plan of the other ways',
}

type Offered = { readonly name: string; readonly cpus: number; readonly gib: number; readonly price: number }

it(`more sizes, more zones and a cheaper offering never make the bill higher, in ${WORLDS} worlds`, { timeout: 20 * 60_000 }, () => {
  const dearer: string[] = []
  for (const seed of seedsOf(WORLDS)) {
    const { few, all, cheaper, zones, waiting } = worldOf(seed)
    const base = billOf(few, zones, waiting)
    const bills = { sizes: billOf(all, zones, waiting), zones: billOf(few, ZONES, waiting), cheaper: billOf(cheaper, zones, waiting) }
    for (const more of MORE) {
      const world = `${seed} ${more}`
      if (bills[more].unplaced > base.unplaced)
        dearer.push(`${world}: ${bills[more].unplaced} pods without a place, ${base.unplaced} with less`)
      else if (bills[more].unplaced === base.unplaced && bills[more].price > base.price && EXCEPTIONS[world] === undefined)
        dearer.push(`${world}: ${bills[more].price} with more, ${base.price} with less`)
    }
  }
  expect(dearer).toEqual([])
  expect(Object.keys(EXCEPTIONS).length).toBeLessThanOrEqual(WORLDS / 100)
})

it('volumes without an attach limit never make the bill higher', () => {
  const seeds = Array.from({ length: 60 }, (_, index) => index + 1)
  const dearer = seeds.filter((seed) => {
    const { few, zones, waiting } = worldOf(seed)
    const [plain, sharing] = [billOf(few, zones, waiting), billOf(few, zones, waiting, 'file.csi.azure.com')]
    return sharing.unplaced > plain.unplaced || sharing.price > plain.price
  })
  expect(dearer).toEqual([])
})

function worldOf(seed: number) {
  const random = createRandom(seed * 7_919)
  for (let drawn = 0; drawn < 20; drawn++) random.next()
  const all = CORES.flatMap((cpus) => GIB_PER_CORE.map((per): Offered => sizeOf(random, cpus, per)))
  const few = all.filter(({ cpus }) => cpus === CORES.at(-1) || random.chance(0.5))
  const lucky = random.int(few.length)
  const cheaper = few.map((each, index) => (index === lucky ? { ...each, price: Math.round(each.price * 700) / 1000 } : each))
  const zones = ZONES.slice(0, 1 + random.int(2))
  const count = 1 + random.int(random.chance(0.8) ? 20 : MOST_PODS)
  return { few, all, cheaper, zones, waiting: Array.from({ length: count }, (_, index) => podOf(random, index)) }
}

function sizeOf(random: Random, cpus: number, per: number): Offered {
  const price = cpus * (0.02 + 0.006 * per) * (0.9 + 0.2 * random.next())
  return { name: `Standard_X${cpus}m${per}`, cpus, gib: cpus * per, price: Math.round(price * 1000) / 1000 }
}

function podOf(random: Random, index: number): Pod {
  const shape: PodShape = { name: `p-${index}`, cpus: random.pick(CPUS), memoryGib: random.pick(GIBIBYTES) }
  return pod(random.chance(0.1) ? { ...shape, nodeSelector: { [LABEL.zone]: 'eastus-1' } } : shape)
}

/** `driver`: each pod has a volume of this driver. */
function billOf(offered: readonly Offered[], zones: readonly string[], waiting: readonly Pod[], driver?: string) {
  const types = offered.map(
    ({ name, cpus, gib, price }): InstanceType => instanceType({ name, cpus, memoryGib: gib, price, spotPrice: null, zones }),
  )
  const { actions } = decideProvisioning(
    snapshot({ types, objects: { nodePool: [nodePool()], ...(driver === undefined ? { pod: waiting } : withVolumes(waiting, driver)) } }),
  )
  const claims = actions.filter((action) => action.kind === 'createClaim')
  const placed = claims.reduce((sum, { pods }) => sum + pods.length, 0)
  return { price: claims.reduce((sum, { choice }) => sum + (choice.price ?? 0), 0), unplaced: waiting.length - placed }
}

function withVolumes(waiting: readonly Pod[], driver: string) {
  const claims = waiting.map((_, index) => `claim-${index}`)
  return {
    pod: waiting.map((each, index): Pod => ({ ...each, volumes: [{ kind: 'claim', claimName: claims[index] ?? '' }] })),
    persistentVolumeClaim: claims.map((name) => ({ key: objectKey('default', name), uid: uid(name), volumeName: 'share', deleted: false })),
    persistentVolume: [{ name: 'share', uid: uid('share'), driver }],
  }
}
