import { trustedJson } from '../trustedJson.ts'

/** The few members the shim itself reads of an object; the rest belongs to the reducer. */
export type KubeObject = {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion?: string }
  readonly status?: { readonly phase?: string }
}

export type KubePage = { readonly items: readonly KubeObject[]; readonly resourceVersion: string; readonly next: string | undefined }

export type KubeWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly code: number; readonly message: string }

type ListJson = { items?: KubeObject[] | null; metadata?: { resourceVersion?: string; continue?: string } }
type EventJson = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'; object: KubeObject & { code?: number; message?: string } }

/** What is inside `items` is checked by the reducer. */
export function readList(text: string): KubePage {
  const list = trustedJson<ListJson>(text)
  const next = list.metadata?.continue
  return { items: list.items ?? [], resourceVersion: list.metadata?.resourceVersion ?? '', next: next === '' ? undefined : next }
}

export function readWatchEvent(line: string): KubeWatchEvent {
  const { type, object } = trustedJson<EventJson>(line)
  if (type === 'ERROR') return { type, code: object.code ?? 500, message: object.message ?? 'no message' }
  return type === 'BOOKMARK' ? { type, object } : { type, object }
}

export function keyOf(object: KubeObject): string {
  const { name, namespace } = object.metadata
  return namespace === undefined ? name : `${namespace}/${name}`
}
