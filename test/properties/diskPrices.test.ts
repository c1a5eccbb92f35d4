import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../shared/base/json.ts'
import { decide } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Offering } from '../../shared/model/instanceType.ts'
import { durationMs } from '../../shared/model/units.ts'
import { justFitting } from '../generators/justFitting.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(60)

/** The cluster with machines that may go at once, so that decisions also move pods. */
function restless({ objects, ...rest }: ClusterSnapshot): ClusterSnapshot {
  const disruption = {
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    consolidateAfter: durationMs(0),
    budgets: [{ nodes: '100%' }],
  } as const
  return { ...rest, objects: { ...objects, nodePool: objects.nodePool.map((pool) => ({ ...pool, disruption })) } }
}

/** The same bills, of which no part is said to be for a disk. */
function asOneAmount({ instanceTypes, ...rest }: ClusterSnapshot): ClusterSnapshot {
  const whole = (offering: Offering): Offering => {
    const { diskPrice: _, ...others } = offering
    return others
  }
  const typesOf = [...instanceTypes].map(
    ([name, types]) => [name, types.map((type) => ({ ...type, offerings: type.offerings.map(whole) }))] as const,
  )
  return { ...rest, instanceTypes: new Map(typesOf) }
}

/** A decision without the amounts of disks and the texts that say them. */
function withoutParts(decision: unknown): string {
  return canonicalJson(decision)
    .replaceAll(/"diskPrice":\d+,/g, '')
    .replaceAll(/\$[\d.]+(?: \+ disk \$[\d.]+)?\/h/g, '$')
}

describe('a decision', () => {
  it('compares bills: what part of a price is for a disk changes nothing', () => {
    const actions = seedsOf(CASES).flatMap((seed) => {
      const random = randomSnapshot(seed)
      // An adjustment by an overlay changes the machine and not its disk.
      const nodeOverlay = random.objects.nodeOverlay.filter(({ priceAdjustment }) => priceAdjustment === undefined)
      const full = seed % 10 === 0 ? [justFitting(seed)] : []
      return [{ ...random, objects: { ...random.objects, nodeOverlay } }, ...full].map(restless).flatMap((given) => {
        const decision = decide(given)
        expect(withoutParts(decision), `seed ${seed}`).toBe(withoutParts(decide(asOneAmount(given))))
        return decision.actions
      })
    })
    const bought = actions.filter((each) => each.kind === 'createClaim' && each.choice.diskPrice !== undefined)
    const moved = actions.filter(({ kind }) => kind === 'deleteClaim' || kind === 'startCommand')
    expect(Math.min(bought.length, moved.length)).toBeGreaterThan(CASES / 20)
  }, 300_000)
})
