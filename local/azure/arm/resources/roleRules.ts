// Rules of Azure for roles and their assignments. Codes and texts: https://learn.microsoft.com/azure/role-based-access-control/troubleshooting
import { listAt, recordAt, textAt } from '../../json.ts'
import type { Arm } from '../arm.ts'
import { type ArmAnswer, armError } from '../armAnswer.ts'
import type { Document } from '../armState.ts'
import { parseResourcePath, type ResourcePath } from './resourceId.ts'
import { isSpreading } from './roleSpread.ts'

const ASSIGNMENT = 'microsoft.authorization/roleassignments'
const DEFINITION = 'microsoft.authorization/roledefinitions'

/** Resources of a type, in the order in which they were made. */
export function documentsOf(arm: Arm, type: string): readonly Document[] {
  return [...arm.state.documents.values()].filter(({ id }) => parseResourcePath(id)?.type.toLowerCase() === type.toLowerCase())
}

export function roleProblem(arm: Arm, path: ResourcePath, body: Record<string, unknown>): ArmAnswer | undefined {
  const type = path.type.toLowerCase()
  if (type === ASSIGNMENT) return assignmentProblem(arm, path, body)
  return type === DEFINITION ? definitionProblem(arm, path, body) : undefined
}

function assignmentProblem(arm: Arm, path: ResourcePath, body: Record<string, unknown>): ArmAnswer | undefined {
  const role = textAt(body, 'properties.roleDefinitionId') ?? ''
  const principal = textAt(body, 'properties.principalId') ?? ''
  const definition = arm.state.documents.get(role.toLowerCase())
  if (definition === undefined || isSpreading(arm, definition, 'definitionSpread'))
    return armError(404, 'RoleDefinitionDoesNotExist', `The specified role definition with ID '${role.split('/').at(-1)}' does not exist.`)
  // Without the type of the principal, Azure looks it up, and a new one is not everywhere yet
  // (https://learn.microsoft.com/azure/role-based-access-control/role-assignments-template#new-service-principal, 2026).
  const isNew = textAt(body, 'properties.principalType') === undefined && arm.settings.durations.assignmentSpread > 0
  if (isNew || !principalsOf(arm).has(principal.toLowerCase()))
    return armError(
      400,
      'PrincipalNotFound',
      `Principal ${principal} does not exist in the directory ${arm.settings.tenantId}. Check that you have the correct principal ID.`,
    )
  const before = arm.state.documents.get(path.id.toLowerCase())
  if (before !== undefined && assignmentKeyOf(before, path.scope) !== assignmentKeyOf(body, path.scope))
    return armError(
      400,
      'RoleAssignmentUpdateNotPermitted',
      'Tenant ID, application ID, principal ID, and scope are not allowed to be updated.',
    )
  const twin = documentsOf(arm, ASSIGNMENT).find(
    (each) =>
      each.id.toLowerCase() !== path.id.toLowerCase() &&
      assignmentKeyOf(each, parseResourcePath(each.id)?.scope ?? '') === assignmentKeyOf(body, path.scope),
  )
  return twin === undefined ? undefined : armError(409, 'RoleAssignmentExists', `The role assignment already exists. The ID is ${twin.id}.`)
}

function assignmentKeyOf(assignment: object, scope: string): string {
  return [scope, textAt(assignment, 'properties.roleDefinitionId'), textAt(assignment, 'properties.principalId')].join('|').toLowerCase()
}

