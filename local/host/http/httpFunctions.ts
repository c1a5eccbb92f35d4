import type { HostFunction } from '../app/hostFunction.ts'
import type { Forward } from '../app/invoker.ts'
import { type InvocationResponse, nullables, type TriggerMetadata, type TypedData } from '../app/rpc.ts'
import type { HostLog } from '../base/hostLog.ts'
import { type HostKeys, keyOfRequest, opensFunction } from './hostKeys.ts'
import { BodyTooLarge, type ForwardOptions, forward } from './httpForward.ts'
import type { HttpAnswer, HttpRequest } from './httpFront.ts'
import type { HttpRoutes } from './httpRoutes.ts'

export type HttpFunctionsOptions = {
  readonly routes: HttpRoutes
  readonly keys: HostKeys
  readonly log: HostLog
  /** Runs the handler and applies its outputs. */
  readonly run: Run
  /** Undefined unless the app streams HTTP. */
  readonly streams: Pick<ForwardOptions, 'httpUri' | 'maxBodyBytes' | 'clock'> | undefined
}

type Run = (target: HostFunction, data: TypedData, metadata?: TriggerMetadata, forward?: Forward) => Promise<InvocationResponse>
type Parameters = readonly (readonly [string, string])[]

/** Answers requests to the app's own functions. */
export async function answerFunction(request: HttpRequest, options: HttpFunctionsOptions): Promise<HttpAnswer> {
  const found = options.routes.find(request.method, request.url.pathname)
  if (found === undefined || found.target.trigger.kind !== 'http') return { status: 404 }
  const { target, params } = found
  const key = keyOfRequest(request.headers['x-functions-key'], request.url.searchParams)
  if (!opensFunction(options.keys, target.name, found.target.trigger.authLevel, key)) return { status: 401 }
  if (options.streams !== undefined) return answerAsStream(request, target, params, options.run, options.streams)
  const data = await requestData(request, params, options.log)
  let response: InvocationResponse
  try {
    response = await options.run(target, data)
  } catch {
    // the invoker has logged the error, and the platform does not report it to the caller either
    return { status: 500 }
  }
  return answerOf(target.name, response, options.log)
}

/**
 * Runs the function with the connection of the client passed on to the worker. Everything that the worker answers goes to the client while the
 * function runs, so the answer here is only for a client that has got nothing.
 */
async function answerAsStream(
  request: HttpRequest,
  target: HostFunction,
  params: Parameters,
  run: Run,
  streams: NonNullable<HttpFunctionsOptions['streams']>,
): Promise<HttpAnswer> {
  const body = hasLength(request) ? await request.readBody() : undefined
  const metadata = streamMetadata(request, params, body)
  try {
    await run(target, { http: {} }, metadata, (invocationId, worker) =>
      forward({ ...streams, client: request.client, body, invocationId, worker }),
    )
    return { status: 200 }
  } catch (error) {
    // the platform answers so, though the function has failed
    return { status: error instanceof BodyTooLarge ? 200 : 500 }
  }
}

/**
 * What the library reads of a request that it gets as a stream. It takes each text but query and headers for a parameter of the route: the
 * platform puts the members of a JSON body and the query among them, and the parameters of the route on top.
 */
function streamMetadata(request: HttpRequest, params: Parameters, body: Buffer | undefined): TriggerMetadata {
  const query = queryOf(request)
  const texts = [...membersOf(body), ...query.filter(([name]) => name.toLowerCase() !== 'code'), ...params]
  return {
    ...Object.fromEntries(texts.map(([name, value]) => [name, { string: value }])),
    Query: { json: JSON.stringify(Object.fromEntries(query)) },
    Headers: { json: JSON.stringify(Object.fromEntries(headersOf(request))) },
  }
}

function membersOf(body: Buffer | undefined): Parameters {
  try {
    const value: unknown = JSON.parse(body?.toString('utf8') ?? '')
    const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
    return members.filter((member): member is [string, string] => typeof member[1] === 'string')
  } catch {
    return []
  }
}

function hasLength(request: HttpRequest): boolean {
  return Number(request.headers['content-length'] ?? 0) > 0
}

function queryOf(request: HttpRequest): Parameters {
  const names = [...new Set(request.url.searchParams.keys())]
  return names.map((name) => [name, request.url.searchParams.getAll(name).join(',')] as const)
}

function headersOf(request: HttpRequest): Parameters {
  return Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value ?? '')] as const)
}

async function requestData(request: HttpRequest, params: Parameters, log: HostLog): Promise<TypedData> {
  if (request.headers['transfer-encoding'] !== undefined)
    log(
      'warning',
      'Host.Http',
      `${request.method} ${request.url.pathname}: the body came without content-length; the platform hands it to no function`,
    )
  return {
    http: {
      method: request.method,
      url: request.url.href,
      nullableHeaders: nullables(headersOf(request).filter(([, value]) => value !== '')),
      nullableParams: nullables(params),
      nullableQuery: nullables(queryOf(request)),
      ...(hasLength(request) ? { body: { bytes: await request.readBody() } } : {}),
    },
  }
}

function answerOf(name: string, response: InvocationResponse, log: HostLog): HttpAnswer {
  const http = response.returnValue?.http
  if (http === undefined) {
    // versions of the platform differ here: they answer 200 or 204
    log('warning', `Function.${name}`, `${name} returned no response: answered 204; return an explicit status`)
    return { status: 204 }
  }
  if (http.cookies !== undefined && http.cookies.length > 0) {
    log('error', `Function.${name}`, `${name} set cookies, which are not emulated`)
    return { status: 501, body: 'response cookies are not emulated' }
  }
  const body = http.body?.bytes
  return { status: Number(http.statusCode), headers: { ...http.headers }, ...(body === undefined ? {} : { body }) }
}
