import { type AccountIssuer, ISSUER_PATHS } from '../access/accountIssuer.ts'
import { aggregated, coreVersions, groupList } from '../discovery/discovery.ts'
import { openApiDocument, openApiGroupVersion, openApiIndex } from '../discovery/openapi.ts'
import type { Api } from '../verbs/api.ts'
import type { Reply } from './reply.ts'
import { noSuchPath, notAcceptable, notImplemented } from './statusError.ts'

export interface EndpointDeps {
  readonly api: Api
  readonly accounts: AccountIssuer
  readonly version: string
  readonly address: () => string
}

/** Paths that anyone may read without a credential. AKS serves the documents of the last two at a public address of their own. */
export const PUBLIC_ENDPOINTS = new Set(['/version', '/healthz', '/readyz', '/livez', ISSUER_PATHS.configuration, ISSUER_PATHS.keys])

/** The only media type of the keys. */
const KEYS_TYPE = 'application/jwk-set+json'

/** Answers the fixed paths: health, version, discovery roots. */
export function handleEndpoint(deps: EndpointDeps, name: string, accept: string): Reply {
  const { catalogue } = deps.api
  switch (name) {
    case '/healthz':
    case '/readyz':
    case '/livez':
      return { code: 200, body: 'ok', contentType: 'text/plain; charset=utf-8' }
    case ISSUER_PATHS.configuration:
      return { code: 200, body: deps.accounts.configuration() }
    case ISSUER_PATHS.keys:
      if (![KEYS_TYPE, '*/*', ''].some((type) => accept.split(',').some((each) => each.trim() === type))) throw notAcceptable(KEYS_TYPE)
      return { code: 200, body: JSON.parse(JSON.stringify(deps.accounts.keys())), contentType: KEYS_TYPE }
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
    case '/openapi/v3':
      return { code: 200, body: openApiIndex(catalogue) }
    case '/openapi/v2':
      return { code: 200, body: EMPTY_OPENAPI_V2, contentType: OPENAPI_V2_TYPE }
    default:
      return openApi(deps, name)
  }
}

/**
 * A client that finds a kind in no version 3 document looks for it in version 2, in protobuf, and reports a failure there as the reason. A document
 * with nothing but its version lets the client report the real reason: the kind is not served.
 */
const EMPTY_OPENAPI_V2 = '\n\u00032.0'
const OPENAPI_V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

function openApi(deps: EndpointDeps, name: string): Reply {
  const asked = name.startsWith('/openapi/v3/') ? openApiGroupVersion(name.slice('/openapi/v3/'.length)) : undefined
  const document = asked && openApiDocument(deps.api.catalogue, asked.group, asked.version)
  if (!document) throw noSuchPath()
  return { code: 200, body: document }
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
