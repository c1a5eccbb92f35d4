// Reads from evaluated templates which identity gets which role.
import type { RoleAssignment, RoleDefinition } from '../../local/azure/arm/authorization/access.ts'
import type { Evaluation } from '../check/evaluate/evaluate.ts'
import { isList, isObject, Open, type Value } from '../check/evaluate/value.ts'
import { at } from '../check/rules/rule.ts'

export type TemplateRoles = {
  /** The roles that the template defines, with the names that it gives them. */
  readonly definitions: readonly (RoleDefinition & { readonly title: string })[]
  /** The principal is given by the id of its identity's resource. */
  readonly assignments: readonly (RoleAssignment & { readonly id: string })[]
}

export function rolesOf({ resources }: Evaluation): TemplateRoles {
  return {
    definitions: resources
      .filter(({ type }) => type === 'Microsoft.Authorization/roleDefinitions')
      .map((resource) => ({
        id: last(resource.id),
        title: textAt(resource, 'properties.roleName'),
        actions: items(at(resource, 'properties.permissions')).flatMap((each) =>
          isObject(each) ? items(each['actions']).map(String) : [],
        ),
      })),
    assignments: resources
      .filter(({ type }) => type === 'Microsoft.Authorization/roleAssignments')
      .map((resource) => ({
        id: resource.id,
        principalId: principalOf(at(resource, 'properties.principalId')),
        roleId: last(textAt(resource, 'properties.roleDefinitionId')),
        scope: resource.scope.id,
      })),
  }
}

function principalOf(value: Value): string {
  if (typeof value === 'string') return value
  if (!(value instanceof Open)) throw new Error(`a principal is a text, not ${JSON.stringify(value)}`)
  const ids = new Set(value.reads.map(({ resourceId }) => resourceId))
  const [id, other] = ids
  if (id === undefined || other !== undefined) throw new Error(`whose identity is meant? ${value.text}`)
  return id
}

function textAt(resource: Evaluation['resources'][number], path: string): string {
  const value = at(resource, path)
  if (typeof value !== 'string') throw new Error(`${path} of ${resource.id} is no text`)
  return value
}

const last = (id: string): string => id.split('/').at(-1) ?? ''
const items = (value: Value | undefined): readonly Value[] => (value !== undefined && isList(value) ? value : [])
