import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { instanceType, offering } from '../../../test/builders/instanceType.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import type { LaunchCandidate } from '../../model/instance.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaimSpec } from '../../model/nodeClaim.ts'
import type { DemotedSize } from '../../model/sizeReport.ts'
import type { UnavailableOffering, UnavailableScope } from '../../model/unavailableOffering.ts'
import { knownFirst, otherKindsFirst, planLaunch, refusalsFor } from './planLaunch.ts'

type Case = {
  readonly types: readonly InstanceType[]
  readonly spec?: Partial<NodeClaimSpec>
  readonly blocked?: readonly UnavailableScope[]
  readonly demoted?: readonly DemotedSize[]
  /** `size zone capacity type`, best first. */
  readonly want: readonly string[]
}

const one = (name: string, ...offerings: Parameters<typeof offering>[0][]) => instanceType({ name, offerings: offerings.map(offering) })

const CASES: { readonly [sentence: string]: Case } = {
  'the cheapest comes first, whatever its capacity type': {
    types: [one('a', { price: 2 }, { price: 3, capacityType: 'spot' }), one('b', { price: 1 })],
    want: ['b eastus-1 on-demand', 'a eastus-1 on-demand', 'a eastus-1 spot'],
  },
  'at one price spot, then zonal, then the zone of the claim’s own, then the name': {
    types: [
      one('b', { price: 1 }, { price: 1, zone: '0' }),
      one('a', { price: 1, zone: 'eastus-2' }, { price: 1 }, { price: 1, zone: '0', capacityType: 'spot' }),
    ],
    want: ['a 0 spot', 'a eastus-1 on-demand', 'b eastus-1 on-demand', 'a eastus-2 on-demand', 'b 0 on-demand'],
  },
  'an unknown price comes last': {
    types: [one('a', { price: null }), one('b', { price: 900 })],
    want: ['b eastus-1 on-demand', 'a eastus-1 on-demand'],
  },
  'a demoted size comes after those that cost up to four times as much, at its real price': {
    types: [one('a', { price: 10 }, { price: 8, capacityType: 'reserved' }), one('b', { price: 39 }), one('c', { price: 41 })],
    demoted: [{ size: vmSizeName('a'), because: 'notBooted', until: hence(MINUTE) }],
    want: ['a eastus-1 reserved', 'b eastus-1 on-demand', 'a eastus-1 on-demand', 'c eastus-1 on-demand'],
  },
  'what is not available is left out': { types: [one('a', { available: false }, { zone: 'eastus-2' })], want: ['a eastus-2 on-demand'] },
  'requirements of the claim choose': {
    types: [one('a', {}, { zone: 'eastus-2' }), one('b', {})],
    spec: {
      requirements: [
        { key: LABEL.instanceType, operator: 'In', values: ['a'] },
        { key: LABEL.zone, operator: 'NotIn', values: ['eastus-1'] },
      ],
    },
    want: ['a eastus-2 on-demand'],
  },
  'a size too small for the requests is left out': { types: [one('a', {})], spec: { requests: { cpu: 4000 } }, want: [] },
  'a blocked offering': {
    types: [one('a', {}, { zone: 'eastus-2' })],
    blocked: [{ kind: 'offering', size: vmSizeName('a'), zone: zoneName('eastus-1') }],
    want: ['a eastus-2 on-demand'],
  },
  'a family blocked from some CPUs up': {
    types: [one('four', { price: 1 }), { ...one('two', { price: 2 }), cpus: 2 }],
    blocked: [{ kind: 'family', family: 'standardDasv6Family', minCpus: 4 }],
    want: ['two eastus-1 on-demand'],
  },
  'AL-10: the zone of the claim has the size on demand only': {
    types: [one('a', { price: 1, capacityType: 'spot', zone: 'eastus-2' }, { price: 2 })],
    spec: { requirements: [{ key: LABEL.zone, operator: 'In', values: ['eastus-1'] }] },
    want: ['a eastus-1 on-demand'],
  },
  'AL-11: spot is sold in another zone than the claim asks for': {
    types: [one('a', { capacityType: 'spot', zone: 'eastus-2' }, { price: 2 })],
    spec: {
      requirements: [
        { key: LABEL.zone, operator: 'In', values: ['eastus-1'] },
        { key: LABEL.capacityType, operator: 'In', values: ['spot'] },
      ],
    },
    want: [],
  },
  'ER-05: no zone has room, and the machine without a zone was refused before': {
    types: [one('a', {}, { zone: 'eastus-2' }, { zone: '0' }, { zone: '0', capacityType: 'spot' })],
    blocked: [
      ...['eastus-1', 'eastus-2'].map(
        (zone) => ({ kind: 'family', family: 'standardDasv6Family', minCpus: 4, zone: zoneName(zone) }) as const,
      ),
      { kind: 'offering', size: vmSizeName('a'), zone: zoneName('0') },
    ],
    want: [],
  },
  'ER-16: the cheapest zone is blocked': {
    types: [one('a', { price: 1 }, { price: 2, zone: 'eastus-2' }, { price: 3, zone: '0' })],
    blocked: [{ kind: 'offering', size: vmSizeName('a'), zone: zoneName('eastus-1') }],
    want: ['a eastus-2 on-demand', 'a 0 on-demand'],
  },
  'ZO-08: a claim that names all zones gets no machine without a zone': {
    types: [one('a', { zone: '0' }), one('b', { zone: 'eastus-2' }, { zone: '0' })],
    spec: { requirements: [{ key: LABEL.zone, operator: 'In', values: ['eastus-1', 'eastus-2', 'eastus-3'] }] },
    want: ['b eastus-2 on-demand'],
  },
  'all spot blocked': {
    types: [one('a', { price: 1, capacityType: 'spot' }, { price: 2 })],
    blocked: [{ kind: 'capacityType', capacityType: 'spot' }],
    want: ['a eastus-1 on-demand'],
  },
}

