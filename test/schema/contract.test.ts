import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { definitionManifest, RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'

const CONTRACT = join(repositoryRoot, '..', 'shared', 'data', 'crd-contract')
const isHere = existsSync(CONTRACT)

/** Where our definitions differ from the published ones on purpose. Anything else that differs fails. */
const KNOWN_DIFFERENCES: { readonly [place: string]: string } = {
  'requirements.items.properties.values.maxLength':
    'published on the list itself, where it bounds nothing; the length of values is checked when a pool is validated',
  'requirements.items.properties.values.pattern':
    'published on the list itself, where it matches nothing; the form of values is checked when a pool is validated',
}

describe.skipIf(!isHere)(`definitions equal the published ones (skipped where ${'../shared/data'} is absent)`, () => {
  for (const definition of RESOURCE_DEFINITIONS) {
    const ours = definitionManifest(definition)
    it(`${ours.metadata.name} is the published definition, but for the differences listed`, () => {
      const theirs: unknown = JSON.parse(readFileSync(join(CONTRACT, `${ours.metadata.name}.json`), 'utf8'))
      expect(differences(ours, theirs).filter((place) => !isKnown(place))).toEqual([])
    })
    it(`${ours.metadata.name} has a rule wherever the published definition has one, and the same number of transition rules`, () => {
      const theirs: unknown = JSON.parse(readFileSync(join(CONTRACT, `${ours.metadata.name}.json`), 'utf8'))
      expect(rulePlaces(ours)).toEqual(rulePlaces(theirs))
    })
  }

  it('every difference listed is one there is', () => {
    const found = RESOURCE_DEFINITIONS.flatMap((definition) => {
      const ours = definitionManifest(definition)
      return differences(ours, JSON.parse(readFileSync(join(CONTRACT, `${ours.metadata.name}.json`), 'utf8')))
    })
    expect(Object.keys(KNOWN_DIFFERENCES).filter((known) => !found.some((place) => place.endsWith(known)))).toEqual([])
  })
})

describe('definitions', () => {
  it('have a description on every field', () => {
    const bare = RESOURCE_DEFINITIONS.flatMap((definition) => undescribed(definitionManifest(definition), ''))
    expect(bare).toEqual([])
  })
  it('have patterns the API server can read: no look-around, no back-references', () => {
    expect(patterns(RESOURCE_DEFINITIONS.map(definitionManifest)).filter((pattern) => /\(\?[=!<]|\\[1-9]/.test(pattern))).toEqual([])
  })
})

function isKnown(place: string): boolean {
  return Object.keys(KNOWN_DIFFERENCES).some((known) => place.endsWith(known))
}

type Json = { readonly [name: string]: unknown }

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Places where two manifests differ. Descriptions and rules' texts are our own; a list that is a set has no order. */
function differences(ours: unknown, theirs: unknown, path = ''): string[] {
  if (isRecord(ours) && isRecord(theirs)) {
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((name) => !isText(name, path))
    return names.flatMap((name) => differences(ours[name], theirs[name], `${path}.${name}`))
  }
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
    const [first, second] = isRecord(ours[0]) ? [ours, theirs] : [sorted(ours), sorted(theirs)]
    return first.flatMap((item, index) => differences(item, second[index], `${path}[${index}]`))
  }
  return JSON.stringify(comparable(ours)) === JSON.stringify(comparable(theirs)) ? [] : [path]
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return [...list].sort((first, second) => String(first).localeCompare(String(second), 'en'))
}

function isText(name: string, path: string): boolean {
  return (name === 'description' && !path.endsWith('.properties')) || name === 'x-kubernetes-validations'
}

/** A slash needs no escape in a pattern; both spellings mean the same. */
function comparable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\\/', '/') : value
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

function patterns(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patterns)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) => (name === 'pattern' && typeof member === 'string' ? [member] : patterns(member)))
}
