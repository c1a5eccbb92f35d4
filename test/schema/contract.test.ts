import { describe, expect, it } from 'vitest'
import { type DefinitionManifest, definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { arePublishedHere, PUBLISHED_VERSIONS, type PublishedVersion, publishedDefinition, publishedNames } from './published.ts'
import { rulesOf } from './rulePlaces.ts'

/** Compares the definitions with the published ones, which have no descriptions. The rules are compared elsewhere. */
describe.skipIf(!arePublishedHere)(
  `definitions equal the published ones${arePublishedHere ? '' : ' (skipped: ../shared/data is absent)'}`,
  () => {
    it('all published definitions are ours too', () => {
      expect(RESOURCE_DEFINITIONS.map((definition) => definitionManifest(definition).metadata.name).sort()).toEqual(
        [...publishedNames('1.14')].sort(),
      )
    })

    for (const version of PUBLISHED_VERSIONS) {
      for (const definition of RESOURCE_DEFINITIONS) {
        const ours = definitionManifest(definition)
        const { name } = ours.metadata
        it(`${name} is the published definition of ${version}`, () => {
          const other = differences(withoutAdded(ours, version), publishedDefinition(name, version))
          expect(other.map((text) => text.replace(/ours \{.*, published absent$/, 'ours'))).toEqual(LATER[version][name] ?? [])
        })
        it(`${name} has a rule wherever the definition of ${version} has one, and the same number of transition rules`, () => {
          expect(rulePlaces(ours)).toEqual(rulePlaces(publishedDefinition(name, version)))
        })
      }
    }

    it('the texts of rules and messages are our own', () => {
      const words = (text: string): string => text.replaceAll(/\s+/g, '').replaceAll('"', "'").toLowerCase()
      const textsOf = (definition: { readonly spec: unknown }) =>
        rulesOf(definition).flatMap(({ rule, message }) => [rule, message].map((text) => words(text)))
      const published = new Set(
        RESOURCE_DEFINITIONS.flatMap(({ plural, group }) =>
          PUBLISHED_VERSIONS.flatMap((version) => textsOf(publishedDefinition(`${plural}.${group}`, version))),
        ),
      )
      expect(
        RESOURCE_DEFINITIONS.map(definitionManifest)
          .flatMap(textsOf)
          .filter((text) => published.has(text)),
      ).toEqual([])
    })

    it('no published definition converts: the versions of one kind have the same fields', () => {
      for (const definition of [
        ...RESOURCE_DEFINITIONS.map(definitionManifest),
        publishedDefinition('aksnodeclasses.karpenter.azure.com', '1.14'),
      ]) {
        expect(definition.spec).not.toHaveProperty('conversion')
        const schemas = definition.spec.versions.map(({ schema }) => schema)
        for (const schema of schemas) expect(schema).toEqual(schemas[0])
      }
    })

    it('a difference is told with its place and both values', () => {
      const ours = { spec: { versions: [{ name: 'v1', served: true }], names: { shortNames: ['b', 'a'] } } }
      const theirs = { spec: { versions: [{ name: 'v1', served: false }], names: { shortNames: ['a', 'b'], kind: 'A' } } }
      expect(differences(ours, theirs)).toEqual([
        'spec.versions[0].served: ours true, published false',
        'spec.names.kind: ours absent, published "A"',
      ])
    })
  },
)

describe('definitions', () => {
  it('have a description on every field but metadata, of which none is allowed', () => {
    const bare = RESOURCE_DEFINITIONS.flatMap((definition) => undescribed(definitionManifest(definition), ''))
    expect(bare.filter((place) => !place.endsWith('.openAPIV3Schema.metadata'))).toEqual([])
  })
  it('refuse a negative amount wherever people write amounts', () => {
    const seen: string[] = []
    for (const definition of RESOURCE_DEFINITIONS) {
      const manifest = definitionManifest(definition)
      const rules = rulesOf(manifest).map(({ message }) => message)
      for (const { name, schema } of manifest.spec.versions) {
        const written = amountsIn(schema['openAPIV3Schema'], '').filter((place) => place.startsWith('spec.'))
        const unguarded = written.filter((place) => !rules.includes(`${place.slice('spec.'.length)} cannot be negative`))
        expect(unguarded, `${manifest.metadata.name} ${name}`).toEqual([])
        seen.push(...written)
      }
    }
    expect(seen.sort()).toEqual(['spec.capacity', 'spec.limits', 'spec.limits', 'spec.resources.requests'])
  })
  it('have patterns the API server can read: no look-around, no back-references', () => {
    expect(patterns(RESOURCE_DEFINITIONS.map(definitionManifest)).filter((pattern) => /\(\?[=!<]|\\[1-9]/.test(pattern))).toEqual([])
  })
})

/** Columns that the published definition does not have. They are shown by `-o wide` only. */
const ADDED_COLUMNS: { readonly [Version in PublishedVersion]: { readonly [definition: string]: readonly string[] } } = {
  '1.14': { 'nodeclaims.karpenter.sh': ['ImageID', 'ID', 'Price'] },
  '1.15': { 'nodeclaims.karpenter.sh': ['Price'] },
}

type Column = { readonly name: string; readonly priority?: number }

function withoutAdded({ spec, ...ours }: DefinitionManifest, published: PublishedVersion): unknown {
  const added = ADDED_COLUMNS[published][ours.metadata.name] ?? []
  const isAdded = ({ name, priority }: Column) => priority === 1 && added.includes(name)
  const versions = spec.versions.map(({ additionalPrinterColumns: columns, ...version }) => ({
    ...version,
    additionalPrinterColumns: (columns as readonly Column[]).filter((column) => !isAdded(column)),
  }))
  return { ...ours, spec: { ...spec, versions } }
}

/** The field of a class that Azure/karpenter-provider-azure has since pull request 1339, September 2026, after both copies were made. */
const OS_DISK_TYPE = [0, 1].map((index) => `spec.versions[${index}].schema.openAPIV3Schema.properties.spec.properties.osDiskType: ours`)
const DISRUPTION = 'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.disruption'

/** What ours have of a later version than the published one. */
const LATER: { readonly [Version in PublishedVersion]: { readonly [definition: string]: readonly string[] } } = {
  '1.14': {
    'aksnodeclasses.karpenter.azure.com': OS_DISK_TYPE,
    'nodepools.karpenter.sh': [
      `${DISRUPTION}.properties.consolidateAfter.default: ours "0s", published absent`,
      `${DISRUPTION}.properties.budgets.items.properties.reasons.items.enum: ours ["Empty","Underutilized","Drifted","Unhealthy"], published ["Underutilized","Empty","Drifted"]`,
      `${DISRUPTION}.required: ours absent, published ["consolidateAfter"]`,
    ],
  },
  '1.15': { 'aksnodeclasses.karpenter.azure.com': OS_DISK_TYPE },
}

type Json = { readonly [name: string]: unknown }

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The places in which two manifests differ. Descriptions and texts of rules may differ. Lists that are sets have no order. */
function differences(ours: unknown, theirs: unknown, path = ''): string[] {
  if (isRecord(ours) && isRecord(theirs)) {
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((name) => !isText(name, path))
    return names.flatMap((name) => differences(ours[name], theirs[name], path === '' ? name : `${path}.${name}`))
  }
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
    const [first, second] = isRecord(ours[0]) ? [ours, theirs] : [sorted(ours), sorted(theirs)]
    return first.flatMap((item, index) => differences(item, second[index], `${path}[${index}]`))
  }
  const [first, second] = [shown(ours), shown(theirs)]
  return first === second ? [] : [`${path}: ours ${first}, published ${second}`]
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return [...list].sort((first, second) => String(first).localeCompare(String(second), 'en'))
}

function isText(name: string, path: string): boolean {
  return (name === 'description' && !path.endsWith('.properties')) || name === 'x-kubernetes-validations'
}

/** The value as JSON. In a pattern, a slash with and without an escape means the same. */
function shown(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(typeof value === 'string' ? value.replaceAll('\\/', '/') : value)
}

function rulePlaces(value: unknown, path = ''): { place: string; transitions: number }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => rulePlaces(item, `${path}[${index}]`))
  if (!isRecord(value)) return []
  const rules = value['x-kubernetes-validations']
  const here = Array.isArray(rules)
    ? [{ place: path, transitions: rules.filter((rule) => JSON.stringify(rule).includes('oldSelf')).length }]
    : []
  const names = Object.keys(value).sort()
  return [...here, ...names.flatMap((name) => (name === 'x-kubernetes-validations' ? [] : rulePlaces(value[name], `${path}.${name}`)))]
}

function undescribed(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => undescribed(item, `${path}[${index}]`))
  if (!isRecord(value)) return []
  const properties = isRecord(value['properties']) ? value['properties'] : {}
  const bare = Object.entries(properties).filter(([, schema]) => isRecord(schema) && schema['description'] === undefined)
  const below = Object.entries(value).flatMap(([name, member]) => undescribed(member, `${path}.${name}`))
  return [...bare.map(([name]) => `${path}.${name}`), ...below]
}

/** The places of the maps of quantities. */
function amountsIn(schema: unknown, path: string): readonly string[] {
  if (!isRecord(schema)) return []
  const { additionalProperties: values, properties, items } = schema
  if (isRecord(values) && values['x-kubernetes-int-or-string'] === true) return [path]
  const members = isRecord(properties) ? Object.entries(properties) : []
  const below = members.flatMap(([name, member]) => amountsIn(member, path === '' ? name : `${path}.${name}`))
  return [...below, ...amountsIn(items, `${path}[]`), ...amountsIn(values, `${path}.*`)]
}

function patterns(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patterns)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) => (name === 'pattern' && typeof member === 'string' ? [member] : patterns(member)))
}
