import { trustedJson } from '../trustedJson.ts'

/** The few members the shim itself reads of an object; the rest belongs to the reducer. */
export type KubeObject = {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly resourceVersion?: string
    readonly ownerReferences?: readonly unknown[] | null
  }
  readonly spec?: { readonly replicas?: number } | null
  readonly status?: { readonly phase?: string } | null
}

export type KubePage = { readonly items: readonly KubeObject[]; readonly resourceVersion: string; readonly next: string | undefined }

export type KubeWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** Says only how far the watch is. */
  | { readonly type: 'BOOKMARK'; readonly version: string | undefined }
  | { readonly type: 'ERROR'; readonly code: number; readonly message: string }

type ObjectJson = { readonly metadata?: Partial<KubeObject['metadata']> | null; readonly code?: number; readonly message?: string }
type ListJson = {
  readonly items?: readonly (ObjectJson | null)[] | null
  readonly metadata?: { resourceVersion?: string; continue?: string }
}
type EventJson = { readonly type: KubeWatchEvent['type']; readonly object?: ObjectJson | null }

/** What is inside `items` is checked by the reducer. */
export function readList(text: string): KubePage {
  const list = trustedJson<ListJson>(text)
  const next = list.metadata?.continue
  const items = (list.items ?? []).filter(isNamed)
  return { items, resourceVersion: list.metadata?.resourceVersion ?? '', next: next === '' ? undefined : next }
}

export function readWatchEvent(line: string): KubeWatchEvent {
  const { type, object } = trustedJson<EventJson>(line)
  if (type === 'ERROR') return { type, code: object?.code ?? 500, message: object?.message ?? 'no message' }
  if (type === 'BOOKMARK' || !isNamed(object)) return { type: 'BOOKMARK', version: object?.metadata?.resourceVersion }
  return { type, object }
}

/** The API server names every object; what has no name is none, and may not stop the rest. */
function isNamed(object: ObjectJson | null | undefined): object is KubeObject {
  return typeof object?.metadata?.name === 'string'
}

export function keyOf(object: KubeObject): string {
  const { name, namespace } = object.metadata
  return namespace === undefined ? name : `${namespace}/${name}`
}
