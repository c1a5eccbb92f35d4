import type { NodePool } from '../../shared/model/nodePool.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { Random } from '../agreement/random.ts'
import { nodePool } from '../builders/nodePool.ts'
import { GIB } from '../builders/resources.ts'
import { ARCH, CAPACITY, CPUS, SIZE, TAINTS, TEAM, TEAMS, TIER, ZONE, ZONES } from './words.ts'

export function randomPools(random: Random): readonly NodePool[] {
  return Array.from({ length: 1 + random.int(3) }, (_, index) => randomPool(random, `pool-${index}`))
}

function randomPool(random: Random, name: string): NodePool {
  const requirements: RequirementSpec[] = []
  if (random.chance(0.3)) requirements.push({ key: ARCH, operator: 'In', values: random.chance(0.8) ? ['amd64'] : ['arm64'] })
  if (random.chance(0.35)) requirements.push({ key: ZONE, operator: random.pick(['In', 'NotIn']), values: [random.pick(ZONES)] })
  if (random.chance(0.35)) requirements.push({ key: CAPACITY, operator: 'In', values: [random.pick(['spot', 'on-demand'])] })
  if (random.chance(0.3)) requirements.push({ key: TEAM, operator: 'In', values: random.some(TEAMS, 0.6) })
  if (random.chance(0.15)) requirements.push({ key: CPUS, operator: random.pick(['Gt', 'Lt']), values: [random.pick(['2', '4', '8'])] })
  if (random.chance(0.15)) {
    const [key, minValues] = random.pick([
      [SIZE, 2],
      [SIZE, 3],
      [CPUS, 2],
      [ZONE, 2],
    ] as const)
    requirements.push({ key, operator: 'Exists', values: [], minValues })
  }
  return nodePool({
    name,
    ...(random.chance(0.7) ? { weight: 1 + random.int(3) * 10 } : {}),
    limits: randomLimits(random),
    template: {
      requirements: requirements.filter((each) => each.operator === 'Exists' || each.values.length > 0),
      labels: random.chance(0.3) ? { [TIER]: random.pick(['web', 'data']) } : {},
      taints: random.some(TAINTS, 0.07),
      startupTaints: random.chance(0.1) ? [STARTUP] : [],
    },
  })
}

const STARTUP: Taint = { key: 'example.com/starting', effect: 'NoSchedule' }

function randomLimits(random: Random): Resources {
  if (random.chance(0.65)) return {}
  return random.pick([
    { cpu: 4000 + random.int(30) * 1000 },
    { nodes: random.int(5) },
    { memory: (16 + random.int(100)) * GIB },
    { cpu: 20_000, nodes: 3 },
  ])
}
