import { aggregated, coreVersions, groupList } from '../discovery/discovery.ts'
import type { Api } from '../verbs/api.ts'
import type { Reply } from './reply.ts'
import { noSuchPath, notImplemented } from './statusError.ts'

export interface EndpointDeps {
  readonly api: Api
  readonly version: string
  readonly address: () => string
}

/** Paths anyone may read without a credential. */
export const PUBLIC_ENDPOINTS = new Set(['/version', '/healthz', '/readyz', '/livez'])

/** Answers the fixed paths: health, version, discovery roots. */
export function handleEndpoint(deps: EndpointDeps, name: string, accept: string): Reply {
  const { catalogue } = deps.api
  switch (name) {
    case '/healthz':
    case '/readyz':
    case '/livez':
      return { code: 200, body: 'ok', contentType: 'text/plain; charset=utf-8' }
    case '/version':
      return { code: 200, body: describeVersion(deps.version) }
    case '/':
      return { code: 200, body: { paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'] } }
    case '/api':
      return {
        code: 200,
        ...(wantsAggregated(accept, (version) => aggregated(catalogue, true, version)) ?? { body: coreVersions(deps.address()) }),
      }
    case '/apis':
      return {
        code: 200,
        ...(wantsAggregated(accept, (version) => aggregated(catalogue, false, version)) ?? { body: groupList(catalogue) }),
      }
    case '/metrics':
      throw notImplemented('metrics')
    default:
      throw noSuchPath()
  }
}

function wantsAggregated(accept: string, make: (apiVersion: string) => Reply['body']): Pick<Reply, 'body' | 'contentType'> | undefined {
  for (const version of ['v2', 'v2beta1']) {
    if (!accept.includes(`g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)) continue
    return {
      body: make(`apidiscovery.k8s.io/${version}`),
      contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    }
  }
  return undefined
}

function describeVersion(gitVersion: string): Reply['body'] {
  const [, major = '1', minor = '0'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? []
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'embedded',
    platform: 'linux/amd64',
  }
}
