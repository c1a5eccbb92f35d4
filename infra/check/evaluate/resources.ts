// Resources: which resources a declaration makes, and what Azure would get for each.
import { type Expression, type Place, Refusal, type ResourceDeclaration } from '../parse/syntax.ts'
import { dependenciesOf } from './dependencies.ts'
import { evaluate, known, loop } from './expressions.ts'
import type { Frame } from './frame.ts'
import { resourceIdIn, scopeOf } from './scopes.ts'
import { attempt, type Template } from './session.ts'
import { kindOf, Open, openRead, ResourceHandle, resourcesIn, settle, type Value, type ValueObject } from './value.ts'

/** One of the resources of a declaration, with the frame of its body. */
type Instance = {
  readonly handle: ResourceHandle
  readonly object: Extract<Expression, { kind: 'object' }>
  readonly frame: Frame
  readonly declaration: ResourceDeclaration
  readonly owner: ResourceHandle | undefined
}

const instancesOfHandle = new WeakMap<ResourceHandle, Instance>()
/** Keys of a declaration that are not part of the body for Azure. */
const OWN_KEYS = new Set(['name', 'scope', 'parent', 'dependsOn'])

/** Returns the handle for the name of a resource, or a list of handles if the resource is a loop. */
export function resourceValue(template: Template, declaration: ResourceDeclaration, frame: Frame, owner?: ResourceHandle): Value {
  const one = (body: Expression, inner: Frame): ResourceHandle => {
    const isDeployed = (owner?.facts.isDeployed ?? true) && (body.kind === 'if' ? known(body.condition, inner) : true)
    const object = body.kind === 'if' ? body.body : body
    if (object.kind !== 'object') throw new Refusal(object, 'the body of a resource is an object')
    return handleOf(template, { declaration, object, frame: inner, owner }, isDeployed)
  }
  const { body } = declaration
  return body.kind === 'for' ? loop(body, frame, one) : one(body, frame)
}

function handleOf(template: Template, from: Omit<Instance, 'handle'>, isDeployed: boolean): ResourceHandle {
  const { declaration, object, frame } = from
  const part = (key: string): Value => {
    const found = object.properties.find((property) => keyOf(property.key) === key)
    return found === undefined ? null : evaluate(found.value, frame)
  }
  const declared = part('name')
  const laterName = declared instanceof Open && isKnownToModule(template, declaration, declared) ? declared : undefined
  const name = laterName === undefined ? declared : settle(laterName, (read) => openRead(read).text)
  if (typeof name !== 'string')
    throw new Refusal(declaration, `the name of ${declaration.name} must be known when the deployment starts, and is ${kindOf(name)}`)
  const parent = from.owner ?? part('parent')
  if (parent !== null && !(parent instanceof ResourceHandle))
    throw new Refusal(declaration, `the parent of ${declaration.name} is ${kindOf(parent)}, not one resource`)
  const { type, apiVersion } = typeOf(declaration, from.owner)
  const scopeValue = part('scope')
  const scope = parent === null ? (scopeValue === null ? template.frame.scope : scopeOf(scopeValue, declaration)) : parent.facts.scope
  const fullName = parent === null ? name : `${parent.facts.fullName}/${name}`
  const id = resourceIdIn(scope, type, fullName, declaration)
  const children = new Map<string, Value>()
  const handle: ResourceHandle = new ResourceHandle(
    { type, apiVersion, name, fullName, id, laterName, scope, isExisting: declaration.isExisting, isDeployed, place: declaration },
    (childName, place) => {
      const known = children.get(childName)
      if (known !== undefined) return known
      const nested = object.resources.find((each) => each.name === childName)
      if (nested === undefined) throw new Refusal(place, `${declaration.name} has no nested resource "${childName}"`)
      const value = resourceValue(template, nested, frame, handle)
      children.set(childName, value)
      return value
    },
  )
  instancesOfHandle.set(handle, { ...from, handle, owner: parent ?? undefined })
  return handle
}

/** A module begins when its parameters are known. So a name may depend on other modules, but not on resources of the same one. */
function isKnownToModule({ deploymentName }: Template, { file, isExisting }: ResourceDeclaration, name: Open): boolean {
  return deploymentName !== '' && !isExisting && name.reads.every((read) => read.file !== file)
}

function keyOf(key: Expression): string | undefined {
  return key.kind === 'text' && key.parts.length === 1 && typeof key.parts[0] === 'string' ? key.parts[0] : undefined
}

function typeOf(declaration: ResourceDeclaration, owner: ResourceHandle | undefined): { type: string; apiVersion: string } {
  const [path = '', version] = declaration.type.split('@')
  const type = owner === undefined || path.includes('.') ? path : `${owner.facts.type}/${path}`
  const apiVersion = version ?? owner?.facts.apiVersion
  if (apiVersion === undefined || !type.includes('/'))
    throw new Refusal(declaration, `"${declaration.type}" is no type with a version: Provider/type@2025-01-01`)
  return { type, apiVersion }
}

/** Evaluates all resources of the template. */
export function deployResources(template: Template): void {
  for (const declaration of template.file.declarations) {
    if (declaration.kind !== 'resource') continue
    attempt(template.session, () => {
      for (const handle of resourcesIn(template.frame.symbol(declaration.name, declaration))) deploy(template, handle)
    })
  }
}

function deploy(template: Template, handle: ResourceHandle): void {
  const instance = instancesOfHandle.get(handle)
  if (instance === undefined) return
  const { facts } = handle
  const { type, apiVersion, fullName: name, id, laterName, scope } = facts
  const place: Place = { file: facts.place.file, line: facts.place.line }
  if (facts.isDeployed) {
    const body = bodyOf(instance)
    if (facts.isExisting) {
      if (Object.keys(body).length > 0)
        throw new Refusal(
          place,
          `${instance.declaration.name} exists already: it has a name, a scope and a parent, and no ${Object.keys(body)[0]}`,
        )
      template.session.expected.push({ ...place, type, apiVersion, name, id, scope })
    } else {
      const dependsOn = [...new Set([...template.after, ...dependenciesOf(template, instance.object, instance.owner)])].filter(
        (each) => each !== id,
      )
      template.session.resources.push({
        ...place,
        type,
        apiVersion,
        name,
        id,
        laterName,
        scope,
        body,
        dependsOn,
        module: template.deploymentName,
      })
    }
  }
  for (const nested of instance.object.resources)
    attempt(template.session, () => {
      for (const child of resourcesIn(handle.child(nested.name, nested))) deploy(template, child)
    })
}

function bodyOf(instance: Instance): ValueObject {
  const properties = instance.object.properties.filter((property) => !OWN_KEYS.has(keyOf(property.key) ?? ''))
  const value = evaluate({ ...instance.object, properties, resources: [] }, instance.frame)
  return Object.fromEntries(Object.entries(value ?? {}))
}
