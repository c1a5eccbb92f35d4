import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectKey, vmSizeName, zoneName } from './ids.ts'
import { amountText, choiceText, existingValuesText, labelValueText, purposeText, zoneText } from './inWords.ts'
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
  it('is its name, or any', () => {
    expect(zoneText('eastus-1')).toBe('zone eastus-1')
    expect(zoneText('0')).toBe('any zone')
  })

  it('that is the value of a label is told apart from other values that are 0', () => {
    expect(labelValueText(LABEL.zone, '0')).toBe('regional')
    expect(labelValueText('team', '0')).toBe('0')
  })

  it('is one of those that exist', () => {
    const [none, one] = [['0'], ['0', 'eastus-1', 'eastus-2']].map((values) => existingValuesText(LABEL.zone, values))
    expect(none).toBe('this region has no zones; machines without a zone are called regional')
    expect(one).toBe('zones of this region: eastus-1, eastus-2; machines without a zone are called regional')
    expect(existingValuesText(LABEL.zone, ['eastus-1'])).toBe('zones of this region: eastus-1')
    expect(existingValuesText('team', ['0', 'a'])).toBe('values that exist: 0, a')
  })

  it('is part of what a machine is bought as', () => {
    const choice = { size: vmSizeName('Standard_A'), zone: zoneName('0'), capacityType: 'spot' } as const
    expect(choiceText({ ...choice, price: usdPerHour(0.4) })).toBe('Standard_A spot, any zone, $0.40/h')
    expect(choiceText({ ...choice, price: usdPerHour(0.0424), diskPrice: usdPerHour(0.027) })).toBe(
      'Standard_A spot, any zone, $0.0154 + disk $0.027/h',
    )
    expect(choiceText(choice)).toBe('Standard_A spot, any zone, price unknown')
  })
})

describe('what a claim is for', () => {
  const spare = { buffer: objectKey('default', 'spare'), pods: 3, of: 3 }
  it.each([
    ['one pod', purposeText(1)],
    ['2 pods', purposeText(2)],
    ['the buffer default/spare (3 of 3 pods)', purposeText(0, [spare])],
    ['one pod and the buffer default/spare (3 of 3 pods)', purposeText(1, [spare])],
    ['0 pods', purposeText(0)],
  ])('%s', (text, said) => expect(said).toBe(text))
})
