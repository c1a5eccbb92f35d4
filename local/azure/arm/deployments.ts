import { createHash } from 'node:crypto'
import { messageOf } from '../../../shared/base/result.ts'
import { ownValue } from '../../../shared/base/values.ts'
import { at, isRecord, listAt, recordAt, textAt } from '../json.ts'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import type { DeploymentRecord, TemplateEngine, TemplateOrder } from './deploymentRecord.ts'
import { page } from './page.ts'

// Deployments at the subscription, as azd makes them: they are kept by name, with their tags, and nothing ever deletes them. What a template says is
// done by the engine that the emulator is given.

const TYPE = 'Microsoft.Resources/deployments'

export function putDeployment(arm: Arm, request: ArmRequest): ArmAnswer {
  const order = orderIn(request)
  if (order === undefined)
    return armError(
      400,
      'InvalidRequestContent',
      'The request content has no template, or no location, which a deployment at a subscription needs.',
    )
  const engine = arm.engine()
  if (engine === undefined) return armError(501, 'NotImplemented', 'this emulator was started without an engine for templates')
  const key = request.name.toLowerCase()
  const before = arm.state.deployments.get(key)
  // https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-deployment-active, 2026-11.
  if (before?.state === 'Running')
    return armError(409, 'DeploymentActive', `Unable to edit or replace deployment '${request.name}': previous deployment is still active.`)
  const record: DeploymentRecord = {
    name: request.name,
    location: order.location,
    tags: recordAt(request.body, 'tags'),
    templateHash: templateHash(order.template),
    startedAt: Date.now(),
    parameters: recordAt(request.body, 'properties.parameters'),
    state: 'Running',
    endedAt: Date.now(),
    outputs: {},
    resourceIds: [],
  }
  arm.state.deployments.set(key, record)
  void run(engine, order, record)
  const status = `${arm.url()}${request.path}/operationStatuses/${crypto.randomUUID()}?api-version=${request.query.get('api-version')}`
  return { status: before === undefined ? 201 : 200, headers: { 'azure-asyncoperation': status, ...SOON }, body: bodyOf(arm, record) }
}

/** Azure names a longer time. Its speed is not what is imitated here. */
const SOON = { 'retry-after': '1' }

async function run(engine: TemplateEngine, order: TemplateOrder, record: DeploymentRecord): Promise<void> {
  try {
    const { outputs, resourceIds } = await engine.deploy(order)
    Object.assign(record, { outputs: typed(outputs, order.template), resourceIds, state: 'Succeeded', endedAt: Date.now() })
  } catch (cause) {
    Object.assign(record, { state: 'Failed', endedAt: Date.now(), error: { code: 'DeploymentFailed', message: messageOf(cause) } })
  }
}

export async function validateDeployment(arm: Arm, request: ArmRequest): Promise<ArmAnswer> {
  const order = orderIn(request)
  if (order === undefined) return armError(400, 'InvalidRequestContent', 'The request content has no template or no location.')
  const refused = await arm.engine()?.validate(order)
  if (refused !== undefined) return armError(400, 'InvalidTemplate', `Deployment template validation failed: '${refused}'.`)
  return { status: 200, body: { name: request.name, type: TYPE, properties: { provisioningState: 'Succeeded', ...factsOf(order) } } }
}

/**
 * Validates the resources of a template in a group, and makes none. At level `Provider`, the default, Azure checks that the caller may write each
 * resource (ValidationLevel of Deployments - Validate, 2025-04-01; the words in a report of azd, cli/azd/resources, 2026-09). Whether it checks what a
 * resource links is not published: it is not checked here, so that nothing counts as tried that was not.
 */
export function validateInGroup(arm: Arm, request: ArmRequest): ArmAnswer {
  const resources = listAt(request.body, 'properties.template.resources')
  if (resources.length === 0) return armError(400, 'InvalidRequestContent', 'The request content has no template with resources.')
  const denied = !arm.settings.needsRoles ? [] : resources.flatMap((each) => deniedWrite(arm, request, each))
  if (denied.length > 0) {
    return armError(403, 'InvalidTemplateDeployment', `Deployment failed with multiple errors: '${denied.join(':')}'`)
  }
  return { status: 200, body: { name: request.name, type: TYPE, properties: { provisioningState: 'Succeeded', mode: 'Incremental' } } }
}

function deniedWrite(arm: Arm, { group, principalId }: ArmRequest, resource: unknown): readonly string[] {
  const [type = '', name = ''] = [textAt(resource, 'type'), textAt(resource, 'name')]
  const scope = `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${group}/providers/${type}/${name}`
  const action = `${type}/write`
  if (arm.access.judge(principalId, { own: { action, scope }, linked: [] }).isGranted) return []
  const client = `The client '${principalId}' with object id '${principalId}'`
  return [
    `Authorization failed for template resource '${name}' of type '${type}'. ${client} does not have permission to perform action '${action}' at scope '${scope}'.`,
  ]
}

