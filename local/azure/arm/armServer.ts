import createRouter from 'find-my-way'
import type { TokenIssuer } from '../entra/tokens.ts'
import type { HttpFault } from '../faults.ts'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import { isRecord, listAt, textAt } from '../json.ts'
import type { WritableRequestLog } from '../requestLog.ts'
import { skuRecord } from '../sizes/vmSize.ts'
import { versionProblem } from './apiVersions.ts'
import type { Arm, ArmRequest } from './arm.ts'
import { type ArmAnswer, armError, notFound } from './armAnswer.ts'
import { actionsOf } from './authorization/actionsOf.ts'
import { refusal } from './authorization/refusal.ts'
import { clusterUserCredential } from './clusterCredential.ts'
import {
  calculateTemplateHash,
  getDeployment,
  getDeploymentStatus,
  listDeploymentOperations,
  listDeployments,
  putDeployment,
  validateDeployment,
} from './deployments.ts'
import { deleteDisk, getDisk, listDisks, patchDisk } from './disks.ts'
import { DOCUMENT_TYPES, getDocument, listDocuments, PROVIDERS, placeOf } from './documents.ts'
import { putExtension } from './extensions.ts'
import { communityVersions, sharedVersions } from './galleries.ts'
import { deleteNic, getNic, nicBody, nicsOf, patchNic, putNic } from './networkInterfaces.ts'
import { getOperation, getOperationResult } from './operations.ts'
import { page } from './page.ts'
import { usages } from './quota.ts'
import { answerResource, knownResource, versionOfResource } from './resources/resources.ts'
import { geoRegions, getProvider, listLocations, listResources, listTenants, permissions, registerProvider } from './subscriptionFacts.ts'
import { deleteVm, getInstanceView, getVm, patchVm, putVm, simulateEviction, vmsOf } from './virtualMachines.ts'
import { vmBody } from './vmBody.ts'

type Route = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'DELETE' | 'POST'
  readonly path: string
  readonly type: string
  readonly handle: (arm: Arm, request: ArmRequest, params: Params) => ArmAnswer | Promise<ArmAnswer>
}
type Params = { readonly [name: string]: string | undefined }

const GROUP = '/subscriptions/:subscription/resourceGroups/:group'
const VM = `${GROUP}/providers/Microsoft.Compute/virtualMachines`
const NIC = `${GROUP}/providers/Microsoft.Network/networkInterfaces`
const DISK = `${GROUP}/providers/Microsoft.Compute/disks`
const DEPLOYMENTS = '/subscriptions/:subscription/providers/Microsoft.Resources/deployments'
const LOCATION = '/subscriptions/:subscription/providers/:provider/locations/:location'

