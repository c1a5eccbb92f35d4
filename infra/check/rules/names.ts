// Rules about names: every used name is declared, and every declared name is used.

import { PLAIN_TYPES } from '../evaluate/conform.ts'
import { builtIn } from '../evaluate/functions/call.ts'
import { besides, type Finding } from '../evaluate/session.ts'
import type { BicepFile, Declaration, TypeSyntax } from '../parse/syntax.ts'
import { everyPart, expressionsOf, namesIn } from '../parse/walk.ts'
import { finding, type Rule } from './rule.ts'

const USED_BY_LINTER = {
  param: 'no-unused-params',
  var: 'no-unused-vars',
  func: 'no-unused-funcs',
  resource: 'no-unused-existing-resources',
  type: 'no-unused-types',
}

const isExported = (declaration: Declaration): boolean => declaration.decorators.some(({ name }) => name === 'export')

/** Returns the names, called functions and types that a declaration uses. */
function usesOf(declaration: Declaration): {
  readonly names: readonly string[]
  readonly calls: readonly string[]
  readonly types: readonly string[]
} {
  const bound = new Set(declaration.kind === 'func' ? declaration.parameters.map(({ name }) => name) : [])
  const expressions = expressionsOf(declaration)
  return {
    names: expressions.flatMap((expression) => namesIn(expression, bound).map(({ name }) => name)),
    calls: expressions.flatMap((expression) =>
      everyPart(expression).flatMap((part) => (part.kind === 'call' && part.on === undefined ? [part.name] : [])),
    ),
    types: typesOf(declaration).flatMap(namedTypes),
  }
}

function typesOf(declaration: Declaration): readonly TypeSyntax[] {
  if (declaration.kind === 'func') return [declaration.returns, ...declaration.parameters.map(({ type }) => type)]
  return declaration.kind === 'param' || declaration.kind === 'output' || declaration.kind === 'type' ? [declaration.type] : []
}

function namedTypes(type: TypeSyntax): readonly string[] {
  if (type.kind === 'named') return [type.name]
  if (type.kind === 'array' || type.kind === 'nullable') return namedTypes(type.of)
  if (type.kind === 'union') return type.options.flatMap(namedTypes)
  return type.kind === 'object'
    ? [...type.properties.map((property) => property.type), ...(type.others === undefined ? [] : [type.others])].flatMap(namedTypes)
    : []
}

const DECORATORS = new Set([
  'description',
  'metadata',
  'allowed',
  'minLength',
  'maxLength',
  'minValue',
  'maxValue',
  'secure',
  'export',
  'batchSize',
  'sealed',
])

export const undeclared: Rule = {
  name: 'undeclared',
  check: ({ files }) =>
    files.flatMap((file) => {
      const imported = new Set(file.imports.flatMap(({ names }) => names.map(({ alias }) => alias)))
      const has = (name: string, kinds: readonly Declaration['kind'][]): boolean =>
        imported.has(name) || file.declarations.some((each) => each.name === name && kinds.includes(each.kind))
      const missing = (at: Declaration, what: string, name: string): Finding =>
        finding('undeclared', at, `there is no ${what} "${name}" in ${file.path}`)
      return [
        ...missingImports(file, files),
        ...file.declarations.flatMap((declaration) => {
          const uses = usesOf(declaration)
          return [
            ...uses.names
              .filter((name) => !has(name, ['param', 'var', 'resource', 'module']))
              .map((name) => missing(declaration, 'name', name)),
            ...uses.calls
              .filter((name) => !has(name, ['func']) && builtIn(name) === undefined && !DECORATORS.has(name))
              .map((name) => missing(declaration, 'function', name)),
            ...uses.types
              .filter((name) => !has(name, ['type']) && !PLAIN_TYPES.includes(name))
              .map((name) => missing(declaration, 'type', name)),
            ...declaration.decorators
              .filter(({ name }) => !DECORATORS.has(name))
              .map(({ name }) => missing(declaration, 'decorator', name)),
          ]
        }),
        ...twice(file),
      ]
    }),
}

function twice(file: BicepFile): readonly Finding[] {
  return file.declarations.flatMap((declaration, at) => {
    const isTwice = file.declarations
      .slice(0, at)
      .some((each) => each.name === declaration.name && (each.kind === 'output') === (declaration.kind === 'output'))
    return isTwice ? [finding('undeclared', declaration, `"${declaration.name}" is declared twice`)] : []
  })
}

function missingImports(file: BicepFile, files: readonly BicepFile[]): readonly Finding[] {
  return file.imports.flatMap((each) => {
    const path = besides(file.path, each.path)
    const from = files.find((other) => other.path === path)
    if (from === undefined) return [finding('undeclared', each, `there is no file ${path}`)]
    return each.names.flatMap(({ name }) => {
      const found = from.declarations.find((declaration) => declaration.name === name)
      if (found === undefined) return [finding('undeclared', each, `${path} does not declare "${name}"`)]
      return isExported(found) ? [] : [finding('undeclared', each, `${path} does not export "${name}"`)]
    })
  })
}

export const unused: Rule = {
  name: 'unused',
  check: ({ files }) =>
    files.flatMap((file) => {
      const uses = file.declarations.map(usesOf)
      const used = new Set(uses.flatMap(({ names, calls, types }) => [...names, ...calls, ...types]))
      const imports = file.imports.flatMap((each) =>
        each.names
          .filter(({ alias }) => !used.has(alias))
          .map(({ alias }) => finding('no-unused-imports', each, `"${alias}" is imported and not used`)),
      )
      const declared = file.declarations.flatMap((declaration) => {
        if (declaration.kind === 'output' || declaration.kind === 'module' || used.has(declaration.name) || isExported(declaration))
          return []
        if (declaration.kind === 'resource' && !declaration.isExisting) return []
        return [finding(USED_BY_LINTER[declaration.kind], declaration, `"${declaration.name}" is not used`)]
      })
      return [...imports, ...declared]
    }),
}

/** Finds exports that no other file imports, and files that nothing deploys or imports. */
export const orphans: Rule = {
  name: 'orphans',
  check: ({ files, layers }) => {
    const named = new Set(
      files.flatMap((file) => file.imports.flatMap((each) => each.names.map(({ name }) => `${besides(file.path, each.path)}#${name}`))),
    )
    const reached = new Set([
      ...layers.map(({ main }) => main.path),
      ...files.flatMap((file) => [
        ...file.imports.map((each) => besides(file.path, each.path)),
        ...file.declarations.flatMap((each) => (each.kind === 'module' ? [besides(file.path, each.path)] : [])),
      ]),
    ])
    return files.flatMap((file) => [
      ...(reached.has(file.path) ? [] : [finding('orphans', { file: file.path, line: 1 }, 'no template deploys or imports this file')]),
      ...file.declarations
        .filter((each) => isExported(each) && !named.has(`${file.path}#${each.name}`))
        .map((each) => finding('orphans', each, `"${each.name}" is exported and not imported`)),
    ])
  },
}
