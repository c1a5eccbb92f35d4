import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { allocatableOfType } from '../../shared/model/instanceType.ts'
import { statusOf } from '../builders/decided.ts'
import { nodeOverlay } from '../builders/nodeOverlay.ts'
import { pod, pods } from '../builders/pod.ts'
import { GIB, MIB } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { describeViolation } from '../checker/violation.ts'
import { size } from '../scenarios/fixtureTypes.ts'

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

describe('an overlay with huge pages', () => {
  const pages = fc.record({ 'hugepages-2Mi': fc.integer({ min: 0, max: 20 }), 'hugepages-1Gi': fc.integer({ min: 0, max: 20 }) })
  const inBytes = (given: { readonly [name: string]: number }) =>
    Object.fromEntries(Object.entries(given).map(([name, gib]) => [name, gib * GIB]))
  const asked = fc.record({ memoryGib: fc.integer({ min: 1, max: 30 }), pages })
  const types = [4, 8, 16, 32].map((cpus) => size(`of-${cpus}`, { cpus, memoryGib: 4 * cpus, price: cpus }))

  it('takes them out of memory, in both placements', () => {
    fc.assert(
      fc.property(
        pages,
        fc.array(asked, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('price', 'firstFit'),
        (capacity, wanted, placement) => {
          const given = snapshot({
            types,
            settings: { placement },
            objects: {
              nodeOverlay: [nodeOverlay({ name: 'pages', capacity: inBytes(capacity) })],
              pod: wanted.map((each, index) =>
                pod({
                  name: `p${index}`,
                  requests: { cpu: 100, memory: each.memoryGib * GIB, pods: 1, ...inBytes(each.pages) },
                }),
              ),
            },
          })
          expect(violationsOf(given, decideProvisioning(given)).map(describeViolation)).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })

  it('leaves no memory where they take all', () => {
    const of = (gib: number) =>
      allocatableOfType({ capacity: { memory: 4 * GIB, 'hugepages-2Mi': gib * GIB }, overhead: { memory: 512 * MIB } })
    expect([0, 1, 4].map((gib) => of(gib)['memory'])).toEqual([3.5 * GIB, 2.5 * GIB, 0])
  })
})
