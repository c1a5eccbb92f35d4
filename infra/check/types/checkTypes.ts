// Checks every evaluated resource against the type index: type, version, scope, name, body, and the reads of it.
import type { Evaluation } from '../evaluate/evaluate.ts'
import type { Scope } from '../evaluate/scope.ts'
import type { Finding } from '../evaluate/session.ts'
import { excuseOf } from './excuses.ts'
import { bodyErrors } from './holds.ts'
import { NAMES } from './names.ts'
import { typeOfRead } from './reads.ts'
import type { TypeIndex } from './typeIndex.ts'

/** Bits of the scopes in the type index. */
const SCOPES: { readonly [kind in Scope['kind']]: number } = { tenant: 1, subscription: 4, resourceGroup: 8, resource: 16 }

/**
 * Types that the type data lacks. The templates only name such a resource, as the scope of an assignment: they make none, and read nothing of it.
 * Source: Microsoft.Compute diskEncryptionSets, template reference (learn.microsoft.com), 2026-11.
 */
const EXISTING_ONLY: ReadonlySet<string> = new Set(['Microsoft.Compute/diskEncryptionSets@2024-03-02'])

export function checkTypes(evaluation: Evaluation, index: TypeIndex): readonly Finding[] {
  return [
    ...evaluation.resources.flatMap((resource) => {
      const { file, line, type, apiVersion, name, scope, body } = resource
      const definition = index.find(type, apiVersion)
      if (definition === undefined) return [{ file, line, rule: 'unknown-type', message: unknownType(type, apiVersion, index) }]
      const found: Finding[] = []
      if (definition.name !== `${type}@${apiVersion}`)
        found.push({ file, line, rule: 'unknown-type', message: `${type} is written ${definition.name.split('@')[0]}` })
      if ((definition.writableScopes & SCOPES[scope.kind]) === 0)
        found.push({ file, line, rule: 'scope-kind', message: `${type} cannot be deployed to a ${scope.kind}` })
      const shortName = name.split('/').at(-1) ?? ''
      for (const wrong of bodyErrors({ name: shortName, ...body }, definition.body, '', index)) {
        if (wrong.rule === 'open-literal' && excuseOf(type, wrong.path, wrong.message) !== undefined) continue
        found.push({ file, line, rule: wrong.rule, message: `${type} ${name}: ${wrong.path} ${wrong.message}` })
      }
      return [...found, ...wrongName(resource)]
    }),
    ...evaluation.expected.flatMap((resource) => {
      const { file, line, type, apiVersion } = resource
      if (index.find(type, apiVersion) === undefined && !EXISTING_ONLY.has(`${type}@${apiVersion}`))
        return [{ file, line, rule: 'unknown-type', message: unknownType(type, apiVersion, index) }]
      return wrongName(resource)
    }),
    ...evaluation.reads.flatMap((read) => {
      // Already reported for the resource.
      if (index.find(read.type, read.apiVersion) === undefined) return []
      const located = typeOfRead(read, index)
      return typeof located === 'string' ? [{ file: read.file, line: read.line, rule: 'read-path', message: located }] : []
    }),
  ]
}

function unknownType(type: string, apiVersion: string, index: TypeIndex): string {
  const versions = index.versionsOf(type)
  return versions.length === 0
    ? `${type}@${apiVersion} is no type that Azure knows`
    : `${type} has no version ${apiVersion}; the index has ${versions.join(', ')}`
}

/** Returns a finding if the name does not follow Azure's rules. The case of the type is checked elsewhere. */
function wrongName({
  type,
  name,
  file,
  line,
}: {
  readonly type: string
  readonly name: string
  readonly file: string
  readonly line: number
}): readonly Finding[] {
  const own = name.split('/').at(-1) ?? ''
  const rule = Object.entries(NAMES).find(([each]) => each.toLowerCase() === type.toLowerCase())?.[1]
  const wrong = (message: string): readonly Finding[] => [{ file, line, rule: 'name', message: `${type} ${name}: ${message}` }]
  if (rule === undefined) return wrong('which names this type takes is not in names.ts')
  if (own.length < rule.least || own.length > rule.most)
    return wrong(`a name has ${rule.least} to ${rule.most} characters, and this one ${own.length}`)
  return rule.pattern.test(own) ? [] : wrong(`a name matches ${rule.pattern.source}`)
}
