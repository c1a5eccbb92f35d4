/** Group 37.22 of the catalogue: over an assorted catalog the claim’s price is the least of all sizes that match. */
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../shared/base/canonicalJson.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { RequirementSpec } from '../../shared/model/requirement.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { checkPlan } from '../checker/checkPlan.ts'
import { assortedCatalog } from './fakeCatalog.ts'

const types = assortedCatalog()

type Case = { readonly pool?: Labels; readonly pod?: Labels; readonly without?: string }

const CASES: { readonly [sentence: string]: Case } = {
  'without constraints': {},
  'pod: amd64': { pod: { [LABEL.arch]: 'amd64' } },
  'pod: arm64': { pod: { [LABEL.arch]: 'arm64' } },
  'pool: arm64': { pool: { [LABEL.arch]: 'arm64' } },
  'pool: windows': { pool: { [LABEL.os]: 'windows' } },
  'pod: windows': { pod: { [LABEL.os]: 'windows' } },
  'pod: zone 2': { pod: { [LABEL.zone]: 'test-zone-2' } },
  'pool: spot': { pool: { [LABEL.capacityType]: 'spot' } },
  'pool: on demand in zone 1': { pool: { [LABEL.capacityType]: 'on-demand', [LABEL.zone]: 'test-zone-1' } },
  'pool: spot, pod: zone 2': { pool: { [LABEL.capacityType]: 'spot' }, pod: { [LABEL.zone]: 'test-zone-2' } },
  'pool and pod: all four': {
    pool: { [LABEL.capacityType]: 'on-demand', [LABEL.zone]: 'test-zone-1' },
    pod: { [LABEL.arch]: 'arm64', [LABEL.os]: 'windows' },
  },
  'no arm64 there, pod: arm64': { pod: { [LABEL.arch]: 'arm64' }, without: 'arm64' },
}

describe('the cheapest of an assorted catalog', () => {
  for (const [sentence, { pool = {}, pod: selector = {}, without }] of Object.entries(CASES)) {
    it(sentence, () => {
      const offered = types.filter((type) => without === undefined || !type.name.endsWith(without))
      const requirements = Object.entries(pool).map(([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }))
      const before = snapshot({
        types: offered,
        objects: { nodePool: [nodePool({ template: { requirements } })], pod: [pod({ nodeSelector: selector })] },
      })
      const decision = decideProvisioning(before)
      const wanted = Object.values({ ...pool, ...selector })
      const prices = offered
        .filter((type) => wanted.every((value) => type.name.includes(value)))
        .flatMap((type) => type.offerings.map((each) => each.price ?? 0))
      const claim = decision.actions.find((action) => action.kind === 'createClaim')
      expect(claim?.kind === 'createClaim' ? claim.choice.price : undefined).toBe(prices.length > 0 ? Math.min(...prices) : undefined)
      expect(checkPlan(before, decision)).toEqual([])
    })
  }

  it('holds three pods of any size on machines with enough room, and leaves the catalog as it was', () => {
    const asWas = canonicalJson(types)
    for (const cpus of [0.1, 1, 2.5, 8, 16]) {
      for (const memoryGib of [0.1, 2, 8, 32]) {
        const before = snapshot({ types, objects: { pod: pods(3, { cpus, memoryGib }) } })
        const decision = decideProvisioning(before)
        expect(checkPlan(before, decision)).toEqual([])
        expect(decision.reasons).toEqual([])
      }
    }
    expect(canonicalJson(types)).toBe(asWas)
  })
})
