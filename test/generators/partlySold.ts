/**
 * Random clusters with zones, sizes and capacity types that many pods cannot use: pools of some zones and capacity types for one team, sizes that are
 * sold in some zones only, and pods that spread over what is sold. The same seed gives the same cluster everywhere.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { hence, MINUTE } from '../builders/clock.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { settings, snapshot } from '../builders/snapshot.ts'
import { ARCH, CAPACITY, CPUS, SIZE, TEAM, TEAMS, ZONE, ZONES } from './words.ts'

const KINDS = ['on-demand', 'spot'] as const
const APPS = ['web', 'data', 'jobs'] as const

export type PartlySold = {
  /** Whether pools ask for least numbers of values. */
  readonly minValues: boolean
  readonly policy: 'Strict' | 'BestEffort'
}

export function partlySold(seed: number, { minValues, policy }: PartlySold): ClusterSnapshot {
  const random = createRandom(seed + 13_000_000)
  const types = Array.from({ length: 2 + random.int(3) }, (_, index) => randomType(random, `size-${index}`))
  const [refused, failed] = types
  // Numbers of their own, so that the clusters of a seed stay the same.
  const apart = createRandom(seed + 17_000_000)
  const isSpotOnly = apart.chance(0.5)
  const demoted: NonNullable<ClusterSnapshot['demoted']> =
    failed === undefined || apart.chance(0.6)
      ? []
      : [
          {
            size: failed.name,
            until: hence(90 * MINUTE),
            because: isSpotOnly ? 'evicted' : 'notBooted',
            ...(isSpotOnly ? { capacityType: 'spot' } : {}),
          },
        ]
  return snapshot({
    types,
    settings: settings({ minValuesPolicy: policy }),
    unavailable:
      refused === undefined || random.chance(0.7)
        ? []
        : [
            {
              scope: { kind: 'offering', size: refused.name, ...(random.chance(0.5) ? {} : { capacityType: 'on-demand' as const }) },
              until: hence(random.pick([3, 60]) * MINUTE),
              code: 'AZURE.ALLOCATION.ZONE',
              message: '',
            },
          ],
    demoted,
    objects: {
      nodePool: Array.from({ length: 1 + random.int(3) }, (_, index) => randomPool(random, `pool-${index}`, minValues)),
      pod: Array.from({ length: 1 + random.int(3) }, (_, index) => randomPods(random, `w${index}`)).flat(),
    },
  })
}

function randomType(random: Random, name: string): InstanceType {
  const cpus = random.pick([2, 4, 8])
  const sold = ZONES.flatMap((zone) => KINDS.flatMap((capacityType) => (random.chance(0.55) ? [{ zone, capacityType }] : [])))
  const all = sold.length > 0 ? sold : [{ zone: ZONES[0] ?? '', capacityType: KINDS[0] }]
  return instanceType({
    name,
    cpus,
    memoryGib: 4 * cpus,
    arch: random.pick(['amd64', 'arm64']),
    offerings: all.map((each) => offering({ ...each, price: cpus * 0.05, available: random.chance(0.9) })),
  })
}

function randomPool(random: Random, name: string, minValues: boolean): NodePool {
  const least = (most: number): Pick<RequirementSpec, 'minValues'> =>
    minValues && random.chance(0.4) ? { minValues: 1 + random.int(most) } : {}
  const among = (key: string, values: readonly string[]): readonly RequirementSpec[] => {
    const some = random.some(values, 0.6)
    if (some.length > 0 && random.chance(0.6)) return [{ key, operator: 'In', values: some, ...least(some.length) }]
    return random.chance(0.5) ? [{ key, operator: 'Exists', values: [], ...least(2) }] : []
  }
  return nodePool({
    name,
    weight: 1 + random.int(3),
    template: {
      requirements: [
        ...among(ZONE, ZONES),
        ...among(CAPACITY, KINDS),
        ...among(ARCH, ['amd64', 'arm64']),
        ...among(CPUS, ['2', '4', '8']),
        ...any(SIZE, least(2)),
      ],
      labels: random.chance(0.6) ? { [TEAM]: random.pick(TEAMS) } : {},
      taints: random.chance(0.2) ? [{ key: 'dedicated', effect: 'NoSchedule' }] : [],
    },
  })
}

function any(key: string, least: Pick<RequirementSpec, 'minValues'>): readonly RequirementSpec[] {
  return least.minValues === undefined ? [] : [{ key, operator: 'Exists', values: [], ...least }]
}

function randomPods(random: Random, name: string): readonly Pod[] {
  const app = random.pick(APPS)
  const select = {
    ...(random.chance(0.3) ? { [TEAM]: random.pick(TEAMS) } : {}),
    ...(random.chance(0.3) ? { [ARCH]: random.pick(['amd64', 'arm64']) } : {}),
    ...(random.chance(0.3) ? { [CAPACITY]: random.pick(KINDS) } : {}),
    ...(random.chance(0.15) ? { [ZONE]: random.pick(ZONES) } : {}),
  }
  const topologySpread = random.chance(0.8) ? [spread(random, app)] : []
  const requests = { cpu: random.pick([500, 1500, 3000]) }
  const tolerations: Pod['tolerations'] = random.chance(0.5) ? [{ operator: 'Exists' }] : []
  return Array.from({ length: 1 + random.int(5) }, (_, index) =>
    pod({ name: `${name}-${index}`, labels: { app }, nodeSelector: select, requests, tolerations, topologySpread }),
  )
}

function spread(random: Random, app: string): TopologySpreadConstraint {
  const isHard = random.chance(0.8)
  return {
    topologyKey: random.pick([ZONE, ZONE, ZONE, CAPACITY, ARCH]),
    maxSkew: 1 + random.int(2),
    whenUnsatisfiable: isHard ? 'DoNotSchedule' : 'ScheduleAnyway',
    selector: { matchLabels: { app }, matchExpressions: [] },
    ...(isHard && random.chance(0.2) ? { minDomains: 2 + random.int(2) } : {}),
    nodeAffinityPolicy: random.chance(0.8) ? 'Honor' : 'Ignore',
    nodeTaintsPolicy: random.chance(0.6) ? 'Ignore' : 'Honor',
    matchLabelKeys: [],
  }
}
