import createRouter from 'find-my-way'
import { parsedJson } from '../../../shared/base/json.ts'
import type { TokenIssuer } from '../entra/tokens.ts'
import type { HttpFault } from '../faults.ts'
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'
import { isRecord } from '../json.ts'
import type { WritableRequestLog } from '../requestLog.ts'
import { versionProblem } from './apiVersions.ts'
import type { Arm } from './arm.ts'
import { type ArmAnswer, armError } from './armAnswer.ts'
import { actionsOf } from './authorization/actionsOf.ts'
import { refusal } from './authorization/refusal.ts'
import { answerResource, knownResource, versionOfResource } from './resources/resources.ts'
import { groupsOf, type Params, ROUTES, type Route } from './routes.ts'
import { createThrottling, type Throttled } from './throttling.ts'
import { vmBody } from './vmBody.ts'

export function createArmServer(arm: Arm, issuer: TokenIssuer, log: WritableRequestLog) {
  const router = createRouter<never>({ caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 300 })
  const throttle = createThrottling(arm.settings.speed)
  for (const route of ROUTES) router.on(route.method, route.path, () => undefined, route)
  return async (request: HttpRequest): Promise<HttpAnswer> => {
    const found = isServedMethod(request.method) ? router.find(request.method, request.url.pathname) : null
    const route = ROUTES.find((entry) => entry === found?.store)
    const params: Params = found?.params ?? {}
    const { answer, remaining } = await dispatch(arm, issuer, throttle, request, { route, params })
    const entry = {
      at: Date.now(),
      method: request.method,
      path: request.url.pathname,
      type: route?.type ?? knownResource(request.url.pathname)?.type.type.split('/').at(-1) ?? 'unknown',
      status: answer === 'drop' ? 0 : answer.status,
    }
    log.add(params['name'] === undefined ? entry : { ...entry, name: params['name'] })
    return answer === 'drop' ? answer : { ...answer, headers: { ...standardHeaders(), ...remaining, ...answer.headers } }
  }
}

type Asked = { readonly route: Route | undefined; readonly params: Params }
type Dispatched = { readonly answer: HttpAnswer; readonly remaining?: Throttled['headers'] }

async function dispatch(
  arm: Arm,
  issuer: TokenIssuer,
  throttle: ReturnType<typeof createThrottling>,
  request: HttpRequest,
  { route, params }: Asked,
): Promise<Dispatched> {
  const claims = await issuer.check(request.headers.authorization, ['https://management.azure.com', 'https://management.core.windows.net'])
  if ('refused' in claims) {
    const answer = armError(401, 'AuthenticationFailed', `Authentication failed: ${claims.refused}.`, {
      'www-authenticate': `Bearer authorization_uri="${issuer.issuer()}", error="invalid_token"`,
    })
    return { answer }
  }
  const { refusal: throttled, headers: remaining } = throttle(request.method, request.url.pathname, claims.oid)
  const isServed = route !== undefined || knownResource(request.url.pathname) !== undefined
  const denied = throttled ?? (isServed ? deniedTo(arm, claims.oid, request) : undefined)
  if (denied !== undefined) return { answer: denied, remaining }
  const fault = arm.faults.takeHttp(request.method, request.url.pathname)
  const answer = (): ArmAnswer | Promise<ArmAnswer> => handle(arm, request, { principalId: claims.oid, route, params })
  return { answer: await (fault === undefined ? answer() : faulty(arm, fault, answer)), remaining }
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

function handle(
  arm: Arm,
  request: HttpRequest,
  { principalId, route, params }: Asked & { readonly principalId: string },
): ArmAnswer | Promise<ArmAnswer> {
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

function bodyOf(request: HttpRequest): Record<string, unknown> | undefined {
  if (request.body === '') return request.method === 'PUT' || request.method === 'PATCH' ? undefined : {}
  const parsed = parsedJson(request.body)
  return isRecord(parsed) ? parsed : undefined
}

function standardHeaders(): Record<string, string> {
  const id = crypto.randomUUID()
  return {
    'x-ms-request-id': id,
    'x-ms-correlation-request-id': id,
    'cache-control': 'no-cache',
  }
}