const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/subscriptions/:subscription',
    type: 'subscriptions',
    handle: (arm) => ({ status: 200, body: subscription(arm) }),
  },
  {
    method: 'GET',
    path: '/subscriptions/:subscription/resourceGroups',
    type: 'resourceGroups',
    handle: (arm) => ({ status: 200, body: { value: [...new Set(groupsOf(arm))].map((name) => groupBody(arm, name)) } }),
  },
  { method: 'GET', path: GROUP, type: 'resourceGroups', handle: (arm, request) => ({ status: 200, body: groupBody(arm, request.group) }) },
  { method: 'HEAD', path: GROUP, type: 'resourceGroups', handle: () => ({ status: 204 }) },
  { method: 'GET', path: '/subscriptions/:subscription/providers/Microsoft.Compute/skus', type: 'skus', handle: skus },
  {
    method: 'GET',
    path: '/subscriptions/:subscription/providers/Microsoft.Compute/locations/:location/usages',
    type: 'usages',
    handle: (arm, request) => page(arm, request, usages(arm)),
  },
  { method: 'GET', path: `${LOCATION}/operations/:name`, type: 'operations', handle: getOperation },
  { method: 'GET', path: `${LOCATION}/operationResults/:name`, type: 'operations', handle: getOperationResult },
  {
    method: 'GET',
    path: VM,
    type: 'virtualMachines',
    handle: (arm, request) =>
      page(
        arm,
        request,
        vmsOf(arm, request.group).map((vm) => vmBody(arm, vm, false)),
      ),
  },
  { method: 'PUT', path: `${VM}/:name`, type: 'virtualMachines', handle: putVm },
  { method: 'GET', path: `${VM}/:name`, type: 'virtualMachines', handle: getVm },
  { method: 'GET', path: `${VM}/:name/instanceView`, type: 'virtualMachines', handle: getInstanceView },
  { method: 'PATCH', path: `${VM}/:name`, type: 'virtualMachines', handle: patchVm },
  { method: 'DELETE', path: `${VM}/:name`, type: 'virtualMachines', handle: deleteVm },
  { method: 'POST', path: `${VM}/:name/simulateEviction`, type: 'virtualMachines', handle: simulateEviction },
  {
    method: 'PUT',
    path: `${VM}/:name/extensions/:extension`,
    type: 'extensions',
    handle: (arm, request, params) => putExtension(arm, request, params['extension'] ?? ''),
  },
  {
    method: 'GET',
    path: '/subscriptions/:subscription/providers/Microsoft.Compute/locations/:location/communityGalleries/:gallery/images/:image/versions',
    type: 'communityGalleries',
    handle: communityVersions,
  },
  {
    method: 'GET',
    path: `${GROUP}/providers/Microsoft.Compute/galleries/:gallery/images/:image/versions`,
    type: 'galleries',
    handle: sharedVersions,
  },
  {
    method: 'GET',
    path: NIC,
    type: 'networkInterfaces',
    handle: (arm, request) =>
      page(
        arm,
        request,
        nicsOf(arm, request.group).map((nic) => nicBody(arm, nic)),
      ),
  },
  { method: 'GET', path: DISK, type: 'disks', handle: listDisks },
  { method: 'GET', path: `${DISK}/:name`, type: 'disks', handle: getDisk },
  { method: 'PATCH', path: `${DISK}/:name`, type: 'disks', handle: patchDisk },
  { method: 'DELETE', path: `${DISK}/:name`, type: 'disks', handle: deleteDisk },
  { method: 'PUT', path: `${NIC}/:name`, type: 'networkInterfaces', handle: putNic },
  { method: 'GET', path: `${NIC}/:name`, type: 'networkInterfaces', handle: getNic },
  { method: 'PATCH', path: `${NIC}/:name`, type: 'networkInterfaces', handle: patchNic },
  { method: 'DELETE', path: `${NIC}/:name`, type: 'networkInterfaces', handle: deleteNic },
  {
    method: 'GET',
    path: `${GROUP}/providers/Microsoft.Network/virtualNetworks/:network/subnets/:name`,
    type: 'subnets',
    handle: getSubnet,
  },
  { method: 'GET', path: '/subscriptions/:subscription/providers/:provider', type: 'providers', handle: getProvider },
  { method: 'POST', path: '/subscriptions/:subscription/providers/:provider/register', type: 'providers', handle: registerProvider },
  { method: 'GET', path: '/subscriptions/:subscription/providers/Microsoft.Web/geoRegions', type: 'geoRegions', handle: geoRegions },
  { method: 'GET', path: '/subscriptions', type: 'subscriptions', handle: (arm, request) => page(arm, request, [subscription(arm)]) },
  { method: 'GET', path: '/tenants', type: 'tenants', handle: listTenants },
  { method: 'GET', path: '/subscriptions/:subscription/locations', type: 'locations', handle: listLocations },
  { method: 'GET', path: `${GROUP}/resources`, type: 'resources', handle: listResources },
  { method: 'GET', path: DEPLOYMENTS, type: 'deployments', handle: listDeployments },
  { method: 'PUT', path: `${DEPLOYMENTS}/:name`, type: 'deployments', handle: putDeployment },
  { method: 'GET', path: `${DEPLOYMENTS}/:name`, type: 'deployments', handle: getDeployment },
  { method: 'POST', path: `${DEPLOYMENTS}/:name/validate`, type: 'deployments', handle: validateDeployment },
  { method: 'GET', path: `${DEPLOYMENTS}/:name/operations`, type: 'deployments', handle: listDeploymentOperations },
  { method: 'GET', path: `${DEPLOYMENTS}/:name/operationStatuses/:status`, type: 'deployments', handle: getDeploymentStatus },
  { method: 'POST', path: '/providers/Microsoft.Resources/calculateTemplateHash', type: 'deployments', handle: calculateTemplateHash },
  ...permissionRoutes(),
  ...documentRoutes(),
  {
    method: 'POST',
    path: `${GROUP}/providers/Microsoft.ContainerService/managedClusters/:name/listClusterUserCredential`,
    type: 'managedClusters',
    handle: clusterUserCredential,
  },
]

