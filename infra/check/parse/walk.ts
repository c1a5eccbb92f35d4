// Walks through expressions without evaluating them.
import type { Declaration, Expression } from './syntax.ts'

/** Returns the direct parts of an expression, bodies of nested resources included. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return []
    case 'text':
      return expression.parts.filter((part) => typeof part !== 'string')
    case 'array':
      return expression.items
    case 'object':
      return [...expression.properties.flatMap(({ key, value }) => [key, value]), ...expression.resources.map(({ body }) => body)]
    case 'for':
      return [expression.list, expression.body]
    case 'if':
      return [expression.condition, expression.body]
    case 'index':
      return [expression.of, expression.index]
    case 'member':
    case 'nested':
    case 'sure':
    case 'unary':
      return [expression.of]
    case 'binary':
      return [expression.left, expression.right]
    case 'choice':
      return [expression.condition, expression.yes, expression.no]
    case 'lambda':
      return [expression.body]
    case 'call':
      return [...(expression.on === undefined ? [] : [expression.on]), ...expression.given]
  }
}

/** Returns the expression and all its parts, however deep. */
export function everyPart(expression: Expression): readonly Expression[] {
  return [expression, ...partsOf(expression).flatMap(everyPart)]
}

export type NameUse = { readonly name: string; readonly nested: readonly string[]; readonly at: Expression }

/** Returns the names that an expression uses and does not bind itself, with the nested resources that follow by `::`. */
export function namesIn(expression: Expression, bound: ReadonlySet<string> = new Set()): readonly NameUse[] {
  if (expression.kind === 'name') return bound.has(expression.name) ? [] : [{ name: expression.name, nested: [], at: expression }]
  if (expression.kind === 'nested')
    return namesIn(expression.of, bound).map((use) => ({ ...use, nested: [...use.nested, expression.name] }))
  if (expression.kind === 'call' && expression.on?.kind === 'name' && ['sys', 'az'].includes(expression.on.name))
    return expression.given.flatMap((each) => namesIn(each, bound))
  if (expression.kind === 'for') {
    const inner = new Set([...bound, expression.item, ...(expression.index === undefined ? [] : [expression.index])])
    return [...namesIn(expression.list, bound), ...namesIn(expression.body, inner)]
  }
  if (expression.kind === 'lambda') return namesIn(expression.body, new Set([...bound, ...expression.parameters]))
  return partsOf(expression).flatMap((each) => namesIn(each, bound))
}

/** Returns the expressions of a declaration, and of its decorators. */
export function expressionsOf(declaration: Declaration): readonly Expression[] {
  const decorators = declaration.decorators.flatMap(({ given }) => given)
  switch (declaration.kind) {
    case 'param':
      return [...decorators, ...(declaration.fallback === undefined ? [] : [declaration.fallback])]
    case 'var':
    case 'output':
      return [...decorators, declaration.value]
    case 'type':
      return decorators
    case 'func':
    case 'resource':
    case 'module':
      return [...decorators, declaration.body]
  }
}
