import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vmSizeName, zoneName } from './ids.ts'
import { amountText, choiceText, labelValueText, zoneText } from './inWords.ts'
import { LABEL } from './labels.ts'
import { resourceAmount } from './quantity.ts'
import { usdPerHour } from './units.ts'

const GIB = 1024 ** 3

describe('an amount in words', () => {
  const table: { readonly [text: string]: readonly [resource: string, amount: number] } = {
    '200': ['cpu', 200_000],
    '71.18': ['cpu', 71_180],
    '0.1': ['cpu', 100],
    '16Gi': ['memory', 16 * GIB],
    '0.25Gi': ['memory', GIB / 4],
    '2Gi': ['hugepages-2Mi', 2 * GIB],
    '110': ['pods', 110],
    '1': ['nvidia.com/gpu', 1],
  }
  for (const [text, [resource, amount]] of Object.entries(table)) {
    it(`${text} of ${resource}`, () => expect(amountText(resource, amount, 'up')).toBe(text))
  }

  it('is a quantity that a manifest may write, of one unit, and not on the wrong side of what it says', () => {
    fc.assert(
      fc.property(fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'pods'), fc.nat(2 ** 46), (resource, amount) => {
        const read = (text: string): number => {
          const parsed = resourceAmount(resource, text)
          return parsed.ok ? parsed.value : Number.NaN
        }
        expect(read(amountText(resource, amount, 'up'))).toBeGreaterThanOrEqual(amount)
        expect(read(amountText(resource, amount, 'down'))).toBeLessThanOrEqual(amount)
        expect(amountText(resource, amount, 'up')).toMatch(resource === 'cpu' || resource === 'pods' ? /^[\d.]+$/ : /^[\d.]+Gi$/)
      }),
    )
  })
})

describe('a zone in words', () => {
  it('is its name, or that there is none', () => {
    expect(zoneText('eastus-1')).toBe('zone eastus-1')
    expect(zoneText('0')).toBe('no zone')
  })

  it('that is the value of a label is told apart from other values that are 0', () => {
    expect(labelValueText(LABEL.zone, '0')).toBe('no zone')
    expect(labelValueText('team', '0')).toBe('0')
  })

  it('is part of what a machine is bought as', () => {
    const choice = { size: vmSizeName('Standard_A'), zone: zoneName('0'), capacityType: 'spot' } as const
    expect(choiceText({ ...choice, price: usdPerHour(0.4) })).toBe('Standard_A spot in no zone, $0.40/h')
    expect(choiceText(choice)).toBe('Standard_A spot in no zone, price unknown')
  })
})
