// Rules about what ARM must know before it starts: names, scopes, conditions and lists of loops. They may use parameters, variables and ids. They may
// not use what is read from a resource, or what a module of the same file returns.
import { besides } from '../evaluate/session.ts'
import {
  type BicepFile,
  type Declaration,
  type Expression,
  type ModuleDeclaration,
  plainText,
  type ResourceDeclaration,
} from '../parse/syntax.ts'
import { everyPart, expressionsOf } from '../parse/walk.ts'
import { finding, type Rule } from './rule.ts'

const KNOWN_OF_RESOURCE = new Set(['id', 'name', 'type', 'apiVersion'])

/** Returns the first part of an expression that is only known while the deployment runs. Follows variables. */
export function lateIn(expression: Expression, file: BicepFile, seen: ReadonlySet<string> = new Set()): Expression | undefined {
  for (const part of everyPart(expression)) {
    if (part.kind === 'member' && isLateMember(part, file)) return part
    if (part.kind !== 'name' || seen.has(part.name)) continue
    const variable = file.declarations.find((each) => each.kind === 'var' && each.name === part.name)
    const late = variable?.kind === 'var' ? lateIn(variable.value, file, new Set([...seen, part.name])) : undefined
    if (late !== undefined) return part
  }
  return undefined
}

function isLateMember({ of, name }: Extract<Expression, { kind: 'member' }>, file: BicepFile): boolean {
  let base = of
  while (base.kind === 'sure' || base.kind === 'index') base = base.of
  if (base.kind === 'nested') return !KNOWN_OF_RESOURCE.has(name)
  const symbol = base.kind === 'name' ? base.name : ''
  const declaration = file.declarations.find((each) => each.name === symbol && (each.kind === 'resource' || each.kind === 'module'))
  if (declaration === undefined) return false
  return declaration.kind === 'module' ? name === 'outputs' : !KNOWN_OF_RESOURCE.has(name)
}

/** Returns the expressions of a body that must be known at the start, with what each is. */
export function needing(body: Expression): readonly { readonly what: string; readonly expression: Expression }[] {
  if (body.kind === 'for') return [{ what: 'the list of a loop', expression: body.list }, ...needing(body.body)]
  if (body.kind === 'if') return [{ what: 'a condition', expression: body.condition }, ...needing(body.body)]
  if (body.kind !== 'object') return []
  return body.properties.flatMap(({ key, value }) => {
    const name = key.kind === 'text' ? key.parts[0] : ''
    if (name === 'name') return [{ what: 'a name', expression: value }]
    return name === 'scope' ? [{ what: 'a scope', expression: value }] : []
  })
}

/** Returns a module, or a resource with all its nested resources. */
export function withBody(declaration: Declaration): readonly (ResourceDeclaration | ModuleDeclaration)[] {
  if (declaration.kind === 'module') return [declaration]
  return declaration.kind === 'resource' ? [declaration, ...nestedIn(declaration.body)] : []
}

const nestedIn = (body: Expression): readonly ResourceDeclaration[] =>
  everyPart(body).flatMap((part) => (part.kind === 'object' ? part.resources : []))

export const knownAtStart: Rule = {
  name: 'known-at-start',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap(withBody).flatMap((declaration) =>
        needing(declaration.body).flatMap(({ what, expression }) => {
          const late = lateIn(expression, file)
          return late === undefined
            ? []
            : [finding('known-at-start', late, `${what} of ${declaration.name} must be known when the deployment of ${file.path} starts`)]
        }),
      ),
    ),
}

/** Refuses names that differ at each deployment: they would create all resources again. */
export const stableNames: Rule = {
  name: 'use-stable-resource-identifiers',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap((declaration) => {
        if (declaration.kind !== 'resource' && declaration.kind !== 'module') return []
        return needing(declaration.body).flatMap(({ what, expression }) =>
          what === 'a name' && leansOnTime(expression, file)
            ? [finding('use-stable-resource-identifiers', expression, 'the name is another one at each deployment')]
            : [],
        )
      }),
    ),
}

function leansOnTime(expression: Expression, file: BicepFile, seen: ReadonlySet<string> = new Set()): boolean {
  return everyPart(expression).some((part) => {
    if (part.kind === 'call') return part.name === 'utcNow' || part.name === 'newGuid'
    if (part.kind !== 'name' || seen.has(part.name)) return false
    const declaration = file.declarations.find((each) => each.name === part.name && (each.kind === 'var' || each.kind === 'param'))
    return declaration !== undefined && expressionsOf(declaration).some((each) => leansOnTime(each, file, new Set([...seen, part.name])))
  })
}

/**
 * Checks that the file of every module exists, that its parameters exist, and that parameters without a default are given. Also covers modules that
 * no set of parameters deploys.
 */
export const moduleParameters: Rule = {
  name: 'module-parameters',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap((declaration) => {
        if (declaration.kind !== 'module') return []
        const path = besides(file.path, declaration.path)
        const inner = files.find((each) => each.path === path)
        if (inner === undefined) return [finding('module-parameters', declaration, `there is no file ${path}`)]
        const given = everyPart(declaration.body)
          .flatMap((part) => (part.kind === 'object' ? part.properties : []))
          .find(({ key }) => key.kind === 'text' && key.parts[0] === 'params')
        const names = given?.value.kind === 'object' ? given.value.properties.flatMap(({ key }) => plainText(key) ?? []) : []
        const parameters = inner.declarations.filter((each) => each.kind === 'param')
        return [
          ...names.filter((name) => !parameters.some((each) => each.name === name)).map((name) => `${path} has no parameter "${name}"`),
          ...parameters
            .filter((each) => each.fallback === undefined && each.type.kind !== 'nullable' && !names.includes(each.name))
            .map((each) => `the parameter "${each.name}" of ${path} is missing`),
          ...parameters
            .filter((each) => each.fallback !== undefined && each.name === 'location' && !names.includes('location'))
            .map(() => `give the parameter "location" of ${path} (explicit-values-for-loc-params)`),
        ].map((message) => finding('module-parameters', declaration, message))
      }),
    ),
}
