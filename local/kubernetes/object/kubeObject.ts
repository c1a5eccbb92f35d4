import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { isList, isObject, type Json, type JsonObject } from './json.ts'

export interface OwnerReference extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ObjectMeta extends JsonObject {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string | null
  readonly deletionTimestamp?: string | null
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: { readonly [key: string]: string }
  readonly annotations?: { readonly [key: string]: string }
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly JsonObject[]
}

/** A Kubernetes object as the server keeps it. Its metadata is checked, and the rest is as the strategy of the resource left it. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

export type MetaProblem = { readonly path: string; readonly want: string; readonly got: string }

const TEXT_MEMBERS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'selfLink']

/** Checks whether a JSON object has the shape of a Kubernetes object. Returns the first member of a wrong type, or undefined. */
export function checkShape(value: JsonObject): MetaProblem | undefined {
  if (typeof value['apiVersion'] !== 'string') return wrong('apiVersion', 'string', value['apiVersion'])
  if (typeof value['kind'] !== 'string') return wrong('kind', 'string', value['kind'])
  const meta = value['metadata']
  if (!isObject(meta)) return wrong('metadata', 'ObjectMeta', meta)
  return checkMeta(meta)
}

/** The same check as a type guard. */
export function isKubeObject(value: Json | undefined): value is KubeObject {
  return isObject(value) && checkShape(value) === undefined
}

function checkMeta(meta: JsonObject): MetaProblem | undefined {
  for (const member of TEXT_MEMBERS) {
    const found = ownValue(meta, member)
    if (found !== undefined && found !== null && typeof found !== 'string') return wrong(`metadata.${member}`, 'string', found)
  }
  for (const member of ['labels', 'annotations']) {
    const problem = checkTextMap(`metadata.${member}`, ownValue(meta, member))
    if (problem) return problem
  }
  return checkFinalizers(meta['finalizers']) ?? checkOwners(meta['ownerReferences'])
}

function checkTextMap(path: string, found: Json | undefined): MetaProblem | undefined {
  if (found === undefined || found === null) return undefined
  if (!isObject(found)) return wrong(path, 'map[string]string', found)
  const bad = Object.values(found).find((member) => typeof member !== 'string')
  return bad === undefined ? undefined : wrong(path, 'string', bad)
}

function checkFinalizers(found: Json | undefined): MetaProblem | undefined {
  if (found === undefined || found === null) return undefined
  if (!isList(found)) return wrong('metadata.finalizers', '[]string', found)
  const bad = found.find((item) => typeof item !== 'string')
  return bad === undefined ? undefined : wrong('metadata.finalizers', 'string', bad)
}

function checkOwners(found: Json | undefined): MetaProblem | undefined {
  if (found === undefined || found === null) return undefined
  if (!isList(found)) return wrong('metadata.ownerReferences', '[]OwnerReference', found)
  for (const owner of found) {
    if (!isObject(owner)) return wrong('metadata.ownerReferences', 'OwnerReference', owner)
    for (const member of ['apiVersion', 'kind', 'name', 'uid']) {
      if (ownValue(owner, member) !== undefined && typeof ownValue(owner, member) !== 'string')
        return wrong(`metadata.ownerReferences.${member}`, 'string', ownValue(owner, member))
    }
  }
  return undefined
}

function wrong(path: string, want: string, got: Json | undefined): MetaProblem {
  return { path, want, got: jsonType(got) }
}

function jsonType(value: Json | undefined): string {
  if (value === undefined || value === null) return 'null'
  if (isList(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** Returns a copy with members of the metadata replaced. An undefined member is removed. */
export function withMeta(object: KubeObject, change: { readonly [Key in keyof ObjectMeta]?: ObjectMeta[Key] | undefined }): KubeObject {
  const metadata: Record<string, Json | undefined> = { ...object.metadata }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete metadata[key]
    else setOwnValue(metadata, key, value)
  }
  return { ...object, metadata }
}

/** Returns a copy with one top-level member replaced. */
export function withMember(object: KubeObject, key: string, value: Json | undefined): KubeObject {
  if (value !== undefined) return { ...object, [key]: value }
  const copy: { apiVersion: string; kind: string; metadata: ObjectMeta; [key: string]: Json | undefined } = { ...object }
  delete copy[key]
  return copy
}

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? ''
}

export function namespaceOf(object: KubeObject): string {
  return object.metadata.namespace ?? ''
}

export function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? ''
}

export function isDeleting(object: KubeObject): boolean {
  return typeof object.metadata.deletionTimestamp === 'string'
}

export function finalizersOf(object: KubeObject): readonly string[] {
  return object.metadata.finalizers ?? []
}

export function ownersOf(object: KubeObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? []
}
