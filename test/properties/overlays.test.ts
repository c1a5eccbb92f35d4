import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import { statusOf } from '../builders/decided.ts'
import { nodeOverlay } from '../builders/nodeOverlay.ts'
import { pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'

/** Numbers that the schema of NodeOverlay accepts: any number of digits. */
const digits = fc.stringMatching(/^\d{1,25}$/)
const longDigits = fc.integer({ min: 300, max: 5_000 }).map((count) => '9'.repeat(count))
const whole = fc.oneof(digits, longDigits, fc.constantFrom('0', '9007199254', '9007199255', '10000000000', '1000000', '1000001'))
const price = fc.tuple(whole, fc.option(digits)).map(([before, after]) => (after === null ? before : `${before}.${after}`))
const amount = fc.oneof(
  price,
  digits.map((each) => `.${each}`),
)
const priceAdjustment = fc.oneof(
  fc.tuple(fc.constantFrom('+', '-'), amount).map((parts) => parts.join('')),
  amount.map((each) => `+${each}%`),
  fc.constantFrom('-100%', '-99.9%', '-0%'),
)
const change = fc.oneof(
  price.map((each) => ({ price: each })),
  priceAdjustment.map((each) => ({ priceAdjustment: each })),
)

describe('an overlay with any price that its schema allows', () => {
  it('is applied or refused in its own status, and stops nothing', () => {
    fc.assert(
      fc.property(change, fc.option(change), (one, other) => {
        const overlays = [
          nodeOverlay({ name: 'one', weight: 1, ...one }),
          ...(other === null ? [] : [nodeOverlay({ name: 'other', ...other })]),
        ]
        const given = snapshot({ objects: { pod: pods(30), nodeOverlay: overlays } })
        const { actions, reasons } = decideProvisioning(given)
        expect(reasons).toEqual([])
        for (const action of actions) {
          if (action.kind !== 'createClaim') continue
          expect(Number.isSafeInteger(action.choice.price)).toBe(true)
          expect(action.choice.price).toBeGreaterThanOrEqual(0)
        }
        const told = statusOf(given).actions.filter(({ kind }) => kind === 'patchNodeOverlayStatus')
        expect(told.length).toBe(overlays.length)
      }),
      { numRuns: 200 },
    )
  })
})
