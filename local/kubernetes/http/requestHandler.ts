import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageOf } from '../../../shared/base/result.ts'
import type { Authentication } from '../access/authentication.ts'
import type { Authorizer } from '../access/authorization.ts'
import { actingUser } from '../access/impersonation.ts'
import { restrictCreate } from '../access/nodeRestriction.ts'
import { oneGroup, resourceList } from '../discovery/discovery.ts'
import { answerMetrics } from '../metrics/answerMetrics.ts'
import { isMetrics } from '../metrics/metricsResources.ts'
import type { JsonObject } from '../object/json.ts'
import { isReview } from '../resources/reviewResources.ts'
import type { Target } from '../verbs/api.ts'
import { answerReview, type Judges } from '../verbs/review.ts'
import { handleSubresource } from '../verbs/subresources.ts'
import { mediaType, parseBody, readBody } from './body.ts'
import { type EndpointDeps, handleEndpoint, PUBLIC_ENDPOINTS } from './endpoints.ts'
import { type Reply, refusal, send } from './reply.ts'
import { handleResource, type ResourceCall, type ResourceDeps } from './resourceHandler.ts'
import { createRoutes, type ResourceRoute, type Route } from './route.ts'
import { badRequest, methodNotAllowed, noSuchPath, StatusError } from './statusError.ts'

export interface HandlerDeps extends ResourceDeps, EndpointDeps {
  readonly authentication: Authentication
  readonly authorize: Authorizer
  readonly judges: Judges
}

/** The HTTP edge, and the only place where a refusal becomes an answer. */
export function createRequestHandler(deps: HandlerDeps): (request: IncomingMessage, response: ServerResponse) => void {
  const routes = createRoutes()
  return (request, response) => {
    const wantsYaml = (request.headers.accept ?? '').split(',')[0]?.trim().startsWith('application/yaml') ?? false
    answer(deps, routes, request, response)
      .then((reply) => reply && send(response, reply, wantsYaml))
      .catch((error: unknown) => send(response, asRefusal(error), wantsYaml))
  }
}

function asRefusal(error: unknown): Reply {
  if (error instanceof StatusError) return refusal(error.answer)
  const message = `Internal error occurred: ${messageOf(error)}`
  return refusal({ code: 500, reason: 'InternalError', message })
}

async function answer(
  deps: HandlerDeps,
  routes: (path: string) => Route | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply | undefined> {
  const url = readUrl(request.url ?? '/')
  const sender = await deps.authentication.authenticate(request.headers.authorization)
  const user = actingUser(sender, request.headers, deps.authorize)
  const route = routes(url.pathname)
  if (!route || route.kind !== 'resource') return nonResource(deps, url.pathname, route, request, user)
  const target = findTarget(deps, route)
  const verb = verbOf(request.method ?? 'GET', route, url.searchParams)
  deps.authorize(user, {
    verb,
    group: route.group,
    plural: route.plural,
    subresource: route.subresource,
    namespace: route.namespace,
    name: route.name,
    fieldSelector: url.searchParams.get('fieldSelector') ?? '',
  })
  if (!target) throw noSuchPath()
  if (target.subresource === '' && !target.resource.verbs.includes(verb)) throw methodNotAllowed()
  const body = await readBody(request)
  return dispatch(deps, { verb, target, query: url.searchParams, user, request, response, body })
}

function dispatch(deps: HandlerDeps, call: ResourceCall): Reply | undefined {
  const { target, user, body } = call
  const type = mediaType(call.request)
  if (call.verb === 'create') restrictCreate(user, target, body, type)
  if (isReview(target.resource)) return answerReview(deps.judges, target, parseBody(body, type) ?? null, user)
  if (isMetrics(target.resource)) return answerMetrics(deps.api, call)
  if (target.subresource !== '' && target.subresource !== 'status') return handleSubresource(deps, call)
  return handleResource(deps, call)
}

/** Only a path is accepted: `//x` must not be read as a host. */
function readUrl(text: string): URL {
  if (!text.startsWith('/') || !URL.canParse(`https://localhost${text}`))
    throw badRequest(`the request's path ${JSON.stringify(text)} is none`)
  return new URL(`https://localhost${text}`)
}

function nonResource(
  deps: HandlerDeps,
  path: string,
  route: Exclude<Route, ResourceRoute> | undefined,
  request: IncomingMessage,
  user: Parameters<Authorizer>[0],
): Reply {
  const isPublic = route?.kind === 'endpoint' && PUBLIC_ENDPOINTS.has(route.name)
  if (!isPublic) deps.authorize(user, { verb: (request.method ?? 'GET').toLowerCase(), path })
  if (!route) throw noSuchPath()
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed()
  if (route.kind === 'endpoint') return handleEndpoint(deps, route.name, request.headers.accept ?? '')
  return { code: 200, body: discoveryOf(deps, route.group ?? '', route.version) }
}

function discoveryOf({ api }: HandlerDeps, group: string, version: string | undefined): JsonObject {
  const found = version === undefined ? oneGroup(api.catalogue, group) : resourceList(api.catalogue, group, version)
  if (!found) throw noSuchPath()
  return found
}

function findTarget({ api }: HandlerDeps, route: ResourceRoute): Target | undefined {
  const served = api.catalogue.find(route.group, route.version, route.plural)
  if (!served) return undefined
  const { resource } = served
  if (!resource.namespaced && route.namespace !== '') return undefined
  if (resource.namespaced && route.name !== '' && route.namespace === '') return undefined
  if (route.subresource !== '' && !resource.subresources.includes(route.subresource)) return undefined
  return { ...served, namespace: route.namespace, name: route.name, subresource: route.subresource }
}

function verbOf(method: string, route: ResourceRoute, query: URLSearchParams): string {
  const watches = !['false', '0'].includes((query.get('watch') ?? 'false').toLowerCase())
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watches && route.subresource === '') return 'watch'
      return route.name === '' ? 'list' : 'get'
    case 'POST':
      if (route.name !== '' && route.subresource === '') throw methodNotAllowed()
      return 'create'
    case 'PUT':
      if (route.name === '') throw methodNotAllowed()
      return 'update'
    case 'PATCH':
      if (route.name === '') throw methodNotAllowed()
      return 'patch'
    case 'DELETE':
      return route.name === '' ? 'deletecollection' : 'delete'
    default:
      throw methodNotAllowed()
  }
}
