import type { JsonObject } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import type { FieldError } from '../schema/fieldError.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import type { TableLayout } from '../tables/tableLayout.ts'
import type { SelectableFields } from './fieldSelector.ts'

/** What a strategy may look at besides the object. */
export interface WriteContext {
  readonly now: string
  readonly user: { readonly name: string; readonly uid: string; readonly groups: readonly string[] }
  /** Reads another object, for defaults that come from elsewhere (a priority class, a storage class). */
  readonly find: (resource: string, namespace: string, name: string) => KubeObject | undefined
  readonly findAll: (resource: string, namespace: string) => readonly KubeObject[]
}

/** What is peculiar to one resource: its defaults, what a client may not write, its rules. */
export interface Strategy {
  /** Defaults of what was written, at create and at update. */
  readonly defaults?: (object: KubeObject) => KubeObject
  readonly prepareForCreate?: (object: KubeObject, context: WriteContext) => KubeObject
  readonly prepareForUpdate?: (next: KubeObject, previous: KubeObject, context: WriteContext) => KubeObject
  readonly prepareForStatus?: (next: KubeObject, previous: KubeObject, context: WriteContext) => KubeObject
  readonly validate?: (object: KubeObject, previous: KubeObject | undefined) => readonly FieldError[]
  readonly validateStatus?: (object: KubeObject, previous: KubeObject) => readonly FieldError[]
  /** True: metadata.generation counts changes of everything but metadata and status. */
  readonly hasGeneration?: boolean
  /** True: a create keeps the status it brings (nodes). */
  readonly keepsStatusAtCreate?: boolean
  /** Why an object may never be deleted; undefined when it may. */
  readonly keptBecause?: (object: KubeObject) => string | undefined
  /** Seconds of grace a delete gives; undefined means at once. */
  readonly graceSeconds?: (object: KubeObject, asked: number | undefined) => number
  readonly allowsCreateOnUpdate?: boolean
  /** Which names are allowed; subdomains where nothing is said. */
  readonly nameRule?: 'subdomain' | 'label' | 'path'
}

export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Where the selector stands: an object (built-in), or a text in the status (custom). */
  readonly selector: readonly string[]
  /** The selector is labels, not matchLabels and matchExpressions. */
  readonly selectsByLabels?: boolean
}

/** One served version of a resource. */
export interface ServedVersion {
  readonly name: string
  readonly table: TableLayout
  readonly schema?: StructuralSchema
  /** For versions whose fields differ from the stored ones. */
  readonly codec?: {
    readonly toClient: (stored: KubeObject) => KubeObject
    readonly fromClient: (written: KubeObject) => KubeObject
  }
}

export interface Resource {
  readonly group: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** Preferred first. */
  readonly versions: readonly ServedVersion[]
  readonly storageVersion: string
  /** The store's name of the collection; two resources may show one collection. */
  readonly storedAs: string
  readonly verbs: readonly string[]
  readonly subresources: readonly string[]
  readonly selectableFields: SelectableFields
  /** Custom resources carry kind and apiVersion in list items, built-in ones do not. */
  readonly custom: boolean
  /** A delete that removes at once answers with the object instead of a Status. */
  readonly returnsDeleted: boolean
  readonly scale?: ScalePaths
  readonly strategy: Strategy
}

export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

export function versionOf(resource: Resource, name: string): ServedVersion | undefined {
  return resource.versions.find((version) => version.name === name)
}

export function asStored(resource: Resource, object: JsonObject & KubeObject): KubeObject {
  const apiVersion = apiVersionOf(resource.group, resource.storageVersion)
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}
