import { type Resource, type ServedVersion, versionOf } from './resource.ts'

export interface Served {
  readonly resource: Resource
  readonly version: ServedVersion
}

/** Every served resource: built-in resources and those of CustomResourceDefinitions. */
export interface Catalogue {
  all(): readonly Resource[]
  find(group: string, version: string, plural: string): Served | undefined
  byKind(group: string, kind: string): Resource | undefined
  byStore(storedAs: string): Resource | undefined
  hasGroupVersion(group: string, version: string): boolean
  put(resource: Resource): void
  remove(group: string, plural: string): void
}

export function createCatalogue(builtins: readonly Resource[]): Catalogue {
  const resources = new Map<string, Resource>()
  const idOf = (group: string, plural: string): string => `${plural}.${group}`
  for (const resource of builtins) resources.set(idOf(resource.group, resource.plural), resource)
  const all = (): readonly Resource[] => [...resources.values()]
  return {
    all,
    find: (group, version, plural) => {
      const resource = resources.get(idOf(group, plural))
      const served = resource && versionOf(resource, version)
      return resource && served ? { resource, version: served } : undefined
    },
    byKind: (group, kind) => all().find((resource) => resource.group === group && resource.kind === kind),
    byStore: (storedAs) => all().find((resource) => resource.storedAs === storedAs && resource.verbs.includes('delete')),
    hasGroupVersion: (group, version) => all().some((resource) => resource.group === group && versionOf(resource, version) !== undefined),
    put: (resource) => resources.set(idOf(resource.group, resource.plural), resource),
    remove: (group, plural) => resources.delete(idOf(group, plural)),
  }
}
