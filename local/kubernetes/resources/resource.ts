import type { JsonObject } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import type { FieldError } from '../schema/fieldError.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import type { TableLayout } from '../tables/tableLayout.ts'
import type { SelectableFields } from './fieldSelector.ts'

/** What a strategy may read besides the object. */
export interface WriteContext {
  readonly now: string
  readonly user: { readonly name: string; readonly uid: string; readonly groups: readonly string[] }
  /** Reads another object, for defaults that come from elsewhere (a priority class, a storage class). */
  readonly find: (resource: string, namespace: string, name: string) => KubeObject | undefined
  readonly findAll: (resource: string, namespace: string) => readonly KubeObject[]
}

/** The rules of one resource: its defaults, the fields that clients may not write, and its validation. */
export interface Strategy {
  /** Adds defaults to a written object, at create and at update. */
  readonly defaults?: (object: KubeObject) => KubeObject
  readonly prepareForCreate?: (object: KubeObject, context: WriteContext) => KubeObject
  readonly prepareForUpdate?: (next: KubeObject, previous: KubeObject, context: WriteContext) => KubeObject
  readonly prepareForStatus?: (next: KubeObject, previous: KubeObject, context: WriteContext) => KubeObject
  readonly validate?: (object: KubeObject, previous: KubeObject | undefined) => readonly FieldError[]
  readonly validateStatus?: (object: KubeObject, previous: KubeObject) => readonly FieldError[]
  /** True: metadata.generation counts changes of everything but metadata and status. */
  readonly hasGeneration?: boolean
  /** True: a created object keeps its status (nodes). */
  readonly keepsStatusAtCreate?: boolean
  /** Returns why an object may never be deleted. Undefined if it may. */
  readonly keptBecause?: (object: KubeObject) => string | undefined
  /** Returns the grace period of a delete in seconds. Without this function, an object is deleted at once. */
  readonly graceSeconds?: (object: KubeObject, asked: number | undefined) => number
  readonly allowsCreateOnUpdate?: boolean
  /** The rule for names. Default: subdomain. */
  readonly nameRule?: 'subdomain' | 'label' | 'path'
}

export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** The path of the selector: an object (built-in), or a string in the status (custom). */
  readonly selector: readonly string[]
  /** True: the selector is a map of labels, without matchLabels and matchExpressions. */
  readonly selectsByLabels?: boolean
}

/** One served version of a resource. */
export interface ServedVersion {
  readonly name: string
  readonly table: TableLayout
  readonly schema?: StructuralSchema
  /** Set for versions whose fields differ from the stored fields. */
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
  /** The name of the collection in the store. Two resources may show one collection. */
  readonly storedAs: string
  readonly verbs: readonly string[]
  readonly subresources: readonly string[]
  readonly selectableFields: SelectableFields
  /** True for custom resources, whose list items have kind and apiVersion. Items of built-in resources do not. */
  readonly custom: boolean
  /** True: a delete that removes the object at once answers with the object instead of a Status. */
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
