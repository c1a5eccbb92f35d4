import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../../scripts/floors.ts'
import type { DefinitionManifest } from '../../shared/wire/schema/definitionManifest.ts'

/** Versions of Karpenter whose definitions are compared. */
export const PUBLISHED_VERSIONS = ['1.14', '1.15'] as const
export type PublishedVersion = (typeof PUBLISHED_VERSIONS)[number]

/** The definitions as Azure published them, of 1.14. */
const AZURE = join(repositoryRoot, '..', 'shared', 'data', 'crd-contract')
/** The definitions of Karpenter itself. Azure adds rules on labels, and a category. */
const CORE = join(repositoryRoot, '..', 'shared', 'data', 'crd-contract-1.15')

export const arePublishedHere = existsSync(AZURE) && existsSync(CORE)

/** The names of the definitions of a version. */
export function publishedNames(version: PublishedVersion): readonly string[] {
  return readdirSync(version === '1.14' ? AZURE : CORE).map((file) => file.replace(/\.json$/, ''))
}

/** A definition as Azure publishes it. Azure has not published those of 1.15 yet, so they are Karpenter's with what Azure added before. */
export function publishedDefinition(name: string, version: PublishedVersion): DefinitionManifest {
  const azure = read(AZURE, name)
  if (version === '1.14' || !publishedNames(version).includes(name)) return azure
  const { metadata, spec, ...core } = read(CORE, name)
  const names = { ...spec.names, categories: azure.spec.names['categories'] }
  return withRulesOf({ ...core, metadata: { name: metadata.name }, spec: { ...spec, names } }, azure) as DefinitionManifest
}

function read(folder: string, name: string): DefinitionManifest {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

const RULES = 'x-kubernetes-validations'

/** The value with the rules that the other has beside its own at the same places. */
function withRulesOf(value: unknown, other: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withRulesOf(item, Array.isArray(other) ? other[index] : undefined))
  if (typeof value !== 'object' || value === null) return value
  const theirs = (other ?? {}) as { readonly [name: string]: unknown }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === RULES ? inBoth(member, theirs[name]) : withRulesOf(member, theirs[name]),
    ]),
  )
}

function inBoth(rules: unknown, others: unknown): readonly unknown[] {
  const [own, more] = [rules, others ?? []] as [readonly unknown[], readonly unknown[]]
  const known = new Set(own.map((rule) => JSON.stringify(rule)))
  return [...own, ...more.filter((rule) => !known.has(JSON.stringify(rule)))]
}
