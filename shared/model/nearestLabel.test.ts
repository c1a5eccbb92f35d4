import { describe, expect, it } from 'vitest'
import { WELL_KNOWN_LABELS } from './labels.ts'
import { nearestLabel, restrictedText } from './nearestLabel.ts'

describe('a label with a typing error', () => {
  it.each([
    ['karpenter.azure.com/sku-famly', 'karpenter.azure.com/sku-family'],
    ['karpenter.azure.com/sku-memroy', 'karpenter.azure.com/sku-memory'],
    ['karpenter.azure.com/skucpu', 'karpenter.azure.com/sku-cpu'],
    ['karpenter.sh/capacitytype', 'karpenter.sh/capacity-type'],
    ['karpenter.sh/capacity_type', 'karpenter.sh/capacity-type'],
    ['karpenter.azure.com/team', undefined],
    ['team', undefined],
  ])('%s may mean %s', (key, meant) => expect(nearestLabel(key)).toBe(meant))

  it('is found for every known label, with one letter too few', () => {
    const lost = [...WELL_KNOWN_LABELS].filter((label) => nearestLabel(label.slice(0, -1)) !== label)
    expect(lost).toEqual([])
  })

  it('is told with the label that it may mean, and where the list is', () => {
    expect(restrictedText('karpenter.azure.com/sku-famly')).toBe(
      'the label is restricted (did you mean karpenter.azure.com/sku-family?); use a label of your own domain, or a well-known label of docs/reference.md',
    )
    expect(restrictedText('karpenter.sh/team')).toBe(
      'the label is restricted; use a label of your own domain, or a well-known label of docs/reference.md',
    )
  })
})
