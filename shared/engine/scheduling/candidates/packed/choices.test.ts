import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../../../test/builders/instanceType.ts'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { pod } from '../../../../../test/builders/pod.ts'
import { snapshot } from '../../../../../test/builders/snapshot.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { NodeSelectorTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import { decideProvisioning } from '../../decideProvisioning.ts'

const SELECTOR = { matchLabels: { app: 'x' }, matchExpressions: [] }
const OVER_ZONES: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: SELECTOR,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
}

/** Sizes of two makers that differ in their names alone. */
const SIZES = [4, 8, 16].flatMap((cpus) =>
  ['a', 'b'].map((maker) =>
    instanceType({ name: `${maker}${cpus}`, cpus, memoryGib: 4 * cpus, price: cpus * (0.052 - cpus / 4000), spotPrice: null }),
  ),
)
const of = (maker: string) => SIZES.map(({ name }) => name).filter((name) => name.startsWith(maker))

function term(zones: readonly string[], sizes: readonly string[]): NodeSelectorTerm {
  const requirement = (key: string, values: readonly string[]) => ({ key, operator: 'In' as const, values })
  return { matchExpressions: [requirement(LABEL.zone, zones), requirement(LABEL.instanceType, sizes)], matchFields: [] }
}

function priceWith(requiredNodeTerms: readonly NodeSelectorTerm[], cpusOf: (index: number) => number): number {
  const pods = Array.from({ length: 600 }, (_, index) =>
    pod({ name: `p${index}`, cpus: cpusOf(index), memoryGib: 2, labels: { app: 'x' }, requiredNodeTerms, topologySpread: [OVER_ZONES] }),
  )
  const { actions } = decideProvisioning(snapshot({ types: SIZES, objects: { nodePool: [nodePool()], pod: pods } }))
  return actions.reduce((sum, action) => sum + (action.kind === 'createClaim' ? (action.choice.price ?? 0) : 0), 0)
}

describe('pods that are spread over zones', () => {
  it.each([
    ['few sizes', (index: number) => 1.3 + (index % 3) * 0.7],
    ['many sizes', (index: number) => 0.3 + (index % 7) * 0.45],
  ] as const)('cost no more when each of their terms has a zone of its own: %s', (_, cpusOf) => {
    const apart = priceWith([term(['eastus-1'], of('a')), term(['eastus-2'], of('b'))], cpusOf)
    expect(apart).toBe(priceWith([term(['eastus-1', 'eastus-2'], of('a'))], cpusOf))
  })
})
