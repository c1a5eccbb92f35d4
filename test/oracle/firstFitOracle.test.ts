import { describe, expect, it } from 'vitest'
import type { Offering } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { firstFitOracle } from './firstFitOracle.ts'

const reserved = (id: string, remaining: number): Offering => {
  const base = offering({ capacityType: 'reserved', price: 0.0001 })
  return { ...base, requirements: [...base.requirements, oneOf(LABEL.reservation, [id])], reservation: { id, remaining } }
}
const SMALL = instanceType({ name: 'Standard_Small', cpus: 2, offerings: [reserved('small', 1), offering()] })

describe('the first-fit oracle', () => {
  it('gives a reservation to one claim and lets the next pod wait', () => {
    const answer = firstFitOracle(snapshot({ objects: { pod: pods(2, { name: 'p', cpus: 1.5 }) }, types: [SMALL] }))
    expect(answer.claims.map(({ pods: own, cheapest }) => [own, cheapest?.capacityType])).toEqual([[['default/p-0'], 'reserved']])
    expect([...answer.unplaced]).toEqual([['default/p-1', expect.stringContaining('could not be reserved')]])
  })

  it('does not go to a lighter pool while the heavier one waits for its reservation', () => {
    const light = nodePool({
      name: 'light',
      template: { requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }] },
    })
    const nodePools = [nodePool({ name: 'heavy', weight: 10 }), light]
    const answer = firstFitOracle(snapshot({ objects: { pod: pods(2, { name: 'p', cpus: 1.5 }), nodePool: nodePools }, types: [SMALL] }))
    expect(answer.claims.map(({ pool }) => pool)).toEqual(['heavy'])
  })

  it('spreads pods without constraints of their own as the cluster does by default', () => {
    const given = snapshot({ objects: { pod: pods(3, { name: 'p', labels: { app: 'a' } }) }, types: [instanceType()] })
    const selector = { matchLabels: { app: 'a' }, matchExpressions: [] }
    const constraint = { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule', selector, matchLabelKeys: [] } as const
    const spread = { ...constraint, nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' } as const
    expect(firstFitOracle(given).claims).toHaveLength(1)
    expect(firstFitOracle(given, { defaultSpread: () => [spread] }).claims).toHaveLength(3)
  })

  it('puts the larger pod first, on what the heavier pool makes', () => {
    const answer = firstFitOracle(
      snapshot({
        objects: {
          pod: [pod({ name: 'small' }), pod({ name: 'large', cpus: 3 })],
          nodePool: [nodePool({ name: 'a' }), nodePool({ name: 'b', weight: 5 })],
        },
      }),
    )
    expect(answer.claims.map(({ pool, pods: own }) => [pool, own])).toEqual([['b', ['default/large', 'default/small']]])
  })
})
