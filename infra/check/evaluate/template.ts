// One Bicep file with its parameters, deployed to one scope. A name is evaluated when it is first used, and once.
import { type FunctionDeclaration, type Place, Refusal } from '../parse/syntax.ts'
import { type FindType, outOfBounds, typeErrors } from './conform.ts'
import { evaluate } from './expressions.ts'
import { type Frame, withNames } from './frame.ts'
import { moduleValue, runModules } from './modules.ts'
import { deployResources, resourceValue } from './resources.ts'
import { attempt, besides, type Given, report, type Template } from './session.ts'
import { readsOf, type Value, type ValueObject } from './value.ts'

/** A name that is imported from another file, with the template of that file. */
type Imported = { readonly from: Template; readonly name: string }

export function createTemplate(given: Given): Template {
  const { file, session, scope, deploymentName, parameters, after } = given
  const declared = new Map(file.declarations.filter(({ kind }) => kind !== 'type' && kind !== 'output').map((each) => [each.name, each]))
  const types = new Map(file.declarations.flatMap((each) => (each.kind === 'type' ? [[each.name, each] as const] : [])))
  const imported = importsOf(given)
  const findType: FindType = (name) => {
    const own = types.get(name)
    if (own !== undefined) return { type: own.type, decorators: own.decorators, find: findType }
    const other = imported(name)
    return other?.from.findType(other.name)
  }
  const valueOf = (name: string, place: Place): Value => {
    const declaration = declared.get(name)
    if (declaration === undefined) {
      const other = imported(name)
      if (other === undefined) throw new Refusal(place, `"${name}" is not declared`)
      return other.from.frame.symbol(other.name, place)
    }
    switch (declaration.kind) {
      case 'param':
        return parameters[name] ?? (declaration.fallback === undefined ? null : evaluate(declaration.fallback, frame))
      case 'var':
        return evaluate(declaration.value, frame)
      case 'resource':
        return resourceValue(template, declaration, frame)
      case 'module':
        return moduleValue(template, declaration)
      case 'func':
      case 'type':
      case 'output':
        throw new Refusal(place, `"${name}" is no value`)
    }
  }
  const userFunction: Frame['userFunction'] = (name) => {
    const own = declared.get(name)
    if (own?.kind === 'func') return (values, place) => callDeclared(own, values, place, frame, findType)
    const other = imported(name)
    return other?.from.frame.userFunction(other.name)
  }
  const frame: Frame = {
    file: file.path,
    scope,
    deploymentName,
    deploymentContext: session.deploymentContext,
    symbol: onceEach(valueOf),
    userFunction,
    readText: (path) => session.readText(besides(file.path, path)),
  }
  const template: Template = { file, session, frame, declared: (name) => declared.get(name), after, deploymentName, findType, runInner }
  return template
}

function runInner(given: Given, place: Place): ValueObject {
  const inner = createTemplate(given)
  checkParameters(inner, given.parameters, place)
  return runTemplate(inner)
}

/** Evaluates each name once. Refuses a name that is used while it is being evaluated. */
function onceEach(valueOf: (name: string, place: Place) => Value): Frame['symbol'] {
  const values = new Map<string, Value>()
  const running = new Set<string>()
  return (name, place) => {
    const known = values.get(name)
    if (known !== undefined) return known
    if (running.has(name)) throw new Refusal(place, `"${name}" depends on itself`)
    running.add(name)
    try {
      const value = valueOf(name, place)
      values.set(name, value)
      return value
    } finally {
      running.delete(name)
    }
  }
}

function importsOf({ file, ...given }: Given): (name: string) => Imported | undefined {
  const libraries = new Map<string, Template>()
  return (name) => {
    for (const each of file.imports) {
      const found = each.names.find(({ alias }) => alias === name)
      if (found === undefined) continue
      const path = besides(file.path, each.path)
      const from = libraries.get(path) ?? createTemplate({ ...given, file: given.session.load(path, each), parameters: {} })
      libraries.set(path, from)
      return { from, name: found.name }
    }
    return undefined
  }
}

function callDeclared(own: FunctionDeclaration, given: readonly Value[], place: Place, frame: Frame, findType: FindType): Value {
  if (given.length !== own.parameters.length)
    throw new Refusal(place, `${own.name}() takes ${own.parameters.length} arguments, and ${given.length} are given`)
  const names: Record<string, Value> = {}
  for (const [at, parameter] of own.parameters.entries()) {
    const value = given[at] ?? null
    const [wrong] = typeErrors(value, parameter.type, findType, parameter.name)
    if (wrong !== undefined) throw new Refusal(place, `${own.name}(): ${wrong}`)
    names[parameter.name] = value
  }
  return evaluate(own.body, withNames(frame, names))
}

/** Checks parameters against their declarations. A wrong parameter becomes a finding at `place`, or at its declaration if `place` is undefined. */
export function checkParameters(template: Template, parameters: ValueObject, place?: Place): void {
  const { session, file } = template
  const declarations = file.declarations.filter((each) => each.kind === 'param')
  for (const name of Object.keys(parameters)) {
    if (!declarations.some((each) => each.name === name))
      report(session, place ?? { file: file.path, line: 1 }, 'parameters', `${file.path} has no parameter "${name}"`)
  }
  for (const declaration of declarations) {
    const at = place ?? declaration
    const given = parameters[declaration.name] ?? null
    const mayBeLeft = declaration.fallback !== undefined || declaration.type.kind === 'nullable'
    if (given === null && !mayBeLeft) report(session, at, 'parameters', `the parameter "${declaration.name}" of ${file.path} is missing`)
    attempt(session, () => {
      const value = template.frame.symbol(declaration.name, declaration)
      if (value === null) return
      const wrong = typeErrors(value, declaration.type, template.findType, declaration.name)
      for (const message of wrong.length > 0 ? wrong : outOfBounds(value, declaration.decorators, declaration.name))
        report(session, at, 'parameters', message)
    })
  }
}

/** Evaluates all resources and modules. Returns the outputs. */
export function runTemplate(template: Template): ValueObject {
  deployResources(template)
  runModules(template)
  const outputs: Record<string, Value> = {}
  for (const declaration of template.file.declarations) {
    if (declaration.kind !== 'output') continue
    attempt(template.session, () => {
      const value = evaluate(declaration.value, template.frame)
      const wrong = typeErrors(value, declaration.type, template.findType, `output ${declaration.name}`)
      for (const message of wrong) report(template.session, declaration, 'outputs', message)
      template.session.reads.push(...readsOf(value))
      outputs[declaration.name] = value
    })
  }
  return outputs
}
