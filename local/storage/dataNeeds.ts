import { ownValue } from '../../shared/base/values.ts'

/** A request to storage as it comes over the wire. */
export type StorageRequest = {
  readonly service: 'blob' | 'queue'
  readonly method: string
  /** Path and query, without the name of the account. */
  readonly path: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/** The permission that a caller with a token needs for a request. */
export type DataNeed = {
  /** Any one of them is enough. Relative to `Microsoft.Storage/storageAccounts/`. */
  readonly actions: readonly [string, ...string[]]
  /** Whether the actions are `dataActions` of a role. If false, they are its `actions`, as for ARM. */
  readonly isData: boolean
  /** The container or queue, relative to the account. Empty for the account itself. */
  readonly place: string
}

const CONTAINERS = 'blobServices/containers'
const BLOBS = `${CONTAINERS}/blobs`
const QUEUES = 'queueServices/queues'
const MESSAGES = `${QUEUES}/messages`

/**
 * Returns the permission that a request needs, after the tables of operations in Microsoft's reference of the storage REST API, page "Authorize
 * with Microsoft Entra ID". Undefined: an operation that is not listed here. Nobody may do it until it is listed.
 */
export function dataNeed(request: StorageRequest): DataNeed | undefined {
  const url = new URL(request.path, 'http://storage')
  const [holder = '', ...rest] = url.pathname.split('/').filter((part) => part !== '')
  return request.service === 'blob' ? blobNeed(request, url, { holder, rest }) : queueNeed(request, url, { holder, rest })
}

type Named = { readonly holder: string; readonly rest: readonly string[] }

const onHolder = (actions: DataNeed['actions'], isData: boolean, place: string): DataNeed => ({ actions, isData, place })

function blobNeed(request: StorageRequest, { searchParams }: URL, { holder, rest }: Named): DataNeed | undefined {
  const { method } = request
  const comp = searchParams.get('comp')
  const place = holder === '' ? '' : `/blobServices/default/containers/${holder}`
  if (holder === '') return method === 'GET' && comp === 'list' ? onHolder([`${CONTAINERS}/read`], false, place) : undefined
  if (rest.length === 0) {
    if (searchParams.get('restype') !== 'container') return undefined
    if (comp === 'list') return onHolder([`${BLOBS}/read`], true, place)
    const verb = ownValue(VERBS, method)
    return verb === undefined ? undefined : onHolder([`${CONTAINERS}/${verb}`], false, place)
  }
  return ofBlob(request, comp, place)
}

function ofBlob({ method, headers }: StorageRequest, comp: string | null, place: string): DataNeed | undefined {
  if (method === 'GET' || method === 'HEAD') return onHolder([`${BLOBS}/read`], true, place)
  if (method === 'DELETE') return onHolder([`${BLOBS}/delete`], true, place)
  if (method !== 'PUT' || headers['x-ms-copy-source'] !== undefined) return undefined
  const adds = comp === 'appendblock' || (comp === null && isNew(headers))
  if (comp !== null && !WRITES.has(comp)) return undefined
  return onHolder(adds ? [`${BLOBS}/write`, `${BLOBS}/add/action`] : [`${BLOBS}/write`], true, place)
}

const VERBS: { readonly [method: string]: string | undefined } = { GET: 'read', HEAD: 'read', PUT: 'write', DELETE: 'delete' }
const WRITES: ReadonlySet<string> = new Set(['appendblock', 'block', 'blocklist', 'page', 'metadata', 'properties', 'lease', 'tier'])

/** The request creates a blob only if there is none. */
const isNew = (headers: StorageRequest['headers']): boolean => headers['if-none-match'] === '*'

function queueNeed({ method }: StorageRequest, { searchParams }: URL, { holder, rest }: Named): DataNeed | undefined {
  const comp = searchParams.get('comp')
  const place = holder === '' ? '' : `/queueServices/default/queues/${holder}`
  if (holder === '') return method === 'GET' && comp === 'list' ? onHolder([`${QUEUES}/read`], false, place) : undefined
  if (rest.length === 0) {
    if (comp !== null && comp !== 'metadata') return undefined
    const verb = ownValue(VERBS, method)
    return verb === undefined ? undefined : onHolder([`${QUEUES}/${verb}`], false, place)
  }
  if (rest[0] !== 'messages') return undefined
  const actions = rest.length === 1 ? ofMessages(method, searchParams.get('peekonly') === 'true') : ofMessage(method)
  return actions && onHolder(actions, true, place)
}

function ofMessages(method: string, isPeek: boolean): DataNeed['actions'] | undefined {
  if (method === 'POST') return [`${MESSAGES}/write`, `${MESSAGES}/add/action`]
  if (method === 'DELETE') return [`${MESSAGES}/delete`]
  if (method !== 'GET') return undefined
  return isPeek ? [`${MESSAGES}/read`] : [`${MESSAGES}/process/action`]
}

function ofMessage(method: string): DataNeed['actions'] | undefined {
  if (method === 'DELETE') return [`${MESSAGES}/delete`, `${MESSAGES}/process/action`]
  return method === 'PUT' ? [`${MESSAGES}/write`] : undefined
}
