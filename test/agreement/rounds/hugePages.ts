/** Adds huge pages to a random world: half of the sizes have some, and a few waiting pods ask for them. */
import type { PodManifest } from '../../generators/randomPods.ts'
import type { RandomWorld } from '../../generators/randomSnapshot.ts'
import { createRandom } from '../random.ts'

const PAGES = 'hugepages-2Mi'
const GIB = 1024 ** 3

export function withHugePages(seed: number, world: RandomWorld): RandomWorld {
  const random = createRandom(seed ^ HUGE)
  const { snapshot } = world
  const instanceTypes = new Map(
    [...snapshot.instanceTypes].map(([name, types]) => [
      name,
      types.map((each) => (random.chance(0.5) ? { ...each, capacity: { ...each.capacity, [PAGES]: GIB } } : each)),
    ]),
  )
  const waiting = world.waiting.map((pod) => (random.chance(0.15) ? withPages(pod, random.pick(['256Mi', '1Gi', '2Gi'])) : pod))
  return { ...world, waiting, snapshot: { ...snapshot, instanceTypes } }
}

/** Begins other random numbers of the same seed. */
const HUGE = 0x2a9e

/** The API server takes huge pages of a container only beside its memory or processor. */
function withPages({ metadata, spec, ...others }: PodManifest, amount: string): PodManifest {
  const [first, ...rest] = Array.isArray(spec['containers']) ? spec['containers'] : []
  const requests = { cpu: '50m', ...first?.resources?.requests, [PAGES]: amount }
  return { metadata, spec: { ...spec, containers: [{ ...first, resources: { requests } }, ...rest] }, ...others }
}
