import { trustedJson } from '../trustedJson.ts'

/** The few members of an object that the shim itself reads. The reducer reads the rest. */
export type KubeObject = {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly resourceVersion?: string
    readonly ownerReferences?: readonly unknown[] | null
  }
  readonly spec?: { readonly replicas?: number; readonly nodeName?: string } | null
  readonly status?: { readonly phase?: string; readonly conditions?: readonly (Condition | null)[] | null } | null
}

type Condition = { readonly type?: string; readonly reason?: string }

export type KubePage = { readonly items: readonly KubeObject[]; readonly resourceVersion: string; readonly next: string | undefined }

export type KubeWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** Holds nothing but the resourceVersion that the watch has reached. */
  | { readonly type: 'BOOKMARK'; readonly version: string | undefined }
  | { readonly type: 'ERROR'; readonly code: number; readonly message: string }

type ObjectJson = { readonly metadata?: Partial<KubeObject['metadata']> | null; readonly code?: number; readonly message?: string }
type ListJson = {
  readonly items?: readonly (ObjectJson | null)[] | null
  readonly metadata?: { resourceVersion?: string; continue?: string }
}
type EventJson = { readonly type: KubeWatchEvent['type']; readonly object?: ObjectJson | null }

/** Reads one page of a list. The reducer checks what is inside `items`. */
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

/**
 * Reports whether the entry has a name. The API server names every object; an entry without a name is left out, so that it cannot stop the others.
 */
function isNamed(object: ObjectJson | null | undefined): object is KubeObject {
  return typeof object?.metadata?.name === 'string'
}

export function keyOf({ metadata: { name, namespace } }: Pick<KubeObject, 'metadata'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}