/** Permissions can be asked for at a subscription, a group, a resource, and a part of a resource. */
function permissionRoutes(): readonly Route[] {
  const resource = `${GROUP}/providers/:provider/:type/:name`
  return ['/subscriptions/:subscription', GROUP, resource, `${resource}/:part/:partName`].map((scope) => ({
    method: 'GET',
    path: `${scope}/providers/Microsoft.Authorization/permissions`,
    type: 'permissions',
    handle: permissions,
  }))
}

function documentRoutes(): readonly Route[] {
  return DOCUMENT_TYPES.flatMap((type): readonly Route[] => {
    const path = `${GROUP}/providers/${PROVIDERS[type]}/${type}`
    return [
      { method: 'GET', path, type, handle: listDocuments(type) },
      { method: 'GET', path: `${path}/:name`, type, handle: getDocument(type) },
    ]
  })
}

/** Answers requests to ARM: checks token, roles, scripted faults, api-version, subscription and group, then asks the resource. */
export function createArmServer(arm: Arm, issuer: TokenIssuer, log: WritableRequestLog) {
  const router = createRouter<never>({ caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 300 })
  for (const route of ROUTES) router.on(route.method, route.path, () => undefined, route)
  return async (request: HttpRequest): Promise<HttpAnswer> => {
    const found = isServedMethod(request.method) ? router.find(request.method, request.url.pathname) : null
    const route = ROUTES.find((entry) => entry === found?.store)
    const params: Params = found?.params ?? {}
    const answer = await dispatch(arm, issuer, request, route, params)
    const entry = {
      at: Date.now(),
      method: request.method,
      path: request.url.pathname,
      type: route?.type ?? knownResource(request.url.pathname)?.type.type.split('/').at(-1) ?? 'unknown',
      status: answer === 'drop' ? 0 : answer.status,
    }
    log.add(params['name'] === undefined ? entry : { ...entry, name: params['name'] })
    return answer === 'drop' ? answer : { ...answer, headers: { ...standardHeaders(), ...answer.headers } }
  }
}

async function dispatch(
  arm: Arm,
  issuer: TokenIssuer,
  request: HttpRequest,
  route: Route | undefined,
  params: Params,
): Promise<HttpAnswer> {
  const claims = await issuer.check(request.headers.authorization, ['https://management.azure.com', 'https://management.core.windows.net'])
  if ('refused' in claims) {
    return armError(401, 'AuthenticationFailed', `Authentication failed: ${claims.refused}.`, {
      'www-authenticate': `Bearer authorization_uri="${issuer.issuer()}", error="invalid_token"`,
    })
  }
  const isServed = route !== undefined || knownResource(request.url.pathname) !== undefined
  const denied = !isServed ? undefined : deniedTo(arm, claims.oid, request)
  if (denied !== undefined) return denied
  const fault = arm.faults.takeHttp(request.method, request.url.pathname)
  const answer = (): ArmAnswer | Promise<ArmAnswer> => handle(arm, request, { principalId: claims.oid, route, params })
  return fault === undefined ? answer() : faulty(arm, fault, answer)
}

