import { describe, expect, it } from 'vitest'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeOverlay } from '../../shared/model/nodePool.ts'
import { usdPerHour } from '../../shared/model/units.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { nodeOverlay } from '../builders/nodeOverlay.ts'
import { nodePool } from '../builders/nodePool.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { withOverlays } from './withOverlays.ts'

const SPOT = offering({ zone: 'z1', capacityType: 'spot', price: 0.1 })
const PLAIN = offering({ zone: 'z1', price: 0.4 })
const TYPE = instanceType({ name: 'small', offerings: [PLAIN, SPOT] })
const OTHER = instanceType({ name: 'other', zones: ['z2'], spotPrice: null })

function known(overlays: readonly NodeOverlay[], sold = PLAIN, poolName: string | undefined = 'default') {
  const pools = [nodePool({ name: 'default', template: { labels: { team: 'a' } } }), nodePool({ name: 'second' })]
  const given = snapshot({ types: [TYPE, OTHER], objects: { nodeOverlay: overlays, nodePool: pools } })
  return withOverlays(given, poolName, TYPE, sold)
}

const priceOf = (overlays: readonly NodeOverlay[], sold = PLAIN, pool?: string) => known(overlays, sold, pool).offering.price
const usd = usdPerHour

describe('the price that is known of an offering', () => {
  it.each([
    { name: 'nothing is said', overlays: [], want: 0.4 },
    { name: 'a price is said', overlays: [nodeOverlay({ price: '0.25' })], want: 0.25 },
    { name: 'it is raised by an amount', overlays: [nodeOverlay({ priceAdjustment: '+0.1' })], want: 0.5 },
    { name: 'it is cut by an amount', overlays: [nodeOverlay({ priceAdjustment: '-0.1' })], want: 0.3 },
    { name: 'it is raised by a share', overlays: [nodeOverlay({ priceAdjustment: '+50%' })], want: 0.6 },
    { name: 'it is cut by a share', overlays: [nodeOverlay({ priceAdjustment: '-50%' })], want: 0.2 },
    { name: 'more is cut than there is', overlays: [nodeOverlay({ priceAdjustment: '-1' })], want: 0 },
    { name: 'the price said is beyond reason', overlays: [nodeOverlay({ price: '1000000.1' })], want: 0.4 },
    { name: 'the price said is the most there may be', overlays: [nodeOverlay({ price: '1000000' })], want: 1_000_000 },
    { name: 'the raise is beyond reason', overlays: [nodeOverlay({ priceAdjustment: '+1000001' })], want: 0.4 },
    { name: 'the raise is the most there may be', overlays: [nodeOverlay({ priceAdjustment: '+1000000' })], want: 1_000_000.4 },
    { name: 'the share is beyond reason', overlays: [nodeOverlay({ priceAdjustment: '+100001%' })], want: 0.4 },
    { name: 'the share is the most there may be', overlays: [nodeOverlay({ priceAdjustment: '+100000%' })], want: 400.4 },
    { name: 'only room is said', overlays: [nodeOverlay({ capacity: { 'example.com/x': 1 } })], want: 0.4 },
  ])('where $name', ({ overlays, want }) => {
    expect(priceOf(overlays)).toBe(usd(want))
  })

  it('has the disk beside a price that is adjusted, and not beside one that is said', () => {
    const sold = { ...PLAIN, diskPrice: usd(0.1) }
    const parts = (overlay: NodeOverlay) => {
      const { price, diskPrice } = known([overlay], sold).offering
      return [price, diskPrice]
    }
    expect(parts(nodeOverlay({ priceAdjustment: '-50%' }))).toEqual([usd(0.25), usd(0.1)])
    expect(parts(nodeOverlay({ priceAdjustment: '-1' }))).toEqual([usd(0.1), usd(0.1)])
    expect(parts(nodeOverlay({ price: '0.25' }))).toEqual([usd(0.25), undefined])
  })

  it('is what the heaviest says, absent weight counting as none', () => {
    const light = nodeOverlay({ name: 'z', price: '0.1' })
    const heavy = nodeOverlay({ name: 'a', price: '0.2', weight: 1 })
    const heaviest = nodeOverlay({ name: 'b', price: '0.3', weight: 2 })
    expect(priceOf([light, heavy])).toBe(usd(0.2))
    expect(priceOf([heaviest, light, heavy])).toBe(usd(0.3))
  })

  it('is what the later name says of two of one weight that contradict each other', () => {
    const [first, second] = [nodeOverlay({ name: 'a', price: '0.1' }), nodeOverlay({ name: 'b', price: '0.2' })]
    expect(priceOf([first, second])).toBe(usd(0.2))
    expect(priceOf([second, first])).toBe(usd(0.2))
    expect(priceOf([{ ...first, weight: 0 }, second])).toBe(usd(0.2))
  })

  it('is said by two of one weight about different offerings', () => {
    const about = (name: string, capacityType: string, price: string) =>
      nodeOverlay({ name, price, requirements: [{ key: LABEL.capacityType, operator: 'In', values: [capacityType] }] })
    const both = [about('a', 'spot', '0.01'), about('b', 'on-demand', '0.02')]
    expect(priceOf(both, SPOT)).toBe(usd(0.01))
    expect(priceOf(both, PLAIN)).toBe(usd(0.02))
  })

  it('is not said by one that contradicts another about other sizes', () => {
    const everywhere = nodeOverlay({
      name: 'b',
      price: '0.2',
      requirements: [{ key: LABEL.instanceType, operator: 'In', values: ['other'] }],
    })
    const clashing = nodeOverlay({ name: 'a', price: '0.1' })
    expect(priceOf([everywhere, clashing])).toBe(usd(0.4))
  })

  it.each([
    ['the size', { key: LABEL.instanceType, operator: 'In', values: ['small'] }, true],
    ['another size', { key: LABEL.instanceType, operator: 'In', values: ['other'] }, false],
    ['the zone', { key: LABEL.zone, operator: 'In', values: ['z1'] }, true],
    ['another zone', { key: LABEL.zone, operator: 'In', values: ['z2'] }, false],
    ['the zone by its old name', { key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['z1'] }, true],
    ['the pool', { key: LABEL.nodePool, operator: 'In', values: ['default'] }, true],
    ['another pool', { key: LABEL.nodePool, operator: 'In', values: ['second'] }, false],
    ['a label of the pool', { key: 'team', operator: 'In', values: ['a'] }, true],
    ['another value of it', { key: 'team', operator: 'In', values: ['b'] }, false],
    ['a label that is not there', { key: 'rack', operator: 'Exists', values: [] }, false],
    ['the want of a label', { key: 'rack', operator: 'DoesNotExist', values: [] }, true],
    ['the want of a label that is there', { key: LABEL.zone, operator: 'DoesNotExist', values: [] }, false],
  ] as const)('is changed by one about %s: %j', (_, requirement, isMeant) => {
    expect(priceOf([nodeOverlay({ price: '0.25', requirements: [requirement] })])).toBe(usd(isMeant ? 0.25 : 0.4))
  })

  it('stays unknown where it is adjusted, and is known where it is said', () => {
    const unknown = offering({ zone: 'z1', price: null })
    expect(known([nodeOverlay({ priceAdjustment: '+1' })], unknown).offering).not.toHaveProperty('price')
    expect(priceOf([nodeOverlay({ price: '1' })], unknown)).toBe(usd(1))
  })

  it('is that of the catalog without a pool', () => {
    expect(known([nodeOverlay({ price: '0.25', capacity: { x: 1 } })], PLAIN, 'gone')).toMatchObject({
      offering: { price: usd(0.4) },
      type: TYPE,
    })
  })
})

