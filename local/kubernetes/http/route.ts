import createRouter from 'find-my-way'
import { ISSUER_PATHS } from '../access/accountIssuer.ts'

/** The destination of a request: a fixed endpoint, a discovery document, or a resource. */
export type Route =
  | { readonly kind: 'endpoint'; readonly name: string }
  | { readonly kind: 'discovery'; readonly group: string | undefined; readonly version: string | undefined }
  | ResourceRoute

export interface ResourceRoute {
  readonly kind: 'resource'
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

type Params = { readonly [key: string]: string | undefined }
type Make = (params: Params) => Route

const ISSUER_DOCUMENTS = [ISSUER_PATHS.configuration, ISSUER_PATHS.keys]
const ENDPOINTS = [
  ...ISSUER_DOCUMENTS,
  '/',
  '/version',
  '/healthz',
  '/readyz',
  '/livez',
  '/openapi/v2',
  '/openapi/v3',
  '/metrics',
  '/api',
  '/apis',
]

/** Returns a function that parses a path into a route. It returns undefined for a path of unknown form. */
export function createRoutes(): (path: string) => Route | undefined {
  const router = createRouter({ ignoreTrailingSlash: true, maxParamLength: 512 })
  const add = (path: string, make: Make): void => {
    router.on('GET', path, () => undefined, make)
  }
  for (const path of ENDPOINTS) add(path, () => ({ kind: 'endpoint', name: path }))
  for (const path of ['/healthz/*', '/readyz/*', '/livez/*']) add(path, () => ({ kind: 'endpoint', name: path.slice(0, -2) }))
  add('/openapi/v3/*', (params) => ({ kind: 'endpoint', name: `/openapi/v3/${params['*'] ?? ''}` }))
  add('/api/:version', (params) => ({ kind: 'discovery', group: '', version: params['version'] }))
  add('/apis/:group', (params) => ({ kind: 'discovery', group: params['group'], version: undefined }))
  add('/apis/:group/:version', (params) => ({ kind: 'discovery', group: params['group'], version: params['version'] }))
  for (const prefix of ['/api/:version', '/apis/:group/:version']) addResources(add, prefix)
  return (path) => {
    const found = router.find('GET', path)
    if (!found) return undefined
    const make: Make = found.store
    return make(found.params)
  }
}

function addResources(add: (path: string, make: Make) => void, prefix: string): void {
  add(`${prefix}/:plural`, (params) => resource(params, {}))
  add(`${prefix}/:plural/:name`, (params) => resource(params, {}))
  add(`${prefix}/:plural/:name/:subresource`, (params) => resource(params, {}))
  add(`${prefix}/:plural/:name/:subresource/*`, (params) => resource(params, {}))
  add(`${prefix}/namespaces/:namespace/:plural`, (params) => ofNamespace(params))
  add(`${prefix}/namespaces/:namespace/:plural/:name`, (params) => resource(params, {}))
  add(`${prefix}/namespaces/:namespace/:plural/:name/:subresource`, (params) => resource(params, {}))
  add(`${prefix}/namespaces/:namespace/:plural/:name/:subresource/*`, (params) => resource(params, {}))
  add(`${prefix}/namespaces`, (params) => resource(params, { plural: 'namespaces' }))
  add(`${prefix}/namespaces/:namespace`, (params) =>
    resource({ ...params, namespace: '' }, { plural: 'namespaces', name: params['namespace'] ?? '' }),
  )
}

/** `/namespaces/x/status` is a subresource of the namespace, `/namespaces/x/pods` is a list. */
function ofNamespace(params: Params): Route {
  const last = params['plural'] ?? ''
  if (last !== 'status' && last !== 'finalize') return resource(params, {})
  return resource({ ...params, namespace: '', plural: 'namespaces' }, { name: params['namespace'] ?? '', subresource: last })
}

function resource(params: Params, change: Partial<ResourceRoute>): ResourceRoute {
  return {
    kind: 'resource',
    group: params['group'] ?? '',
    version: params['version'] ?? '',
    plural: params['plural'] ?? '',
    namespace: params['namespace'] ?? '',
    name: params['name'] ?? '',
    subresource: params['subresource'] ?? '',
    ...change,
  }
}
