/** The checkers of what one new claim says: its definition, and its first choice. */
import { describe, expect, it } from 'vitest'
import { nodeClaimName, nodePoolName, vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { LaunchChoice } from '../../shared/model/instance.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import { microUsdPerHour } from '../../shared/model/units.ts'
import { hence, MINUTE } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { snapshot } from '../builders/snapshot.ts'
import { checkChoice } from './checkChoice.ts'
import { checkDefinition } from './checkDefinition.ts'

const SIZES = ['small', 'large'] as const
const OF_SIZES: RequirementSpec = { key: LABEL.instanceType, operator: 'In', values: SIZES }

function claimOf(requirements: readonly RequirementSpec[], name = 'default-a') {
  const draft = {
    name: nodeClaimName(name),
    nodePool: nodePoolName('default'),
    labels: { [LABEL.nodePool]: 'default' },
    annotations: {},
    spec: { ...nodeClaim().spec, requirements },
  }
  return { kind: 'createClaim', draft, pods: [], alternatives: 1 } as const
}

/** Requirements that the API server refuses, with what it says. */
const REFUSED: { readonly [sentence: string]: { readonly requirements: readonly RequirementSpec[]; readonly says: RegExp } } = {
  'more than a hundred': {
    requirements: Array.from({ length: 101 }, (_, index) => ({ key: `label-${index}`, operator: 'Exists', values: [] })),
    says: /requirements.*100/,
  },
  'more minimum values than there may be': { requirements: [{ ...OF_SIZES, minValues: 51 }], says: /minValues/ },
  'more minimum values than values': { requirements: [{ ...OF_SIZES, minValues: 3 }], says: /minValues/ },
  'no value': { requirements: [{ ...OF_SIZES, values: [] }], says: /value/ },
  'a label that is restricted': {
    requirements: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] }],
    says: /restricted|hostname/,
  },
}

describe('the checker of the definition', () => {
  for (const [sentence, { requirements, says }] of Object.entries(REFUSED)) {
    it(`sees ${sentence}, and names the claim each time`, () => {
      for (const name of ['default-a', 'default-b']) {
        const found = checkDefinition(claimOf(requirements, name))
        expect(found[0]).toEqual({ rule: 'definition', subject: `claim ${name}`, message: expect.stringMatching(says) })
      }
    })
  }

  it('lets pass as many as there may be', () => {
    const hundred = Array.from({ length: 100 }, (_, index): RequirementSpec => ({ key: `label-${index}`, operator: 'Exists', values: [] }))
    expect(checkDefinition(claimOf(hundred))).toEqual([])
    expect(checkDefinition(claimOf([{ ...OF_SIZES, minValues: 2 }]))).toEqual([])
  })
})

type Choice = {
  readonly choice: Partial<LaunchChoice>
  readonly says?: string
  readonly unpriced?: true
  readonly demoted?: readonly string[]
  /** The price of the larger size. */
  readonly large?: number
}

const CHOICES: { readonly [sentence: string]: Choice } = {
  'the cheapest': { choice: {} },
  'another zone at the same price': { choice: { zone: zoneName('eastus-2') } },
  'a size that is dearer': {
    choice: { size: vmSizeName('large'), price: microUsdPerHour(200_000) },
    says: 'its choice is not the cheapest',
  },
  'a demoted size while another one costs twice as much': { choice: {}, demoted: ['small'], says: 'its choice is not the cheapest' },
  'a demoted size while another one costs five times as much': { choice: {}, demoted: ['small'], large: 0.5 },
  'the dearer one of a demoted size and another one that costs five times as much': {
    choice: { size: vmSizeName('large'), price: microUsdPerHour(500_000) },
    demoted: ['small'],
    large: 0.5,
    says: 'its choice is not the cheapest',
  },
  'a dearer size than the demoted one': { choice: { size: vmSizeName('large'), price: microUsdPerHour(200_000) }, demoted: ['small'] },
  'the cheapest of demoted sizes': { choice: {}, demoted: ['small', 'large'] },
  'a demoted size that is dearer than another one': {
    choice: { size: vmSizeName('large'), price: microUsdPerHour(200_000) },
    demoted: ['small', 'large'],
    says: 'its choice is not the cheapest',
  },
  'a price that is not its own': { choice: { price: microUsdPerHour(90_000) }, says: 'its choice has another price' },
  'a size that nobody sells': { choice: { size: vmSizeName('none') }, says: 'its choice is not for sale' },
  'a zone that nobody sells it in': { choice: { zone: zoneName('eastus-9') }, says: 'its choice is not for sale' },
  'a capacity type that it is not sold as': { choice: { capacityType: 'spot' }, says: 'its choice is not for sale' },
  'an offering without a price while others have one': {
    choice: { size: vmSizeName('large') },
    unpriced: true,
    says: 'its choice is not the cheapest',
  },
}

describe('the checker of the first choice', () => {
  for (const [sentence, { choice, says, unpriced, demoted = [], large: dearer = 0.2 }] of Object.entries(CHOICES)) {
    it(`${says === undefined ? 'lets pass' : 'sees'} ${sentence}`, () => {
      const large = unpriced ? { price: null } : { price: dearer }
      const types = [
        instanceType({ name: 'small', price: 0.1, spotPrice: null }),
        instanceType({ name: 'large', ...large, spotPrice: null }),
      ]
      const first = {
        size: vmSizeName('small'),
        zone: zoneName('eastus-1'),
        capacityType: 'on-demand',
        price: microUsdPerHour(100_000),
      } as const
      const { price, ...rest } = { ...first, ...choice }
      const create = { ...claimOf([OF_SIZES]), choice: unpriced ? rest : { ...rest, price } }
      const found = checkChoice(
        {
          ...snapshot({ types }),
          demoted: demoted.map((name) => ({ size: vmSizeName(name), because: 'notBooted', until: hence(MINUTE) })),
        },
        create,
      )
      expect(found).toEqual(says === undefined ? [] : [{ rule: 'choice', subject: 'claim default-a', message: says }])
    })
  }

  it('lets pass any offering where none has a price', () => {
    const types = [instanceType({ name: 'small', price: null, spotPrice: null })]
    const choice = { size: vmSizeName('small'), zone: zoneName('eastus-1'), capacityType: 'on-demand' } as const
    expect(checkChoice(snapshot({ types }), { ...claimOf([OF_SIZES]), choice })).toEqual([])
  })
})