/** ARM checks permissions before it checks whether the resource exists. */
function deniedTo(arm: Arm, principalId: string, request: HttpRequest): ArmAnswer | undefined {
  if (!arm.settings.needsRoles) return undefined
  const { pathname } = request.url
  // Whoever is signed in lists its tenants and subscriptions, and has a template hashed: no role can be assigned outside a subscription.
  if (!/^\/subscriptions\/[^/]/i.test(pathname)) return undefined
  const vm = arm.state.vms.get(pathname.toLowerCase())
  const held = vm === undefined ? undefined : vmBody(arm, vm, false)
  const verdict = arm.access.judge(principalId, actionsOf(request.method, pathname, bodyOf(request), held))
  return verdict.isGranted ? undefined : refusal(principalId, verdict)
}

/** Answers as the script says. The request takes effect only if the fault just delays it or cuts the connection afterwards. */
async function faulty(arm: Arm, fault: HttpFault, effect: () => ArmAnswer | Promise<ArmAnswer>): Promise<HttpAnswer> {
  const { delayMs } = fault
  if (delayMs !== undefined) await new Promise<void>((resolve) => void arm.timeline.after(delayMs * arm.settings.speed, resolve))
  if (fault.drop === 'before') return struck(fault)
  if (fault.status !== undefined) {
    const retryAfter: Record<string, string> =
      fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }
    return armError(fault.status, fault.code ?? 'ScriptedFault', fault.message ?? 'a fault of the script', retryAfter)
  }
  const answer = await effect()
  return fault.drop === 'after' ? struck(fault) : answer
}

function struck(fault: HttpFault): 'drop' {
  fault.struck?.()
  return 'drop'
}

function isServedMethod(method: string): method is Route['method'] {
  return ROUTES.some((route) => route.method === method)
}

type Asked = { readonly principalId: string; readonly route: Route | undefined; readonly params: Params }

function handle(arm: Arm, request: HttpRequest, { principalId, route, params }: Asked): ArmAnswer | Promise<ArmAnswer> {
  if (route === undefined) return handleResource(arm, request, principalId)
  const version = versionProblem(route.type, request.url.searchParams.get('api-version'), arm.settings.location)
  if (version !== undefined) return version
  // Galleries are in a subscription of their own, which the token may read.
  const isForeign = route.type === 'galleries'
  const isOfNone = params['subscription'] === undefined
  if (!isForeign && !isOfNone && params['subscription']?.toLowerCase() !== arm.settings.subscriptionId.toLowerCase()) {
    return armError(404, 'SubscriptionNotFound', `The subscription '${params['subscription']}' could not be found.`)
  }
  const group =
    params['group'] === undefined || isForeign ? '' : groupsOf(arm).find((name) => name.toLowerCase() === params['group']?.toLowerCase())
  if (group === undefined) return armError(404, 'ResourceGroupNotFound', `Resource group '${params['group']}' could not be found.`)
  const body = bodyOf(request)
  if (body === undefined)
    return armError(400, 'InvalidRequestContent', 'The request content was invalid and could not be deserialized: it is not a JSON object.')
  return route.handle(
    arm,
    {
      method: request.method,
      path: request.url.pathname,
      group,
      name: params['name'] ?? '',
      query: request.url.searchParams,
      principalId,
      headers: request.headers,
      body,
    },
    params,
  )
}

/** Answers for resources that a deployment makes, and refuses paths that the emulator does not serve. */
function handleResource(arm: Arm, request: HttpRequest, principalId: string): ArmAnswer {
  const resource = knownResource(request.url.pathname)
  if (resource === undefined) {
    return armError(
      501,
      'NotImplemented',
      `this emulator does not serve ${request.method} ${request.url.pathname}; docs/local.md lists what it serves`,
    )
  }
  const { path, type } = resource
  const version = versionOfResource(
    type,
    { method: request.method, version: request.url.searchParams.get('api-version') },
    arm.settings.location,
  )
  if (version !== undefined) return version
  if (path.subscription.toLowerCase() !== arm.settings.subscriptionId.toLowerCase())
    return armError(404, 'SubscriptionNotFound', `The subscription '${path.subscription}' could not be found.`)
  const body = bodyOf(request)
  if (body === undefined)
    return armError(400, 'InvalidRequestContent', 'The request content was invalid and could not be deserialized: it is not a JSON object.')
  const { method, url, headers } = request
  return answerResource(
    arm,
    { method, path: url.pathname, group: path.group, name: path.name, query: url.searchParams, principalId, headers, body },
    path,
    type,
  )
}

