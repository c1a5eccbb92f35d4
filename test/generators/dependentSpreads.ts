/**
 * Random clusters in which hard spreads over capacity types, zones and a label of pools depend on each other: each pool sells some combinations only.
 * The same seed gives the same cluster everywhere.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import { createRandom, inRandomOrder, type Random } from '../agreement/random.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { CAPACITY, ZONE, ZONES } from './words.ts'

const PLACE = 'place'
const PLACES = ['a', 'b', 'c', 'd']
const KINDS = ['on-demand', 'spot'] as const
type Kind = (typeof KINDS)[number]

export type DependentSpreads = { readonly pods: number; readonly deployments: number; readonly hasWeights: boolean }

export function dependentSpreads(seed: number, { pods: count, deployments, hasWeights }: DependentSpreads): ClusterSnapshot {
  const random = createRandom(seed + 29_000_000)
  const withoutSpot = random.chance(0.5) ? random.pick(ZONES) : undefined
  const weights = hasWeights ? inRandomOrder([10, 1, 0], random) : [0, 0, 0]
  const size = Math.floor(count / deployments)
  return snapshot({
    types: typesSoldWithout(withoutSpot),
    objects: {
      nodePool: Array.from({ length: 2 + random.int(2) }, (_, index) => randomPool(random, `pool-${index}`, weights[index] ?? 0)),
      pod: Array.from({ length: deployments }, (_, index) => spreadPods(`app-${index}`, size, random.pick([0.25, 0.5, 1]))).flat(),
    },
  })
}

/**
 * Two pools, of which the heavier one sells on demand only. Pods of one Deployment are spread over capacity types, zones and the label of the pools.
 */
export function weightedPools(count: number, weight: number): ClusterSnapshot {
  const onDemand = nodePool({
    name: 'heavy',
    weight,
    template: { requirements: [among(CAPACITY, ['on-demand']), among(PLACE, ['a', 'b'])] },
  })
  const both = nodePool({ name: 'light', template: { requirements: [among(CAPACITY, KINDS), among(PLACE, ['b', 'c', 'd', 'e'])] } })
  return snapshot({ types: typesSoldWithout(undefined), objects: { nodePool: [onDemand, both], pod: spreadPods('app', count, 0.5) } })
}

/** Karpenter's documented ratio of on-demand and spot: one value of a label on demand, four values as spot, and pods spread over the label. */
export function ratioOfKinds(count: number, weight: number): ClusterSnapshot {
  const poolOf = (kind: Kind, values: readonly string[], own: number): NodePool =>
    nodePool({ name: kind, weight: own, template: { requirements: [among(CAPACITY, [kind]), among(PLACE, values)] } })
  return snapshot({
    types: typesSoldWithout(undefined),
    objects: {
      nodePool: [poolOf('on-demand', ['1'], weight), poolOf('spot', ['2', '3', '4', '5'], 0)],
      pod: pods(count, { cpus: 0.5, memoryGib: 1, labels: { app: 'app' }, topologySpread: [spreadOver(PLACE, 1, 'app')] }),
    },
  })
}

/**
 * Pods that are spread over zones, capacity types and sizes, of which each is not sold in one zone. A few pods beside them have no place, so that domains
 * are chosen again with a look ahead.
 */
export function spreadsOverSizes(count: number, sizes: number): ClusterSnapshot {
  const types = Array.from({ length: sizes }, (_, index) => {
    const zones = ZONES.filter((__, at) => (index + at) % ZONES.length !== 0)
    return instanceType({ name: `Standard_D${index}as_v6`, cpus: 4, memoryGib: 16, zones, price: 0.2 + index / 1_000 })
  })
  const overKinds: Pod['topologySpread'][number] = { ...spreadOver(CAPACITY, 1, 'stuck'), nodeAffinityPolicy: 'Ignore' }
  const topologySpread = [spreadOver(ZONE, 1, 'app'), spreadOver(LABEL.instanceType, 1, 'app'), spreadOver(CAPACITY, 1, 'app')]
  return snapshot({
    types,
    objects: {
      nodePool: [nodePool()],
      pod: [
        ...pods(5, { name: 'stuck', labels: { app: 'stuck' }, nodeSelector: { [CAPACITY]: 'spot' }, topologySpread: [overKinds] }),
        ...pods(count, { name: 'app', labels: { app: 'app' }, topologySpread }),
      ],
    },
  })
}

/** Sizes from 2 to 64 CPUs of two families, on demand and as spot in three zones, without spot in one of them if it is given. */
function typesSoldWithout(withoutSpot: string | undefined) {
  return [2, 4, 8, 16, 32, 64].flatMap((cpus) =>
    [4, 8].map((gib) => {
      const price = cpus * (gib === 4 ? 0.0433 : 0.0566)
      const offerings = ZONES.flatMap((zone) => [
        offering({ zone, price }),
        ...(zone === withoutSpot ? [] : [offering({ zone, capacityType: 'spot', price: 0.3 * price })]),
      ])
      return instanceType({ name: `Standard_${gib === 4 ? 'D' : 'E'}${cpus}as_v6`, cpus, memoryGib: cpus * gib, offerings })
    }),
  )
}

function randomPool(random: Random, name: string, weight: number): NodePool {
  const kinds = random.pick([['on-demand'], ['spot'], KINDS])
  const places = random.some(PLACES, 0.5)
  return nodePool({
    name,
    weight,
    template: { requirements: [among(CAPACITY, kinds), among(PLACE, places.length > 0 ? places : [random.pick(PLACES)])] },
  })
}

function among(key: string, values: readonly string[]): RequirementSpec {
  return { key, operator: 'In', values }
}

function spreadPods(app: string, count: number, cpus: number): readonly Pod[] {
  const topologySpread = [spreadOver(CAPACITY, 1, app), spreadOver(ZONE, 2, app), spreadOver(PLACE, 3, app)]
  return pods(count, { name: app, cpus, memoryGib: 1, labels: { app }, topologySpread })
}

function spreadOver(topologyKey: string, maxSkew: number, app: string): Pod['topologySpread'][number] {
  return {
    topologyKey,
    maxSkew,
    whenUnsatisfiable: 'DoNotSchedule',
    selector: { matchLabels: { app }, matchExpressions: [] },
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  }
}
