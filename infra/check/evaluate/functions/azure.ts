// Functions that depend on the target of the deployment: scopes, ids, the cloud, files beside the template.
import { type Place, Refusal } from '../../parse/syntax.ts'
import type { Frame } from '../frame.ts'
import type { Scope } from '../scope.ts'
import { groupScope, resourceIdIn, subscriptionScope } from '../scopes.ts'
import type { Json, Value } from '../value.ts'
import { asNumber, asText, type BuiltIns, fn } from './builtIn.ts'

export const CLOUDS = {
  AzureCloud: {
    portal: 'https://portal.azure.com',
    resourceManager: 'https://management.azure.com/',
    loginEndpoint: 'https://login.microsoftonline.com/',
    storage: 'core.windows.net',
  },
  AzureUSGovernment: {
    portal: 'https://portal.azure.us',
    resourceManager: 'https://management.usgovcloudapi.net/',
    loginEndpoint: 'https://login.microsoftonline.us/',
    storage: 'core.usgovcloudapi.net',
  },
  AzureChinaCloud: {
    portal: 'https://portal.azure.cn',
    resourceManager: 'https://management.chinacloudapi.cn/',
    loginEndpoint: 'https://login.chinacloudapi.cn/',
    storage: 'core.chinacloudapi.cn',
  },
}

function subscriptionIdOf({ scope, deploymentContext }: Frame): string {
  return scope.kind === 'subscription' || scope.kind === 'resourceGroup' ? scope.subscriptionId : deploymentContext.subscriptionId
}

function groupOf(given: readonly Value[], frame: Frame, place: Place): Value {
  const texts = given.map((each) => asText(each, place))
  const scope: Scope =
    texts.length === 0 ? frame.scope : groupScope(texts.length === 2 ? (texts[0] ?? '') : subscriptionIdOf(frame), texts.at(-1) ?? '')
  if (scope.kind !== 'resourceGroup') throw new Refusal(place, 'resourceGroup() needs a deployment to a resource group, or a name')
  return {
    id: scope.id,
    name: scope.name,
    type: 'Microsoft.Resources/resourceGroups',
    location: frame.deploymentContext.location,
    tags: {},
  }
}

/** Returns a resource id. The leading arguments name the scope; the first argument with a slash inside is the type. */
function idOf(given: readonly Value[], base: Scope, frame: Frame, place: Place): string {
  const texts = given.map((each) => asText(each, place))
  const typeAt = texts.findIndex((text) => text.includes('/') && !text.startsWith('/'))
  const type = texts[typeAt]
  if (type === undefined) throw new Refusal(place, 'no resource type among the arguments')
  const [one, two] = texts.slice(0, typeAt)
  let scope = base
  if (base.kind === 'subscription' && one !== undefined) scope = two === undefined ? subscriptionScope(one) : groupScope(one, two)
  else if (one !== undefined) scope = groupScope(two === undefined ? subscriptionIdOf(frame) : one, two ?? one)
  return resourceIdIn(scope, type, texts.slice(typeAt + 1).join('/'), place)
}

export const AZURE: BuiltIns = {
  subscription: fn(0, 1, ([id], { frame, place }) => {
    const subscriptionId = id === undefined ? subscriptionIdOf(frame) : asText(id, place)
    return {
      id: `/subscriptions/${subscriptionId}`,
      subscriptionId,
      tenantId: frame.deploymentContext.tenantId,
      displayName: 'subscription',
    }
  }),
  resourceGroup: fn(0, 2, (given, { frame, place }) => groupOf(given, frame, place)),
  tenant: fn(0, 0, (_, { frame }) => ({ id: '/', tenantId: frame.deploymentContext.tenantId })),
  deployer: fn(0, 0, (_, { frame }) => ({
    objectId: frame.deploymentContext.deployerObjectId,
    tenantId: frame.deploymentContext.tenantId,
  })),
  deployment: fn(0, 0, (_, { frame }) => ({ name: frame.deploymentName, location: frame.deploymentContext.location })),
  environment: fn(0, 0, (_, { frame }) => {
    const { portal, resourceManager, loginEndpoint, storage } = CLOUDS[frame.deploymentContext.cloud]
    return { name: frame.deploymentContext.cloud, portal, resourceManager, authentication: { loginEndpoint }, suffixes: { storage } }
  }),
  resourceId: fn(2, 30, (given, { frame, place }) => idOf(given, frame.scope, frame, place)),
  subscriptionResourceId: fn(2, 30, (given, { frame, place }) => idOf(given, subscriptionScope(subscriptionIdOf(frame)), frame, place)),
  tenantResourceId: fn(2, 30, (given, { frame, place }) => idOf(given, { kind: 'tenant', id: '' }, frame, place)),
  extensionResourceId: fn(3, 30, ([base, type, ...names], { place }) =>
    resourceIdIn(
      { kind: 'resource', id: asText(base, place) },
      asText(type, place),
      names.map((name) => asText(name, place)).join('/'),
      place,
    ),
  ),
  utcNow: fn(0, 1, ([format], { frame, place }) =>
    dateText(frame.deploymentContext.now, format === undefined ? 'yyyyMMddTHHmmssZ' : asText(format, place)),
  ),
  cidrSubnet: fn(3, 3, ([block, bits, at], { place }) => subnetOf(asText(block, place), asNumber(bits, place), asNumber(at, place), place)),
  loadTextContent: fn(1, 2, ([path], { frame, place }) => textOfFile(path, frame, place)),
  loadJsonContent: fn(1, 3, ([path, ...others], { frame, place }) => {
    if (others.length > 0) throw new Refusal(place, 'loadJsonContent is supported with a path alone')
    const parsed: Json = JSON.parse(textOfFile(path, frame, place))
    return parsed
  }),
}

function textOfFile(path: Value | undefined, frame: Frame, place: Place): string {
  const text = frame.readText(asText(path, place))
  if (text === undefined) throw new Refusal(place, `there is no file ${asText(path, place)}`)
  return text
}

function dateText(now: string, format: string): string {
  const [date = '', time = ''] = now.split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  const [hour = '', minute = '', second = ''] = time.slice(0, 8).split(':')
  const parts: Readonly<Record<string, string>> = { yyyy: year, MM: month, dd: day, HH: hour, mm: minute, ss: second }
  return format.replace(/yyyy|MM|dd|HH|mm|ss/g, (part) => parts[part] ?? part)
}

/** Returns part `at` of a block of IPv4 addresses that is cut into parts of length `/bits`. */
function subnetOf(block: string, bits: number, at: number, place: Place): string {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(block)
  const octets = match?.slice(1, 5).map(Number) ?? []
  const length = Number(match?.[5])
  if (octets.length !== 4 || octets.some((octet) => octet > 255) || !(length <= 32))
    throw new Refusal(place, `"${block}" is no block of IPv4 addresses`)
  if (bits < length || bits > 32 || at < 0 || at >= 2 ** (bits - length))
    throw new Refusal(place, `${block} has no part ${at} of length /${bits}`)
  const size = 2 ** (32 - bits)
  const whole = octets.reduce((sum, octet) => sum * 256 + octet, 0)
  const start = whole - (whole % 2 ** (32 - length)) + at * size
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join('.')}/${bits}`
}
