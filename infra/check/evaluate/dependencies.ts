// What must be deployed before a resource or module: every resource and module that its declaration names, directly or through variables.
import type { Declaration, Expression } from '../parse/syntax.ts'
import { namesIn } from '../parse/walk.ts'
import type { Template } from './session.ts'
import { modulesIn, type ResourceHandle, resourcesIn } from './value.ts'

/** Returns the ids of the dependencies. If a loop is named, all its resources count, because only the values tell which of them is meant. */
export function dependenciesOf(template: Template, body: Expression, owner?: ResourceHandle): readonly string[] {
  const ids = new Set<string>()
  const seen = new Set<string>()
  const visit = (expression: Expression): void => {
    for (const use of namesIn(expression)) {
      const key = [use.name, ...use.nested].join('::')
      if (seen.has(key)) continue
      seen.add(key)
      const declaration = template.declared(use.name)
      if (declaration?.kind === 'var') visit(declaration.value)
      if (declaration?.kind === 'resource' && declaration.isExisting) visit(declaration.body)
      if (declaration !== undefined) addNamed(template, declaration, use.nested, ids)
    }
  }
  visit(body.kind === 'object' ? { ...body, resources: [] } : body)
  if (owner !== undefined) addMade(ids, owner)
  return [...ids]
}

function addNamed(template: Template, declaration: Declaration, nested: readonly string[], ids: Set<string>): void {
  if (declaration.kind !== 'module' && declaration.kind !== 'resource') return
  const value = template.frame.symbol(declaration.name, declaration)
  for (const id of modulesIn(value).flatMap((module) => module.made())) ids.add(id)
  let handles = resourcesIn(value)
  for (const handle of handles) addMade(ids, handle)
  for (const child of nested) {
    handles = handles.flatMap((handle) => resourcesIn(handle.child(child, declaration)))
    for (const handle of handles) addMade(ids, handle)
  }
}

function addMade(ids: Set<string>, { facts }: ResourceHandle): void {
  if (facts.isDeployed && !facts.isExisting) ids.add(facts.id)
}