function groupsOf({ settings, state }: Arm): readonly string[] {
  return [...settings.resourceGroups, ...[...state.documents.values()].map(({ id }) => placeOf(id).group)]
}

function bodyOf(request: HttpRequest): Record<string, unknown> | undefined {
  if (request.body === '') return request.method === 'PUT' || request.method === 'PATCH' ? undefined : {}
  try {
    const parsed: unknown = JSON.parse(request.body)
    return isRecord(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function skus(arm: Arm, request: ArmRequest): ArmAnswer {
  const filter = request.query.get('$filter')
  const location = filter === null ? arm.settings.location : /^location eq '([^']+)'$/.exec(filter)?.[1]
  if (location === undefined) return armError(400, 'InvalidFilter', `The filter '${filter}' is not served; location eq '...' is.`)
  const isHere = location.toLowerCase() === arm.settings.location
  const disk = { resourceType: 'disks', name: 'Premium_LRS', tier: 'Premium', size: 'P10', locations: [arm.settings.location] }
  return page(arm, request, isHere ? [disk, ...[...arm.sizes.values()].map((size) => skuRecord(size, arm.settings.location))] : [])
}

function getSubnet(arm: Arm, request: ArmRequest, params: Params): ArmAnswer {
  const id = `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${request.group}/providers/Microsoft.Network/virtualNetworks/${params['network']}/subnets/${request.name}`
  const held = arm.state.documents.get(id.toLowerCase())
  if (held !== undefined) return { status: 200, body: held }
  if (id.toLowerCase() !== arm.settings.subnetId.toLowerCase())
    return notFound('Microsoft.Network/virtualNetworks/subnets', request.name, request.group)
  return {
    status: 200,
    body: {
      id: arm.settings.subnetId,
      name: request.name,
      type: 'Microsoft.Network/virtualNetworks/subnets',
      properties: { addressPrefix: `10.224.0.0/${prefixBits(arm)}`, ipConfigurations: usersOf(arm), provisioningState: 'Succeeded' },
    },
  }
}

/** The length of the smallest range with the addresses of the subnet. Azure keeps five of each range (docs of virtual networks, 2026-03). */
function prefixBits(arm: Arm): number {
  return 32 - Math.ceil(Math.log2(arm.settings.subnetAddresses + 5))
}

/** The configurations of interfaces in the subnet, as Azure lists them in the subnet: each with its id. */
function usersOf(arm: Arm): readonly object[] {
  return [...arm.state.nics.values()].flatMap((nic) =>
    listAt(nic.body, 'properties.ipConfigurations').map((each) => ({ id: `${nic.id}/ipConfigurations/${textAt(each, 'name')}` })),
  )
}

function subscription(arm: Arm): object {
  const { subscriptionId, tenantId } = arm.settings
  return { id: `/subscriptions/${subscriptionId}`, subscriptionId, tenantId, displayName: 'local', state: 'Enabled' }
}

function groupBody(arm: Arm, name: string): object {
  const id = `/subscriptions/${arm.settings.subscriptionId}/resourceGroups/${name}`
  const made = arm.state.documents.get(id.toLowerCase())
  if (made !== undefined) return made
  return {
    id,
    name,
    type: 'Microsoft.Resources/resourceGroups',
    location: arm.settings.location,
    properties: { provisioningState: 'Succeeded' },
  }
}

function standardHeaders(): Record<string, string> {
  const id = crypto.randomUUID()
  return {
    'x-ms-request-id': id,
    'x-ms-correlation-request-id': id,
    'x-ms-ratelimit-remaining-subscription-reads': '11999',
    'x-ms-ratelimit-remaining-subscription-writes': '1199',
    'cache-control': 'no-cache',
  }
}
