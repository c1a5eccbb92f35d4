import { describe, expect, it } from 'vitest'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { createManifestValidator } from '../../shared/wire/schema/validateManifest.ts'
import { MANIFEST_CASES } from './cases/manifestCases.ts'
import { evaluateRule } from './celRules.ts'
import { rulesOf, withoutIndexes } from './rulePlaces.ts'

const validate = createManifestValidator(evaluateRule)

const KINDS = Map.groupBy(MANIFEST_CASES, ({ kind, apiVersion }) => `${kind} ${apiVersion}`)

for (const [title, cases] of KINDS) {
  describe(title, () => {
    for (const { name, kind, apiVersion, object, old, at, says = '' } of cases) {
      it(name, () => {
        const found = validate(kind, apiVersion, object, old)
        if (at === undefined) expect(found).toEqual([])
        else expect(found.filter(({ path, message }) => path === at && message.includes(says))).not.toEqual([])
      })
    }
  })
}

describe('the table of manifests', () => {
  it('has many manifests, each under a name of its own', () => {
    const names = MANIFEST_CASES.map(({ kind, apiVersion, name }) => `${kind} ${apiVersion} ${name}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(MANIFEST_CASES.length).toBeGreaterThan(500)
  })

  for (const definition of RESOURCE_DEFINITIONS) {
    for (const { version, place, rule, message } of rulesOf(definitionManifest(definition))) {
      it(`has an accept and a refusal of ${definition.kind} ${version} ${place}: ${message}`, () => {
        const cases = KINDS.get(`${definition.kind} ${definition.group}/${version}`) ?? []
        const isTransition = rule.includes('oldSelf')
        const judged = cases.filter(
          ({ object, old }) => reaches(object, place) && (!isTransition || (old !== undefined && reaches(old, place))),
        )
        expect(judged.filter(({ at }) => at === undefined)).not.toEqual([])
        const broken = judged.filter(
          ({ at, says }) => at !== undefined && withoutIndexes(at) === place && message.includes(says ?? message),
        )
        expect(broken).not.toEqual([])
      })
    }
  }
})

/** Reports whether there is a value at the place. */
function reaches(value: unknown, place: string): boolean {
  if (place === '') return value !== undefined
  if (place.startsWith('[]')) return Array.isArray(value) && value.some((item) => reaches(item, place.slice(2).replace(/^\./, '')))
  const [, name = '', rest = ''] = /^([^.[]+)\.?(.*)$/.exec(place) ?? []
  return typeof value === 'object' && value !== null && reaches((value as { readonly [member: string]: unknown })[name], rest)
}

describe('a version that is not served', () => {
  it('is refused', () => {
    expect(validate('AKSNodeClass', 'karpenter.azure.com/v1', { metadata: { name: 'default' } })).toMatchObject([
      { code: 'NODECLASS.INVALID', path: 'apiVersion' },
    ])
  })
})
