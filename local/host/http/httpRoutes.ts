import { METHODS } from 'node:http'
import type { HTTPMethod } from 'find-my-way'
import findMyWay from 'find-my-way'
import { ownValue } from '../../../shared/base/values.ts'
import type { HostFunction } from '../app/hostFunction.ts'
import { HostError } from '../base/hostError.ts'

export type RouteMatch = { readonly target: HostFunction; readonly params: readonly (readonly [string, string])[] }
export type HttpRoutes = { find(method: string, path: string): RouteMatch | undefined }

/** The values that a route constraint allows, as a regular expression for one segment. */
const CONSTRAINTS: { readonly [name: string]: string } = {
  int: '^-?\\d+$',
  long: '^-?\\d+$',
  bool: '^(?:true|false|True|False)$',
  alpha: '^[A-Za-z]+$',
  guid: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
}
const LONGEST_PARAMETER = 2_048

/** The HTTP functions at `/<prefix>/<route>`. Routes are matched without regard to case, literal segments first. */
export function createHttpRoutes(functions: readonly HostFunction[], routePrefix: string): HttpRoutes {
  const router = findMyWay({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    maxParamLength: LONGEST_PARAMETER,
  })
  const targets = new Map<object, HostFunction>()
  for (const target of functions) {
    if (target.trigger.kind !== 'http' || target.disabled) continue
    const { methods, route } = target.trigger
    if (/^\/?(admin|runtime)(\/|$)/i.test(route) && routePrefix === '')
      throw new HostError(`function ${target.name}: route ${route} is reserved`)
    const handler = () => undefined
    targets.set(handler, target)
    for (const path of pathsOf(target.name, [routePrefix, route].filter((part) => part !== '').join('/')))
      for (const method of methods) router.on(methodOf(target.name, method), path, handler)
  }
  return {
    find: (method, path) => {
      const found = isMethod(method) ? router.find(method, path.replaceAll(/%2f/gi, keptEncoded)) : null
      const target = found === null ? undefined : targets.get(found.handler)
      if (found === null || target === undefined) return undefined
      const params = Object.entries(found.params).map(([name, value]) => [name === '*' ? wildcardName(target) : name, value ?? ''] as const)
      return { target, params: params.filter(([, value]) => value !== '') }
    },
  }
}

/** The router decodes parameters. The platform decodes all but an encoded slash. */
function keptEncoded(slash: string): string {
  return `%25${slash.slice(1)}`
}

/** Returns a template in the notation of the router. A template with an optional last parameter becomes two paths. */
function pathsOf(name: string, template: string): readonly string[] {
  const segments = template.split('/').filter((segment) => segment !== '')
  const last = segments.at(-1) ?? ''
  const paths = [`/${segments.map((segment) => segmentOf(name, segment)).join('/')}`]
  if (/^\{[^*].*\?\}$/.test(last))
    paths.push(
      `/${segments
        .slice(0, -1)
        .map((segment) => segmentOf(name, segment))
        .join('/')}`,
    )
  return paths
}

function segmentOf(name: string, segment: string): string {
  const match = /^\{(\*{0,2})(\w+)(?::(\w+))?\??\}$/.exec(segment)
  if (match === null) {
    if (/[{}]/.test(segment))
      throw new HostError(`function ${name}: route segment ${segment} is not emulated; a parameter must fill a whole segment`)
    return segment.replaceAll(':', '::')
  }
  const [, star, parameter, constraint] = match
  if (star !== '') return '*'
  if (constraint === undefined) return `:${parameter}`
  const pattern = ownValue(CONSTRAINTS, constraint)
  if (pattern === undefined)
    throw new HostError(
      `function ${name}: route constraint ${constraint} is not emulated; known are ${Object.keys(CONSTRAINTS).join(', ')}`,
    )
  return `:${parameter}(${pattern})`
}

function wildcardName(target: HostFunction): string {
  const route = target.trigger.kind === 'http' ? target.trigger.route : ''
  return /\{\*{1,2}(\w+)\??\}/.exec(route)?.[1] ?? '*'
}

function methodOf(name: string, method: string): HTTPMethod {
  if (isMethod(method)) return method
  throw new HostError(`function ${name}: ${method} is not an HTTP method`)
}

function isMethod(method: string): method is HTTPMethod {
  return METHODS.includes(method)
}
