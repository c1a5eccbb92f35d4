import type { JsonObject } from '../object/json.ts'
import type { Catalogue } from '../resources/catalogue.ts'
import { apiVersionOf, type Resource, versionOf } from '../resources/resource.ts'

interface GroupVersions {
  readonly group: string
  /** Preferred first. */
  readonly versions: readonly string[]
}

/** Orders versions as clients prefer them: `v1` before `v1beta1` before `v1alpha2`. */
export function byVersionPriority(first: string, second: string): number {
  return rank(second) - rank(first)
}

function rank(version: string): number {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  if (!match) return -1
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0
  return stage * 1e6 + Number(match[1]) * 1e3 + Number(match[3] ?? 0)
}

export function groupsOf(catalogue: Catalogue): readonly GroupVersions[] {
  const groups = new Map<string, Set<string>>()
  for (const resource of catalogue.all()) {
    const versions = groups.get(resource.group) ?? new Set<string>()
    for (const version of resource.versions) versions.add(version.name)
    groups.set(resource.group, versions)
  }
  return [...groups].map(([group, versions]) => ({ group, versions: [...versions].sort(byVersionPriority) }))
}

export function coreVersions(address: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  }
}

export function groupList(catalogue: Catalogue): JsonObject {
  const groups = groupsOf(catalogue).filter(({ group }) => group !== '')
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) }
}

export function oneGroup(catalogue: Catalogue, group: string): JsonObject | undefined {
  const found = groupsOf(catalogue).find((candidate) => candidate.group === group)
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(found) }
}

function describeGroup({ group, versions }: GroupVersions): JsonObject {
  const named = versions.map((version) => ({ groupVersion: apiVersionOf(group, version), version }))
  return { name: group, versions: named, preferredVersion: named[0] }
}

export function resourceList(catalogue: Catalogue, group: string, version: string): JsonObject | undefined {
  const found = catalogue.all().filter((resource) => resource.group === group && versionOf(resource, version))
  if (found.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(group, version),
    resources: found.flatMap((resource) => [
      describeResource(resource),
      ...resource.subresources.map((name) => describeSubresource(resource, name)),
    ]),
  }
}

function describeResource(resource: Resource): JsonObject {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    storageVersionHash: '',
  }
}

interface SubresourceKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

const READ_WRITE = ['get', 'patch', 'update']

function subresourceKind(resource: Resource, name: string): SubresourceKind {
  const own = { group: resource.group, version: resource.versions[0]?.name ?? 'v1', kind: resource.kind }
  switch (name) {
    case 'scale':
      return { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: READ_WRITE }
    case 'eviction':
      return { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] }
    case 'binding':
      return { ...own, kind: 'Binding', verbs: ['create'] }
    case 'token':
      return { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] }
    case 'log':
      return { ...own, verbs: ['get'] }
    case 'exec':
    case 'attach':
    case 'portforward':
    case 'proxy':
      return { ...own, kind: `Pod${name.charAt(0).toUpperCase()}${name.slice(1)}Options`, verbs: ['create', 'get'] }
    case 'finalize':
      return { ...own, verbs: ['update'] }
    default:
      return { ...own, verbs: READ_WRITE }
  }
}

function describeSubresource(resource: Resource, name: string): JsonObject {
  const { group, version, kind, verbs } = subresourceKind(resource, name)
  const foreign = group === resource.group ? {} : { group, version }
  return { name: `${resource.plural}/${name}`, singularName: '', namespaced: resource.namespaced, ...foreign, kind, verbs: [...verbs] }
}

/** Returns the aggregated discovery document, which clients ask for first. It holds everything in one answer. */
export function aggregated(catalogue: Catalogue, core: boolean, apiVersion: string): JsonObject {
  const groups = groupsOf(catalogue).filter(({ group }) => (group === '') === core)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        freshness: 'Current',
        resources: catalogue
          .all()
          .filter((resource) => resource.group === group && versionOf(resource, version))
          .map((resource) => aggregatedResource(resource, version)),
      })),
    })),
  }
}

function aggregatedResource(resource: Resource, version: string): JsonObject {
  return {
    resource: resource.plural,
    responseKind: { group: resource.group, version, kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(resource.subresources.length > 0
      ? {
          subresources: resource.subresources.map((name) => {
            const { verbs, ...kind } = subresourceKind(resource, name)
            return { subresource: name, responseKind: { ...kind }, verbs: [...verbs] }
          }),
        }
      : {}),
  }
}
