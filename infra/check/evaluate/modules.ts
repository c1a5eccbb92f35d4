// Modules: deployments of another file, each with parameters and a scope of its own.
import { type Expression, type ModuleDeclaration, Refusal } from '../parse/syntax.ts'
import { dependenciesOf } from './dependencies.ts'
import { evaluate, known, loop } from './expressions.ts'
import type { Frame } from './frame.ts'
import { scopeOf } from './scopes.ts'
import { attempt, besides, type Template } from './session.ts'
import { isObject, kindOf, ModuleHandle, modulesIn, type Value, type ValueObject } from './value.ts'

const KEYS = new Set(['name', 'scope', 'params', 'dependsOn'])

/** Returns the handle for the name of a module, or a list of handles if the module is a loop. */
export function moduleValue(template: Template, declaration: ModuleDeclaration): Value {
  let count = 0
  const one = (body: Expression, inner: Frame): ModuleHandle => {
    const isDeployed = body.kind === 'if' ? known(body.condition, inner) : true
    const object = body.kind === 'if' ? body.body : body
    if (object.kind !== 'object') throw new Refusal(object, 'the body of a module is an object')
    count += 1
    return handleOf(template, declaration, { object, frame: inner, isDeployed, at: count - 1 })
  }
  const { body } = declaration
  return body.kind === 'for' ? loop(body, template.frame, one) : one(body, template.frame)
}

type Instance = {
  readonly object: Extract<Expression, { kind: 'object' }>
  readonly frame: Frame
  readonly isDeployed: boolean
  readonly at: number
}

function handleOf(template: Template, declaration: ModuleDeclaration, { object, frame, isDeployed, at }: Instance): ModuleHandle {
  const { session } = template
  const part = (key: string): Value => {
    const found = object.properties.find((property) => property.key.kind === 'text' && property.key.parts[0] === key)
    return found === undefined ? null : evaluate(found.value, frame)
  }
  for (const property of object.properties) {
    const key = evaluate(property.key, frame)
    if (typeof key !== 'string' || !KEYS.has(key))
      throw new Refusal(property, `a module has ${[...KEYS].join(', ')}, and no ${typeof key === 'string' ? key : kindOf(key)}`)
  }
  const given = part('name') ?? (declaration.body.kind === 'for' ? `${declaration.name}-${at}` : declaration.name)
  if (typeof given !== 'string')
    throw new Refusal(declaration, `the name of the module must be known when the deployment starts, and is ${kindOf(given)}`)
  const name = template.deploymentName === '' ? given : `${template.deploymentName}/${given}`
  const scopeValue = part('scope')
  const scope = scopeValue === null ? template.frame.scope : scopeOf(scopeValue, declaration)
  const file = session.load(besides(template.file.path, declaration.path), declaration)
  if (isDeployed && file.targetScope !== scope.kind)
    throw new Refusal(declaration, `${file.path} is for a ${file.targetScope}, and is deployed to a ${scope.kind}: give a scope`)
  let outputs: ValueObject | undefined
  let ids: readonly string[] = []
  const run = (): ValueObject => {
    if (outputs !== undefined) return outputs
    const parameters = part('params') ?? {}
    if (!isObject(parameters)) throw new Refusal(declaration, 'params is an object')
    const after = [...new Set([...template.after, ...dependenciesOf(template, object)])]
    const before = new Set(session.resources)
    outputs = template.runInner({ file, session, scope, deploymentName: name, parameters, after }, declaration)
    ids = session.resources
      .filter((each) => !before.has(each) && (each.module === name || each.module.startsWith(`${name}/`)))
      .map((each) => each.id)
    return outputs
  }
  const made = (): readonly string[] => {
    if (isDeployed) run()
    return ids
  }
  return new ModuleHandle(name, given, isDeployed, run, made)
}

/** Evaluates all modules of the template. */
export function runModules(template: Template): void {
  for (const declaration of template.file.declarations) {
    if (declaration.kind !== 'module') continue
    attempt(template.session, () => {
      for (const handle of modulesIn(template.frame.symbol(declaration.name, declaration))) if (handle.isDeployed) handle.outputs()
    })
  }
}
