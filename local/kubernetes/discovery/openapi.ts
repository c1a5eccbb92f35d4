import { stableHash } from '../../../shared/base/stableHash.ts'
import type { JsonObject } from '../object/json.ts'
import type { Catalogue } from '../resources/catalogue.ts'
import { type Resource, type ServedVersion, versionOf } from '../resources/resource.ts'
import { builtinComponents } from './builtinComponents.ts'
import { groupsOf } from './discovery.ts'

/** Returns the index of OpenAPI v3 documents, one for each group version. */
export function openApiIndex(catalogue: Catalogue): JsonObject {
  const entries = groupsOf(catalogue).flatMap(({ group, versions }) =>
    versions.map((version) => [pathOf(group, version), { group, version }] as const),
  )
  return {
    paths: Object.fromEntries(
      entries.map(([path, { group, version }]) => {
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(catalogue, group, version).toUpperCase()}` }]
      }),
    ),
  }
}

/** Hashes of groups without custom resources. Their documents are long and never change. */
const fixed = new Map<string, string>()

function hashOf(catalogue: Catalogue, group: string, version: string): string {
  const path = pathOf(group, version)
  const known = fixed.get(path)
  if (known !== undefined) return known
  const hash = stableHash(openApiDocument(catalogue, group, version) ?? null)
  if (!catalogue.all().some((resource) => resource.custom && resource.group === group)) fixed.set(path, hash)
  return hash
}

function pathOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

/**
 * Returns the OpenAPI v3 document of a group version: paths with the parameters that clients look for, schemas of custom resources, and names and
 * types of the fields of built-in kinds. Built-in kinds offer no strategic merge patch here, because the schema has no merge keys and a client would
 * build wrong patches from it. Clients then use the merge keys that they have themselves.
 */
export function openApiDocument(catalogue: Catalogue, group: string, version: string): JsonObject | undefined {
  const found = catalogue.all().flatMap((resource) => {
    const served = resource.group === group ? versionOf(resource, version) : undefined
    return served ? [{ resource, served }] : []
  })
  if (found.length === 0) return undefined
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'embedded' },
    paths: Object.fromEntries(found.flatMap(({ resource, served }) => pathsOf(resource, served))),
    components: {
      schemas: Object.assign({}, ...found.map(({ resource, served }) => schemasOf(resource, served))),
    },
  }
}

function gvk(resource: Resource, served: ServedVersion): JsonObject {
  return { group: resource.group, version: served.name, kind: resource.kind }
}

function schemaName(resource: Resource, served: ServedVersion): string {
  if (resource.custom) return `${resource.group.split('.').toReversed().join('.')}.${served.name}.${resource.kind}`
  const group = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? 'core')
  return `io.k8s.api.${group}.${served.name}.${resource.kind}`
}

/** Returns the schema of a kind and of its inner types. */
function schemasOf(resource: Resource, served: ServedVersion): JsonObject {
  const builtin = served.schema ? undefined : builtinComponents(resource.kind, served.name)
  const inner = builtin?.inner ?? {}
  const own = builtin ? { ...builtin.root, 'x-kubernetes-group-version-kind': [gvk(resource, served)] } : schemaOf(resource, served)
  return { ...inner, [schemaName(resource, served)]: own }
}

const META = { type: 'object', description: 'Standard object metadata.', 'x-kubernetes-preserve-unknown-fields': true }

function schemaOf(resource: Resource, served: ServedVersion): JsonObject {
  const texts = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: META }
  if (!served.schema) {
    return {
      type: 'object',
      properties: texts,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-group-version-kind': [gvk(resource, served)],
    }
  }
  const { properties, ...rest } = served.schema
  return { ...rest, properties: { ...properties, ...texts }, 'x-kubernetes-group-version-kind': [gvk(resource, served)] }
}

function pathsOf(resource: Resource, served: ServedVersion): [string, JsonObject][] {
  const scope = resource.namespaced ? '/namespaces/{namespace}' : ''
  const root = `/${pathOf(resource.group, served.name)}${scope}/${resource.plural}`
  const write = (method: string, types: readonly string[]): JsonObject => operation(resource, served, method, types)
  const only = (verb: string, method: string, made: JsonObject): JsonObject => (resource.verbs.includes(verb) ? { [method]: made } : {})
  const all = { ...only('list', 'get', write('list', [])), ...only('create', 'post', write('post', JSON_BODY)) }
  const one = {
    ...only('get', 'get', write('get', [])),
    ...only('update', 'put', write('put', JSON_BODY)),
    ...only('patch', 'patch', write('patch', ['application/json-patch+json', 'application/merge-patch+json'])),
    ...only('delete', 'delete', write('delete', JSON_BODY)),
  }
  return [[root, all], ...(resource.verbs.includes('get') ? [[`${root}/{name}`, one] satisfies [string, JsonObject]] : [])]
}

const JSON_BODY = ['application/json']
const WRITES = new Set(['post', 'put', 'patch', 'delete'])
const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}))

function operation(resource: Resource, served: ServedVersion, action: string, types: readonly string[]): JsonObject {
  const content = { schema: { $ref: `#/components/schemas/${schemaName(resource, served)}` } }
  return {
    ...(WRITES.has(action) ? { parameters: PARAMETERS } : {}),
    ...(types.length > 0 ? { requestBody: { content: Object.fromEntries(types.map((type) => [type, content])) } } : {}),
    responses: { '200': { description: 'OK', content: { 'application/json': content } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk(resource, served),
  }
}

export function openApiGroupVersion(path: string): { readonly group: string; readonly version: string } | undefined {
  const match = /^(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))$/.exec(path)
  if (!match) return undefined
  return { group: match[2] ?? '', version: match[1] ?? match[3] ?? '' }
}
