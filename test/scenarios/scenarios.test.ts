import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import { snapshot } from '../builders/snapshot.ts'
import { checkPlan } from '../checker/checkPlan.ts'
import { EXISTING } from './existing.ts'
import { PACKING } from './packing.ts'
import { PLACEMENT } from './placement.ts'
import { outcomeOf, type Scenarios } from './scenario.ts'

const TABLES: { readonly [name: string]: Scenarios } = { placement: PLACEMENT, packing: PACKING, 'what is there': EXISTING }

for (const [name, scenarios] of Object.entries(TABLES)) {
  describe(name, () => {
    for (const [sentence, { given, wantMessage, ...want }] of Object.entries(scenarios)) {
      it(sentence, () => {
        const before = snapshot(given)
        const decision = decideProvisioning(before)
        const outcome = outcomeOf(decision)
        expect(checkPlan(before, decision)).toEqual([])
        expect(outcome).toMatchObject({ wantRefused: {}, ...want })
        if (want.wantRefused === undefined) expect(outcome.wantRefused).toEqual({})
        if (wantMessage !== undefined) expect(outcome.wantMessage).toContain(wantMessage)
      })
    }
  })
}
