import { describe, expect, it } from 'vitest'
import { statusOf } from '../../../test/builders/decided.ts'
import { nodeOverlay } from '../../../test/builders/nodeOverlay.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { NodeOverlay } from '../../model/nodePool.ts'

const CONFLICT =
  'Conflict: another nodeoverlay of the same weight sets the price or the capacity of the same offerings; give one of them a larger weight'

const CASES: { readonly [sentence: string]: { readonly overlays: readonly NodeOverlay[]; readonly want: Record<string, string> } } = {
  'is applied': { overlays: [nodeOverlay({ name: 'a', price: '1' })], want: { a: 'ValidationSucceeded: ' } },
  'is of the same weight as one before it': {
    overlays: [nodeOverlay({ name: 'a', price: '1' }), nodeOverlay({ name: 'b', price: '1' })],
    want: { a: CONFLICT, b: 'ValidationSucceeded: ' },
  },
  'is lighter than another one': {
    overlays: [nodeOverlay({ name: 'a', price: '1' }), nodeOverlay({ name: 'b', price: '1', weight: 2 })],
    want: { a: 'ValidationSucceeded: ', b: 'ValidationSucceeded: ' },
  },
  'has a price that nobody can read': {
    overlays: [nodeOverlay({ name: 'a', price: 'free' })],
    want: { a: 'RuntimeValidation: spec: free is neither a price nor a price adjustment' },
  },
  'has a price that is none of any machine': {
    overlays: [nodeOverlay({ name: 'a', price: '10000000000' }), nodeOverlay({ name: 'b', price: '1', weight: 2 })],
    want: {
      a: 'RuntimeValidation: spec.price: 10000000000 is more than a price can be; write at most $1000000/h',
      b: 'ValidationSucceeded: ',
    },
  },
  'adds more than any machine costs': {
    overlays: [nodeOverlay({ name: 'a', priceAdjustment: '+9007199255' })],
    want: { a: 'RuntimeValidation: spec.priceAdjustment: +9007199255 is more than a price can be; write at most $1000000/h' },
  },
  'adds more than the price a thousand times over': {
    overlays: [nodeOverlay({ name: 'a', priceAdjustment: `+${'9'.repeat(400)}%` })],
    want: {
      a: `RuntimeValidation: spec.priceAdjustment: +${'9'.repeat(39)}... is more than a price can be; write at most 100000%`,
    },
  },
  'adds less than nothing': {
    overlays: [nodeOverlay({ name: 'a', capacity: { 'example.com/device': -2 } })],
    want: { a: 'RuntimeValidation: spec.capacity["example.com/device"]: -2 is negative; write an amount of at least 0, or remove it' },
  },
  'speaks of what is measured': {
    overlays: [nodeOverlay({ name: 'a', capacity: { cpu: 1 } })],
    want: { a: 'RuntimeValidation: spec.capacity: cpu is what the machine has; an overlay adds other resources' },
  },
}

describe('an overlay says so when it', () => {
  it.each(Object.entries(CASES))('OV-01 %s', (_, { overlays, want }) => {
    const { actions } = statusOf(snapshot({ objects: { nodeOverlay: overlays } }))
    const said = actions.flatMap((action) => {
      if (action.kind !== 'patchNodeOverlayStatus') return []
      const { reason, message, status } = action.conditions.find(({ type }) => type === 'ValidationSucceeded') ?? {}
      const ready = action.conditions.find(({ type }) => type === 'Ready')
      expect(ready?.status).toBe(status)
      return [[action.nodeOverlay, `${reason}: ${message}`]]
    })
    expect(Object.fromEntries(said)).toEqual(want)
  })

  it('says it once', () => {
    const [first] = statusOf(snapshot({ objects: { nodeOverlay: [nodeOverlay()] } })).actions.filter(
      (action) => action.kind === 'patchNodeOverlayStatus',
    )
    const told = nodeOverlay({ status: { conditions: first?.conditions ?? [] } })
    expect(
      statusOf(snapshot({ objects: { nodeOverlay: [told] } })).actions.filter(({ kind }) => kind === 'patchNodeOverlayStatus'),
    ).toEqual([])
  })
})
