import { describe, expect, it } from 'vitest'
import { UNDEFINED_ALLOWED_LABELS } from '../../shared/model/labels.ts'
import { validateClaimRequirements } from '../../shared/model/requirementSpecs.ts'
import type { Operator, RequirementSpec } from '../../shared/model/requirements.ts'
import { createManifestValidator } from '../../shared/wire/schema/validateManifest.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { evaluateRule } from './celRules.ts'

const validate = createManifestValidator(evaluateRule)
const OPERATORS: readonly Operator[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']
const KEYS: readonly string[] = [...UNDEFINED_ALLOWED_LABELS, 'team', 'example.com/team', 'karpenter.sh/other', 'a/b/c']
const VALUES: readonly string[] = ['a', '1', '-1', 'x y', 'spot', 'on-demand', 'b'.repeat(64)]

/** Reports whether the shipped definition accepts a NodeClaim with these requirements. */
function isAccepted(requirements: readonly RequirementSpec[]): boolean {
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }
  const manifest = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'x' }, spec: { nodeClassRef, requirements } }
  return validate('NodeClaim', 'karpenter.sh/v1', manifest).length === 0
}

function randomRequirement(random: Random): RequirementSpec {
  const operator = random.pick(OPERATORS)
  const values = operator === 'Exists' || operator === 'DoesNotExist' ? [] : random.some(VALUES, 0.3)
  return { key: random.pick(KEYS), operator, values, ...(random.chance(0.3) ? { minValues: random.int(4) } : {}) }
}

describe('requirements of a NodeClaim that pass the check before it is made', () => {
  it('pass the definition as well', () => {
    const random = createRandom(46)
    const lists = Array.from({ length: 600 }, () => Array.from({ length: 1 + random.int(2) }, () => randomRequirement(random)))
    const passing = lists.filter((list) => validateClaimRequirements(list).length === 0)
    expect(passing.length).toBeGreaterThan(50)
    expect(passing.filter((list) => !isAccepted(list))).toEqual([])
  })

  it('are at most as many as the definition allows', () => {
    const of = (count: number) =>
      Array.from({ length: count }, (_, index): RequirementSpec => ({ key: `l${index}`, operator: 'Exists', values: [] }))
    expect([isAccepted(of(100)), validateClaimRequirements(of(100)).length]).toEqual([true, 0])
    expect([isAccepted(of(101)), validateClaimRequirements(of(101)).length]).toEqual([false, 1])
  })
})
