import type { CandidateWithCost } from '../../shared/engine/disruption/candidates/candidate.ts'
import { vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { DisruptionPolicy, NodePool } from '../../shared/model/nodePool.ts'
import { usdPerHour } from '../../shared/model/units.ts'
import { node } from './node.ts'
import { nodeClaim } from './nodeClaim.ts'
import { nodePool } from './nodePool.ts'

type WeighedShape = {
  readonly name?: string
  readonly pool?: NodePool
  /** The price in dollars an hour. Null: the price is unknown. */
  readonly price?: number | null
  readonly cost?: number
}

/** A candidate of a known or unknown price, with what it costs to move its pods. */
export function weighed({ name = 'a', pool = poolWith('Balanced'), price = 1, cost = 1 }: WeighedShape = {}): CandidateWithCost {
  const own = { node: node({ claim: name }), claim: nodeClaim({ name }) }
  const choice = { size: vmSizeName('s'), zone: zoneName('z'), capacityType: 'on-demand' } as const
  return {
    ...own,
    pool,
    machine: { name, ...own, pods: [], isInitialized: true, isDeleting: false },
    pods: [],
    cost,
    choice: price === null ? undefined : { ...choice, price: usdPerHour(price) },
  }
}

export function poolWith(consolidationPolicy: DisruptionPolicy['consolidationPolicy'], name = 'default'): NodePool {
  return nodePool({ name, disruption: { consolidationPolicy } })
}