/** Puts a role or an assignment that a deployment made into force. */
export function enforceRole(arm: Arm, document: Document): void {
  const path = parseResourcePath(document.id)
  const type = path?.type.toLowerCase()
  const properties = recordAt(document, 'properties')
  if (type === DEFINITION)
    arm.access.define({
      id: path?.name ?? '',
      actions: listAt(properties, 'permissions').flatMap((each) => textsOf(each, 'actions')),
      notActions: listAt(properties, 'permissions').flatMap((each) => textsOf(each, 'notActions')),
    })
  if (type !== ASSIGNMENT) return
  const assign = (): void => {
    if (!arm.state.documents.has(document.id.toLowerCase())) return
    arm.access.assign(document.id, {
      principalId: textAt(properties, 'principalId') ?? '',
      roleId: textAt(properties, 'roleDefinitionId')?.split('/').at(-1) ?? '',
      scope: path?.scope ?? '',
    })
  }
  if (isSpreading(arm, document, 'assignmentSpread')) arm.timeline.after(arm.settings.durations.assignmentSpread, assign)
  else assign()
}

export function forgetRole(arm: Arm, id: string): void {
  arm.access.unassign(id)
}

const textsOf = (value: unknown, member: string): readonly string[] => listAt(value, member).filter((each) => typeof each === 'string')

/** Returns all principals of this directory: clients and identities of the settings, and identities of resources. */
function principalsOf(arm: Arm): ReadonlySet<string> {
  const told = [...arm.settings.managedIdentities, ...arm.settings.clients].map(({ objectId }) => objectId)
  const made = [...arm.state.documents.values()].flatMap((each) => [
    textAt(each, 'identity.principalId'),
    textAt(each, 'properties.principalId'),
  ])
  return new Set([...told, ...made].flatMap((id) => (id === undefined ? [] : [id.toLowerCase()])))
}

/** Names of custom roles are unique in a tenant. */
function definitionProblem(arm: Arm, path: ResourcePath, body: Record<string, unknown>): ArmAnswer | undefined {
  const name = textAt(body, 'properties.roleName')
  const twin = documentsOf(arm, DEFINITION).find(
    (each) => each.id.toLowerCase() !== path.id.toLowerCase() && textAt(each, 'properties.roleName') === name,
  )
  if (twin !== undefined)
    return armError(
      409,
      'RoleDefinitionWithSameNameExists',
      `A custom role with the same name already exists in this directory. Use a different name: ${name}.`,
    )
  return listAt(body, 'properties.assignableScopes').length > 0
    ? undefined
    : armError(400, 'InvalidRoleDefinition', 'Role definition must have at least one assignable scope.')
}

/** A role that has assignments cannot be deleted. */
export function roleDeletionProblem(arm: Arm, path: ResourcePath): ArmAnswer | undefined {
  if (path.type.toLowerCase() !== DEFINITION) return undefined
  const uses = documentsOf(arm, ASSIGNMENT).filter(
    (each) => textAt(each, 'properties.roleDefinitionId')?.toLowerCase() === path.id.toLowerCase(),
  )
  if (uses.length === 0) return undefined
  return armError(
    400,
    'RoleDefinitionHasAssignments',
    `There are existing role assignments referencing role (code: RoleDefinitionHasAssignments): ${uses.length}.`,
  )
}

/**
 * Parses the `$filter` of a list of assignments, such as `principalId eq '...'`. A list holds the assignments at, above and below its scope.
 * `atScope()` leaves out the assignments below. https://learn.microsoft.com/azure/role-based-access-control/role-assignments-list-rest
 */
export function assignmentFilter(scope: string, filter: string | null): ((assignment: Document) => boolean) | undefined {
  const principal = /^(?:principalId eq|assignedTo\() ?'([^']+)'\)?$/.exec(filter ?? '')?.[1]
  if (filter !== null && filter !== 'atScope()' && principal === undefined) return undefined
  return (assignment) => {
    const own = (parseResourcePath(assignment.id)?.scope ?? '').toLowerCase()
    const asked = scope.toLowerCase()
    const isBelow = own.startsWith(`${asked}/`) && filter !== 'atScope()'
    const isRelated = own === asked || asked.startsWith(`${own}/`) || isBelow
    return isRelated && (principal === undefined || textAt(assignment, 'properties.principalId') === principal)
  }
}
