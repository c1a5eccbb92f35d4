// Checks that assigned roles and granted actions exist. Azure accepts a misspelt action without an error and grants nothing.
import { isList, isObject, type Value } from '../evaluate/value.ts'
import { type BicepFile, type Declaration, type Expression, plainText, type ResourceDeclaration } from '../parse/syntax.ts'
import { everyPart, expressionsOf, namesIn } from '../parse/walk.ts'
import { at, finding, type Resource, type RoleTable, type Rule } from './rule.ts'

/** Actions that no built-in role names in full, each with the page that documents it. */
const OTHER_ACTIONS: { readonly [action: string]: string } = {
  'Microsoft.Compute/locations/communityGalleries/images/versions/read':
    'Azure permissions for Compute, learn.microsoft.com, 2026-03: reads versions of an image of a community gallery',
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const roles: Rule = {
  name: 'roles',
  check: ({ layers, roles: table }) => {
    if (table === undefined) return []
    const known = new Set([...table.values()].flatMap(({ actions }) => actions.map((action) => action.toLowerCase())))
    return layers.flatMap(({ evaluations }) =>
      evaluations.flatMap(({ resources }) => {
        const own = new Set(resources.flatMap(assignableIds))
        return resources.flatMap((resource) => {
          if (resource.type === 'Microsoft.Authorization/roleAssignments')
            return wrongAssignment(at(resource, 'properties.roleDefinitionId'), own, table).map((message) =>
              finding('roles', resource, message),
            )
          if (resource.type !== 'Microsoft.Authorization/roleDefinitions') return []
          return wrongActions(at(resource, 'properties.permissions'), known).map((message) => finding('roles', resource, message))
        })
      }),
    )
  },
}

/** Returns the ids of a role definition: it has one in each scope in which it can be assigned. */
function assignableIds(resource: Resource): readonly string[] {
  if (resource.type !== 'Microsoft.Authorization/roleDefinitions') return []
  const scopes = at(resource, 'properties.assignableScopes')
  const name = resource.id.slice(resource.id.lastIndexOf('/') + 1)
  return (scopes !== undefined && isList(scopes) ? scopes : []).flatMap((scope) =>
    typeof scope === 'string' ? [`${scope}/providers/Microsoft.Authorization/roleDefinitions/${name}`.toLowerCase()] : [],
  )
}

function wrongAssignment(value: Value, own: ReadonlySet<string>, table: RoleTable): readonly string[] {
  if (typeof value !== 'string') return ['which role is assigned must be known when the deployment starts']
  const id = value.split('/').at(-1) ?? ''
  if (!value.toLowerCase().endsWith(`/providers/microsoft.authorization/roledefinitions/${id.toLowerCase()}`))
    return [`${value} is no id of a role definition`]
  return own.has(value.toLowerCase()) || table.has(id) ? [] : [`there is no built-in role ${id}, and the template makes none with this id`]
}

function wrongActions(permissions: Value, known: ReadonlySet<string>): readonly string[] {
  const lists = isList(permissions) ? permissions.flatMap((each) => (isObject(each) ? [each['actions'], each['dataActions']] : [])) : []
  const actions = lists.flatMap((list) => (list !== undefined && isList(list) ? list : []))
  if (actions.length === 0) return ['the role grants nothing']
  return actions.flatMap((action) => {
    if (typeof action !== 'string') return ['an action is a text']
    if (action.includes('*')) return [`${action} grants more than is known: name each action`]
    return known.has(action.toLowerCase()) || Object.hasOwn(OTHER_ACTIONS, action)
      ? []
      : [`no built-in role knows the action ${action}, and roles.ts has no source for it`]
  })
}

/**
 * An assignment cannot be changed (`RoleAssignmentUpdateNotPermitted`). So its name holds the principal and the role: a new one of them is a new
 * assignment. A resource whose identity is the principal may stand for it.
 */
export const assignmentNames: Rule = {
  name: 'assignment-names',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.filter(isAssignment).flatMap((declaration) => {
        const properties = everyPart(declaration.body).flatMap((part) => (part.kind === 'object' ? part.properties : []))
        const valueOf = (name: string): Expression | undefined => properties.find(({ key }) => plainText(key) === name)?.value
        const held = valueOf('name')
        const role = valueOf('roleDefinitionId')
        const inName = held === undefined ? new Set<string>() : rootsOf(held, file)
        const missing = (part: Expression | undefined): readonly string[] =>
          part === undefined ? [] : [...rootsOf(part, file)].filter((root) => !inName.has(root))
        return [
          ...missing(valueOf('principalId')).map((root) => `the name does not hold the principal (${root})`),
          ...missing(role?.kind === 'call' ? role.given.at(-1) : role).map((root) => `the name does not hold the role (${root})`),
        ].map((message) => finding('assignment-names', declaration, message))
      }),
    ),
}

const isAssignment = (declaration: Declaration): declaration is ResourceDeclaration =>
  declaration.kind === 'resource' && declaration.type.startsWith('Microsoft.Authorization/roleAssignments@')

/** Returns the parameters, constants, items of loops and made resources that an expression uses. An existing resource counts as its name. */
function rootsOf(expression: Expression, file: BicepFile, seen: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const found = namesIn(expression).flatMap(({ name }) => {
    if (seen.has(name)) return []
    const declaration = file.declarations.find((each) => each.name === name)
    const inner = new Set([...seen, name])
    if (declaration?.kind === 'resource' && declaration.isExisting) {
      const own = everyPart(declaration.body).flatMap((part) => (part.kind === 'object' ? part.properties : []))
      return own.filter(({ key }) => plainText(key) === 'name').flatMap(({ value }) => [...rootsOf(value, file, inner)])
    }
    const isComputed = declaration?.kind === 'var' && namesIn(declaration.value).length > 0
    return isComputed ? [...rootsOf(declaration.value, file, inner)] : [name]
  })
  return new Set(found)
}

/** Ids of roles may be in `infra/roles.json` only. */
export const roleIds: Rule = {
  name: 'role-ids',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap((declaration) =>
        expressionsOf(declaration)
          .flatMap(everyPart)
          .flatMap((part) => (part.kind === 'text' && part.parts.some((each) => typeof each === 'string' && GUID.test(each)) ? [part] : []))
          .map((part) => finding('role-ids', part, 'an id belongs into infra/roles.json')),
      ),
    ),
}
