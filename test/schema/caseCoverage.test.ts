import { describe, expect, it } from 'vitest'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import type { ManifestCase } from './cases/manifestCase.ts'
import { MANIFEST_CASES } from './cases/manifestCases.ts'
import { constraintsOf } from './constraints.ts'

/** The table must break every bound: it proves nothing about a bound that it leaves out. */
describe('the table of manifests', () => {
  for (const definition of RESOURCE_DEFINITIONS) {
    for (const { name, schema } of definitionManifest(definition).spec.versions) {
      it(`breaks every type, bound, pattern, enum and required field of ${definition.kind} ${name}`, () => {
        const cases = MANIFEST_CASES.filter(({ apiVersion, kind }) => kind === definition.kind && apiVersion.endsWith(`/${name}`))
        const constraints = constraintsOf(schema['openAPIV3Schema'] as { readonly [keyword: string]: unknown })
        expect(constraints.length).toBeGreaterThan(20)
        const unbroken = constraints.filter(({ place, isBrokenBy }) => !cases.some((one) => refusedAt(one, place, isBrokenBy)))
        expect(unbroken.map(({ place, keyword }) => `${place} ${keyword}`)).toEqual([])
      })
    }
  }
})

function refusedAt({ at, object }: ManifestCase, place: string, isBrokenBy: (value: unknown) => boolean): boolean {
  return at !== undefined && placeFits(at, place) && isBrokenBy(valueAt(object, at))
}

function placeFits(at: string, place: string): boolean {
  const [steps, wanted] = [at.replaceAll(/\[\d+\]/g, '.[]').split('.'), place.replaceAll('[]', '.[]').split('.')]
  return steps.length === wanted.length && wanted.every((step, index) => step === '*' || step === steps[index])
}

function valueAt(object: unknown, path: string): unknown {
  return path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .reduce<unknown>(
      (value, step) => (typeof value === 'object' && value !== null ? (value as { readonly [step: string]: unknown })[step] : undefined),
      object,
    )
}
