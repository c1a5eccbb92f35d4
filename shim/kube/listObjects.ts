import { type KubeConnection, requesterOf } from '../../shared/kubeclient/client.ts'
import { isNamed, listPages } from '../../shared/kubeclient/collections.ts'
import { faultOf } from '../../shared/kubeclient/status.ts'

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

/** Bounds the text and the parsed objects of one page: 250 pods are about 1.3 MB of JSON. */
const PAGE = 100

export type Listed =
  /** Watching from `resourceVersion` misses nothing that came after the list. */
  | { readonly kind: 'listed'; readonly resourceVersion: string; readonly pages: number }
  /** The API server does not serve the kind (yet). */
  | { readonly kind: 'absent' }

/**
 * Hands on all objects of a kind, as `listPages` says. A Fault with status 410 means that reading the pages took too long: the caller begins again.
 */
export async function listObjects(
  connection: KubeConnection,
  path: string,
  onObject: (object: KubeObject) => void,
  signal: AbortSignal,
): Promise<Listed> {
  const take = (item: unknown): void => {
    if (isNamed<KubeObject>(item)) onObject(item)
  }
  const listed = await listPages(requesterOf(connection), { path, limit: PAGE, isPacked: true }, take, signal)
  if (listed.ok) return { kind: 'listed', ...listed.value }
  if (listed.error.status === 404) return { kind: 'absent' }
  throw faultOf(listed.error, 'list', path)
}

export function keyOf({ metadata: { name, namespace } }: Pick<KubeObject, 'metadata'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}