export function getDeployment(arm: Arm, request: ArmRequest): ArmAnswer {
  const record = arm.state.deployments.get(request.name.toLowerCase())
  return record === undefined ? missing(request.name) : { status: 200, body: bodyOf(arm, record) }
}

export function listDeployments(arm: Arm, request: ArmRequest): ArmAnswer {
  return page(
    arm,
    request,
    [...arm.state.deployments.values()].map((record) => bodyOf(arm, record)),
  )
}

export function getDeploymentStatus(arm: Arm, request: ArmRequest): ArmAnswer {
  const record = arm.state.deployments.get(request.name.toLowerCase())
  if (record === undefined) return missing(request.name)
  const error = record.error === undefined ? {} : { error: { ...record.error, details: [] } }
  return { status: 200, headers: record.state === 'Running' ? SOON : {}, body: { status: record.state, ...error } }
}

/** Returns one operation for each resource, as azd reads them for its progress. */
export function listDeploymentOperations(arm: Arm, request: ArmRequest): ArmAnswer {
  const record = arm.state.deployments.get(request.name.toLowerCase())
  if (record === undefined) return missing(request.name)
  const { timestamp, duration } = timesOf(record)
  const operations = record.resourceIds.map((id, at) => ({
    id: `${idOf(arm, record.name)}/operations/${at}`,
    operationId: String(at),
    properties: {
      provisioningOperation: 'Create',
      provisioningState: 'Succeeded',
      timestamp,
      duration,
      trackingId: crypto.randomUUID(),
      statusCode: 'OK',
      targetResource: { id, resourceName: id.split('/').at(-1), resourceType: typeIn(id) },
    },
  }))
  return page(arm, request, operations)
}

/** Azure's hash is of a form of the template that is not published. Equal templates have equal hashes, which is all that azd compares. */
export function calculateTemplateHash(_: Arm, request: ArmRequest): ArmAnswer {
  return { status: 200, body: { minifiedTemplate: JSON.stringify(request.body), templateHash: templateHash(request.body) } }
}

const templateHash = (template: object): string =>
  BigInt(`0x${createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 15)}`).toString()

const missing = (name: string): ArmAnswer => armError(404, 'DeploymentNotFound', `Deployment '${name}' could not be found.`)

function orderIn({ body, principalId }: ArmRequest): TemplateOrder | undefined {
  const template = at(body, 'properties.template')
  const location = textAt(body, 'location')
  if (!isRecord(template) || location === undefined) return undefined
  const given = Object.entries(recordAt(body, 'properties.parameters'))
  const parameters = Object.fromEntries(given.flatMap(([name, value]) => (isRecord(value) ? [[name, value['value']]] : [])))
  return { template, parameters, location, principalId }
}

const factsOf = ({ template }: TemplateOrder): object => ({
  templateHash: templateHash(template),
  mode: 'Incremental',
  timestamp: new Date().toISOString(),
})

const idOf = ({ settings }: Arm, name: string): string => `/subscriptions/${settings.subscriptionId}/providers/${TYPE}/${name}`

function bodyOf(arm: Arm, record: DeploymentRecord): object {
  return {
    id: idOf(arm, record.name),
    name: record.name,
    type: TYPE,
    location: record.location,
    tags: record.tags,
    properties: {
      templateHash: record.templateHash,
      parameters: record.parameters,
      mode: 'Incremental',
      provisioningState: record.state,
      ...timesOf(record),
      correlationId: crypto.randomUUID(),
      providers: [],
      dependencies: [],
      outputs: record.outputs,
      outputResources: record.resourceIds.map((id) => ({ id })),
      ...(record.error === undefined ? {} : { error: record.error }),
    },
  }
}

const timesOf = ({ startedAt, endedAt }: DeploymentRecord): { readonly timestamp: string; readonly duration: string } => ({
  timestamp: new Date(endedAt).toISOString(),
  duration: `PT${(endedAt - startedAt) / 1000}S`,
})

/** Outputs carry the type that the template declares, spelled as Azure spells it. */
function typed(outputs: TemplateOrder['parameters'], template: TemplateOrder['template']): Readonly<Record<string, unknown>> {
  const declared = recordAt(template, 'outputs')
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => {
      const type = textAt(declared, `${name}.type`) ?? 'string'
      return [name, { type: ownValue(SPELLED, type) ?? 'String', value }]
    }),
  )
}

const SPELLED: { readonly [type: string]: string } = { string: 'String', int: 'Int', bool: 'Bool', object: 'Object', array: 'Array' }

function typeIn(id: string): string {
  const [, after = ''] = id.split(/\/providers\/(?!.*\/providers\/)/i)
  const [namespace, ...rest] = after.split('/')
  return namespace === undefined || namespace === ''
    ? 'Microsoft.Resources/resourceGroups'
    : [namespace, ...rest.filter((_, at) => at % 2 === 0)].join('/')
}
