import { ownValue } from '../../../../shared/base/values.ts'
import { isRecord, recordAt, textAt } from '../../json.ts'
import type { Arm, ArmRequest } from '../arm.ts'
import { type ArmAnswer, armError, notFound } from '../armAnswer.ts'
import type { Document } from '../armState.ts'
import { page } from '../page.ts'
import { groupExists, missingReference, resourceExists } from './references.ts'
import { GROUP_TYPE, isAtOrUnder, parseResourcePath, type ResourcePath } from './resourceId.ts'
import { identityOf, type ResourceType, resourceTypeOf } from './resourceTypes.ts'
import { assignmentFilter, enforceRole, forgetRole, roleDeletionProblem, roleProblem } from './roleRules.ts'
import { isUnknownHere } from './roleSpread.ts'
import { systemTopicProblem } from './topicRules.ts'

// Resources that a deployment makes. They are kept as they were put, with what Azure adds. A type that is not in the table is refused.

type KnownType = ResourceType & { readonly type: string }

/** Returns the resource or list that a path names, with its type from the table. Undefined if the type is not in the table. */
export function knownResource(path: string): { readonly path: ResourcePath; readonly type: KnownType } | undefined {
  const parsed = parseResourcePath(path)
  const type = parsed === undefined ? undefined : resourceTypeOf(parsed.type)
  return parsed === undefined || type === undefined ? undefined : { path: parsed, type }
}

export function versionOfResource(
  { type, versions, readIn = [] }: KnownType,
  { method, version }: { readonly method: string; readonly version: string | null },
  location: string,
): ArmAnswer | undefined {
  if (version === null)
    return armError(400, 'MissingApiVersionParameter', 'The api-version query parameter (?api-version=) is required for all requests.')
  if (versions.includes(version) || (method !== 'PUT' && readIn.includes(version))) return undefined
  return armError(
    400,
    'NoRegisteredProviderFound',
    `No registered resource provider found for location '${location}' and API version '${version}' for type '${type}'. The supported api-versions are '${versions.join(', ')}'.`,
  )
}

export function answerResource(arm: Arm, request: ArmRequest, path: ResourcePath, type: KnownType): ArmAnswer {
  if (path.name === '') return request.method === 'GET' ? list(arm, request, path) : notServed(request)
  if (type.type !== GROUP_TYPE && path.group !== '' && !groupExists(arm, path.group))
    return armError(404, 'ResourceGroupNotFound', `Resource group '${path.group}' could not be found.`)
  switch (request.method) {
    case 'GET':
      return get(arm, path, type)
    case 'PUT':
      return put(arm, request.body, path, type)
    case 'DELETE':
      return type.type === GROUP_TYPE ? removeGroup(arm, path) : remove(arm, path)
    default:
      return notServed(request)
  }
}

function notServed({ method, path }: ArmRequest): ArmAnswer {
  return armError(501, 'NotImplemented', `this emulator does not serve ${method} ${path}; docs/local.md lists what it serves`)
}

function get(arm: Arm, path: ResourcePath, { type }: KnownType): ArmAnswer {
  const found = arm.state.documents.get(path.id.toLowerCase())
  if (found !== undefined && isUnknownHere(arm, found)) return notFound(type, path.name, path.group)
  if (found !== undefined && !isHidden(type, path.name)) return { status: 200, body: found }
  if (type === GROUP_TYPE) return armError(404, 'ResourceGroupNotFound', `Resource group '${path.group}' could not be found.`)
  return notFound(type, path.name, path.group)
}

/** Settings may hold secrets. Only a POST to `list` shows them. */
function isHidden(type: string, name: string): boolean {
  return type === 'Microsoft.Web/sites/config' && name.toLowerCase() === 'appsettings'
}

function put(arm: Arm, given: Record<string, unknown>, path: ResourcePath, type: KnownType): ArmAnswer {
  const body = withoutNulls(given)
  if (!isRecord(body)) return armError(400, 'InvalidRequestContent', 'The request content is not an object.')
  const before = arm.state.documents.get(path.id.toLowerCase())
  const refused =
    placeProblem(arm, path) ??
    bodyProblem(arm, { path, type, body, before }) ??
    roleProblem(arm, path, body) ??
    systemTopicProblem(arm, path, body, before)
  if (refused !== undefined) return refused
  const document = made(arm, { path, type, body, before })
  arm.state.documents.set(path.id.toLowerCase(), document)
  enforceRole(arm, document)
  return { status: before === undefined ? 201 : 200, body: document }
}