describe('the refusals for which a claim waits', () => {
  const claim = nodeClaim({ stage: 'created', spec: { requirements: [{ key: LABEL.zone, operator: 'In', values: ['eastus-1'] }] } })
  const types = [one('a', {}, { zone: 'eastus-2' })]
  const inZone = (zone: string) => lasting({ kind: 'offering', size: vmSizeName('a'), zone: zoneName(zone) })

  it('are of offerings that it allows, and not over', () => {
    const mine = inZone('eastus-1')
    const given = [inZone('eastus-2'), { ...mine, until: NOW }, lasting({ kind: 'capacityType', capacityType: 'spot' }), mine]
    expect(refusalsFor(claim, types, given, NOW)).toEqual([mine])
  })

  it('are not known where nothing could be bought anyway', () =>
    expect(refusalsFor(claim, [one('a', { zone: 'eastus-2' })], [inZone('eastus-2')], NOW)).toBeUndefined())
})

describe('a launch plan', () => {
  it('AL-14 changes nothing of what it is made from', () => {
    const {
      types,
      spec,
      blocked = [],
    } = CASES['ER-05: no zone has room, and the machine without a zone was refused before'] ?? { types: [] }
    const given = [nodeClaim({ stage: 'created', spec: { requirements: [], ...spec } }), types, blocked.map(lasting)] as const
    const before = JSON.stringify(given)
    const free = planLaunch(given[0], given[1], [], NOW)
    planLaunch(...given, NOW)
    expect(JSON.stringify(given)).toBe(before)
    expect(free.candidates).not.toEqual([])
  })

  for (const [sentence, { types, spec, blocked = [], demoted, want }] of Object.entries(CASES)) {
    it(sentence, () => {
      const claim = nodeClaim({ stage: 'created', spec: { requirements: [], ...spec } })
      const plan = planLaunch(claim, types, blocked.map(lasting), NOW, demoted)
      expect(plan.candidates.map(({ choice }) => `${choice.size} ${choice.zone} ${choice.capacityType}`)).toEqual(want)
      const backwards = planLaunch(claim, [...types].reverse(), blocked.map(lasting), NOW, demoted)
      const sold = types.flatMap(({ name, offerings }) => offerings.map(({ price }) => `${name} ${price}`))
      expect(sold).toEqual(expect.arrayContaining(plan.candidates.map(({ choice }) => `${choice.size} ${choice.price}`)))
      expect(backwards).toEqual(plan)
    })
  }

  it('spreads machines of one price over the zones, and sends a claim always to the same', () => {
    const zones = ['eastus-1', 'eastus-2', 'eastus-3']
    const sizes = ['a', 'b'].map((name) => one(name, ...zones.map((zone) => ({ zone, price: 1 })), { zone: '0', price: 1 }))
    const zoneOf = (name: string) =>
      planLaunch(nodeClaim({ name, stage: 'created', spec: { requirements: [] } }), sizes, [], NOW).candidates[0]?.choice.zone
    const chosen = Array.from({ length: 300 }, (_, index) => zoneOf(`default-${index}`))
    for (const zone of zones) expect(chosen.filter((each) => each === zone).length).toBeGreaterThan(70)
    expect(chosen.filter((zone) => !zones.includes(String(zone)))).toEqual([])
    expect(zoneOf('default-7')).toBe(chosen[7])
  })

  it('goes to a dearer zone for nobody', () => {
    const sizes = [one('a', { zone: 'eastus-1', price: 2 }, { zone: 'eastus-2', price: 1 }, { zone: 'eastus-3', price: 2 })]
    const chosen = Array.from({ length: 20 }, (_, index) => {
      return planLaunch(nodeClaim({ name: `default-${index}`, stage: 'created', spec: { requirements: [] } }), sizes, [], NOW).candidates[0]
        ?.choice.zone
    })
    expect(new Set(chosen)).toEqual(new Set(['eastus-2']))
  })

  it('gives each candidate the labels it fixes, of claim, size and offering', () => {
    const requirements = [
      { key: 'kubernetes.azure.com/mode', operator: 'In', values: ['user'] },
      { key: 'team', operator: 'In', values: ['a'] },
      { key: 'constructor', operator: 'In', values: ['c', 'b'] },
      { key: 'shift', operator: 'NotIn', values: ['night'] },
      { key: LABEL.hostname, operator: 'In', values: ['h'] },
      { key: LABEL.zone, operator: 'In', values: ['eastus-1', 'eastus-2'] },
    ] as const
    const [candidate] = planLaunch(
      nodeClaim({ stage: 'created', spec: { requirements } }),
      [one('a', { zone: 'eastus-2', capacityType: 'spot' })],
      [],
      NOW,
    ).candidates
    expect(candidate?.labels).toMatchObject({
      team: 'a',
      constructor: 'b',
      'kubernetes.azure.com/mode': 'user',
      'kubernetes.azure.com/scalesetpriority': 'spot',
      'kubernetes.azure.com/priority': 'spot',
      'karpenter.azure.com/placement-scope': 'zonal',
      [LABEL.instanceType]: 'a',
      [LABEL.zone]: 'eastus-2',
      [LABEL.capacityType]: 'spot',
      [LABEL.arch]: 'amd64',
    })
    for (const key of ['shift', LABEL.hostname]) expect(candidate?.labels).not.toHaveProperty(key)
  })
})

