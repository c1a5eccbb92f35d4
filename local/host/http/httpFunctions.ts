import type { HostFunction } from '../app/hostFunction.ts'
import { type InvocationResponse, nullables, type TypedData } from '../app/rpc.ts'
import type { HostLog } from '../base/hostLog.ts'
import { type HostKeys, keyOf, opensFunction } from './hostKeys.ts'
import type { HttpAnswer, HttpRequest } from './httpFront.ts'
import type { HttpRoutes } from './httpRoutes.ts'

export type HttpFunctionsOptions = {
  readonly routes: HttpRoutes
  readonly keys: HostKeys
  readonly log: HostLog
  /** Runs the handler and applies its outputs. */
  readonly run: (target: HostFunction, data: TypedData) => Promise<InvocationResponse>
}

/** Answers requests to the app's own functions. */
export async function answerFunction(request: HttpRequest, options: HttpFunctionsOptions): Promise<HttpAnswer> {
  const found = options.routes.find(request.method, request.url.pathname)
  if (found === undefined || found.target.trigger.kind !== 'http') return { status: 404 }
  const { target, params } = found
  const key = keyOf(request.headers['x-functions-key'], request.url.searchParams)
  if (!opensFunction(options.keys, target.name, found.target.trigger.authLevel, key)) return { status: 401 }
  let response: InvocationResponse
  try {
    response = await options.run(target, requestData(request, params))
  } catch {
    // the invoker has logged the error, and the platform does not report it to the caller either
    return { status: 500 }
  }
  return answerOf(target.name, response, options.log)
}

function requestData(request: HttpRequest, params: readonly (readonly [string, string])[]): TypedData {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value ?? '')] as const,
  )
  const names = [...new Set(request.url.searchParams.keys())]
  const query = names.map((name) => [name, request.url.searchParams.getAll(name).join(',')] as const)
  return {
    http: {
      method: request.method,
      url: request.url.href,
      nullableHeaders: nullables(headers.filter(([, value]) => value !== '')),
      nullableParams: nullables(params),
      nullableQuery: nullables(query),
      ...(request.body === undefined ? {} : { body: { bytes: request.body } }),
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