/** A missing member and null mean the same to Azure. Templates print null for a member that a condition leaves out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])))
}

function placeProblem(arm: Arm, { scope, parent, name, type }: ResourcePath): ArmAnswer | undefined {
  if (parent !== undefined && !resourceExists(arm, parent))
    return armError(
      404,
      'ParentResourceNotFound',
      `Failed to perform 'write' on resource(s) of type '${type}', because the parent resource '${parent}' could not be found: ${name}.`,
    )
  const isGroup = /^\/subscriptions\/[^/]+(\/resourceGroups\/[^/]+)?$/i.test(scope)
  return isGroup || resourceExists(arm, scope)
    ? undefined
    : armError(404, 'ResourceNotFound', `The Resource '${scope}' that '${type}/${name}' is for was not found.`)
}

type Putting = {
  readonly path: ResourcePath
  readonly type: KnownType
  readonly body: Record<string, unknown>
  readonly before: Document | undefined
}

function bodyProblem(arm: Arm, { path, type, body, before }: Putting): ArmAnswer | undefined {
  if (type.name !== undefined && !type.name.test(path.name))
    return armError(400, 'AccountNameInvalid', `${path.name} is not a valid name for ${type.type}: it must match ${type.name}.`)
  const [was, is] = [textAt(before, 'location'), textAt(body, 'location')]
  if (was !== undefined && is !== undefined && plain(was) !== plain(is))
    return armError(
      409,
      'InvalidResourceLocation',
      `The resource '${path.name}' already exists in location '${was}' in resource group '${path.group}'. A resource with the same name cannot be created in location '${is}'. Please select a new resource name.`,
    )
  // For missing roles Azure has a message of its own.
  const missing = type.type.startsWith('Microsoft.Authorization/') ? undefined : missingReference(arm, body, path.id)
  if (missing === undefined) return undefined
  return armError(400, 'InvalidResourceReference', `Resource ${missing} referenced by resource ${path.id} was not found.`)
}

const plain = (location: string): string => location.toLowerCase().replaceAll(' ', '')

function made(arm: Arm, { path, type, body, before }: Putting): Document {
  const { tenantId, location, ageOfRoles } = arm.settings
  const clientOf = (id: string): object | undefined => {
    const properties = arm.state.documents.get(id.toLowerCase())?.['properties']
    return isRecord(properties) ? { principalId: properties['principalId'], clientId: properties['clientId'] } : undefined
  }
  const given = type.gives?.({ tenantId, location, ageOfRoles, id: path.id, name: path.name, body }) ?? {}
  const kept = Object.fromEntries(
    Object.keys(given).map((key) => [key, ownValue(recordAt(before, 'properties'), key) ?? ownValue(given, key)]),
  )
  const identity = identityOf(body, before, arm.settings, clientOf)
  return {
    ...body,
    // As the id was first spelled, because Azure keeps the case of names.
    id: before?.id ?? path.id,
    name: path.name,
    type: type.type,
    ...(identity === undefined ? {} : { identity }),
    properties: { ...recordAt(body, 'properties'), ...kept, ...(hasNoState(path) ? {} : { provisioningState: 'Succeeded' }) },
  }
}

/** App settings and roles have no provisioning state. */
function hasNoState({ type }: ResourcePath): boolean {
  return /^microsoft\.(web\/sites\/config|authorization\/.*)$/i.test(type)
}

function list(arm: Arm, request: ArmRequest, path: ResourcePath): ArmAnswer {
  const type = path.type.toLowerCase()
  const ofType = [...arm.state.documents.values()].filter(({ id }) => parseResourcePath(id)?.type.toLowerCase() === type)
  if (type === 'microsoft.authorization/roleassignments') {
    const filter = assignmentFilter(path.scope, request.query.get('$filter'))
    if (filter === undefined) return armError(400, 'InvalidFilter', `The filter '${request.query.get('$filter')}' is not served.`)
    return page(arm, request, ofType.filter(filter))
  }
  if (request.query.has('$filter')) return armError(400, 'InvalidFilter', `The filter '${request.query.get('$filter')}' is not served.`)
  return page(
    arm,
    request,
    ofType.filter(({ id }) => isAtOrUnder(id, path.parent ?? path.scope)),
  )
}

function remove(arm: Arm, path: ResourcePath): ArmAnswer {
  if (!arm.state.documents.has(path.id.toLowerCase())) return { status: 204 }
  const refused = roleDeletionProblem(arm, path)
  if (refused !== undefined) return refused
  removeAll(arm, path.id)
  return { status: 200 }
}

/** Deletes a group with everything in it, and role assignments at its resources. In Azure this takes minutes. */
function removeGroup(arm: Arm, path: ResourcePath): ArmAnswer {
  if (arm.settings.resourceGroups.some((each) => each.toLowerCase() === path.group.toLowerCase()))
    return armError(501, 'NotImplemented', `this emulator does not delete ${path.group}, which it was started with`)
  if (!groupExists(arm, path.group)) return armError(404, 'ResourceGroupNotFound', `Resource group '${path.group}' could not be found.`)
  removeAll(arm, path.id)
  return { status: 200 }
}

function removeAll(arm: Arm, top: string): void {
  for (const id of [...arm.state.documents.keys()])
    if (isAtOrUnder(id, top)) {
      forgetRole(arm, id)
      arm.state.documents.delete(id)
    }
}