function lasting(scope: UnavailableScope): UnavailableOffering {
  return { scope, until: hence(MINUTE), code: 'AZURE.SKU_NOT_AVAILABLE', message: '' }
}

const PLAN = planLaunch(nodeClaim({ stage: 'created', spec: { requirements: [] } }), catalog(), [], NOW)
const some = (holds: (each: LaunchCandidate) => boolean, count: number) => PLAN.candidates.filter(holds).slice(0, count)
const firstAfter = (refused: readonly LaunchCandidate[]) => {
  const left = { candidates: PLAN.candidates.filter((each) => !refused.includes(each)) }
  const { candidates } = otherKindsFirst(left, refused)
  expect(new Set(candidates)).toEqual(new Set(left.candidates))
  return candidates[0] ?? expect.fail('nothing is left')
}
const best = PLAN.candidates[0] ?? expect.fail('no plan')
const { zone, capacityType } = best.choice
const { family } = best.instanceType

describe('the next try of an attempt', () => {
  it('is the best one after few refusals of a kind', () => {
    const refused = PLAN.candidates.slice(0, 2)
    expect(firstAfter(refused)).toBe(PLAN.candidates[2])
  })

  it.each<[kind: string, count: number, holds: (each: LaunchCandidate) => boolean]>([
    ['capacity type', 5, ({ choice }) => choice.capacityType === capacityType],
    ['family', 3, ({ choice, instanceType }) => choice.capacityType === capacityType && instanceType.family === family],
    ['zone', 3, ({ choice }) => choice.capacityType === capacityType && choice.zone === zone],
  ])('is of another %s after %i refusals, and not before', (_kind, count, holds) => {
    expect(holds(firstAfter(some(holds, count)))).toBe(false)
    const { candidates } = otherKindsFirst({ candidates: some(holds, 9).slice(count - 1) }, some(holds, count - 1))
    expect(candidates[0]).toBe(some(holds, count)[count - 1])
  })

  it('is of another kind later, the more claims learn from each refusal', () => {
    const holds = ({ choice }: LaunchCandidate) => choice.capacityType === capacityType
    const left = (count: number) => ({ candidates: PLAN.candidates.filter((each) => !some(holds, count).includes(each)) })
    const next = (count: number) => otherKindsFirst(left(count), some(holds, count), 3).candidates[0] ?? expect.fail('nothing is left')
    expect([holds(next(14)), holds(next(15))]).toEqual([true, false])
  })

  it('is of an offering that Azure made lately before others of its price, once their kind was refused a few times', () => {
    const known = PLAN.candidates.find((each) => each !== best && each.choice.price === best.choice.price)
    const dearer = PLAN.candidates.find((each) => each.choice.price !== best.choice.price)
    const next = (count: number, works: LaunchCandidate | undefined) => {
      const refused = PLAN.candidates.filter(({ choice }) => choice.capacityType === capacityType).slice(-count)
      return knownFirst(PLAN, refused, (each) => each === works)
    }
    expect(next(5, known).candidates[0]).toBe(known)
    expect(new Set(next(5, known).candidates)).toEqual(new Set(PLAN.candidates))
    expect([next(4, known), next(5, dearer), next(5, best)].map(({ candidates }) => candidates[0])).toEqual([best, best, best])
  })

  it('is the best one if all kinds are refused alike', () => {
    expect(firstAfter(PLAN.candidates.slice(0, -2))).toBe(PLAN.candidates.at(-2))
  })
})
