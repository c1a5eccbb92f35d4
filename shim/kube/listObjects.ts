import { send } from '../../shared/kubeclient/http.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { KubeConnection } from './connection.ts'
import { type KubeObject, readList } from './kubeJson.ts'

/** Bounds the text and the parsed objects of one page: 250 pods are about 1.3 MB of JSON. */
const PAGE = 100

export type Listed =
  /** Watching from `resourceVersion` misses nothing that came after the list. */
  | { readonly kind: 'listed'; readonly resourceVersion: string; readonly pages: number }
  /** The API server does not serve the kind (yet). */
  | { readonly kind: 'absent' }

/**
 * Reads all objects of a kind, page by page. Each object is handed on at once, and only the current page is held. The read is consistent (it asks for
 * no resourceVersion), so it shows at least everything that any watch has shown before the read began. A Fault with status 410 means that reading the
 * pages took too long: the caller begins again.
 */
export async function listObjects(
  connection: KubeConnection,
  path: string,
  onObject: (object: KubeObject) => void,
  signal: AbortSignal,
): Promise<Listed> {
  let token: string | undefined
  for (let pages = 1; ; pages++) {
    const url = new URL(path, connection.server)
    url.searchParams.set('limit', String(PAGE))
    if (token !== undefined) url.searchParams.set('continue', token)
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip' }
    const answer = await send({ method: 'GET', url, headers, options: await connection.options() }, signal)
    if (answer.status === 404) return { kind: 'absent' }
    if (answer.status !== 200) throw refused(`list ${path}`, answer.status, answer.text)
    const page = readList(answer.text)
    for (const object of page.items) onObject(object)
    if (page.next === undefined) return { kind: 'listed', resourceVersion: page.resourceVersion, pages }
    token = page.next
  }
}

export function refused(operation: string, status: number, text: string): Fault {
  return new Fault(operation, problem('KUBE.FAILED', `the API server answered ${status}: ${text.slice(0, 300)}`, { fields: { status } }))
}

/** Returns the API server's status in a Fault of `refused`. Undefined if the API server never answered. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Fault ? error.problem.fields?.['status'] : undefined
  return typeof status === 'number' ? status : undefined
}