describe('the room that is known of a size', () => {
  const adds = (name: string, capacity: NodeOverlay['capacity'], weight = 0, zone?: string) =>
    nodeOverlay({
      name,
      ...(capacity && { capacity }),
      weight,
      requirements: zone === undefined ? [] : [{ key: LABEL.zone, operator: 'In', values: [zone] }],
    })
  const roomOf = (...overlays: readonly NodeOverlay[]) => known(overlays).type.capacity

  it('is what the catalog says and what is added', () => {
    expect(roomOf(adds('a', { x: 1 }), adds('b', { y: 2 }))).toEqual({ ...TYPE.capacity, x: 1, y: 2 })
  })

  it('is what the heaviest adds', () => {
    expect(roomOf(adds('a', { x: 1 }, 1), adds('b', { x: 2, y: 2 }))).toMatchObject({ x: 1, y: 2 })
    expect(roomOf(adds('b', { x: 2, y: 2 }), adds('a', { x: 1 }, 1))).toMatchObject({ x: 1, y: 2 })
  })

  it('is what the later name adds of two of one weight about one resource', () => {
    expect(roomOf(adds('a', { x: 1, y: 1 }), adds('b', { x: 2, z: 2 }))).toEqual({ ...TYPE.capacity, x: 2, z: 2 })
  })

  it('is of the whole size, whichever offering is meant', () => {
    const types = [instanceType({ name: 'small', zones: ['z1', 'z2'] })]
    const given = snapshot({ types, objects: { nodeOverlay: [adds('a', { x: 1 }, 0, 'z2')] } })
    const [type = TYPE] = types
    expect(withOverlays(given, 'default', type, PLAIN).type.capacity).toHaveProperty('x', 1)
    expect(roomOf(adds('a', { x: 1 }, 0, 'z9'))).toEqual(TYPE.capacity)
  })

  it.each(['cpu', 'memory', 'pods', 'ephemeral-storage'])('is not changed by what says %s', (name) => {
    expect(roomOf(adds('a', { [name]: 1, x: 1 }))).toEqual(TYPE.capacity)
  })

  it('is that of the offering where it has its own', () => {
    const own = { ...PLAIN, capacity: { cpu: 7000 }, overhead: { cpu: 1 } }
    const { capacity, overhead } = known([], own).type
    expect({ capacity, overhead }).toEqual({ capacity: { ...TYPE.capacity, cpu: 7000 }, overhead: { ...TYPE.overhead, cpu: 1 } })
    expect(known([], { ...PLAIN, capacity: { cpu: 7000 } }).type.overhead).toEqual(resources(0.1, 0.5))
    expect(known([], { ...PLAIN, overhead: { cpu: 7 } }).type.overhead).toEqual({ ...TYPE.overhead, cpu: 7 })
  })
})
