import { badRequest, expired } from '../http/statusError.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { parseFieldSelector } from '../resources/fieldSelector.ts'
import type { Resource } from '../resources/resource.ts'
import { parseLabelSelector } from '../resources/selectors.ts'
import { tooNew } from '../store/store.ts'
import type { Api, Target } from './api.ts'

export interface ListPage {
  readonly items: readonly KubeObject[]
  readonly resourceVersion: number
  readonly continueToken: string
  readonly remaining: number | undefined
}

export type Filter = (object: KubeObject) => boolean

/** The rests of paged lists. All pages of a list show the same version, so the rest is kept here until it is asked for or dropped. */
export interface Pages {
  keep(rest: Rest): string
  take(token: string): Rest
  forget(): void
}

interface Rest {
  readonly items: readonly KubeObject[]
  readonly resourceVersion: number
}

const KEPT_PAGES = 200

export function createPages(): Pages {
  const kept = new Map<string, Rest>()
  let next = 1
  return {
    keep: (rest) => {
      const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: rest.resourceVersion, page: next++ })).toString('base64url')
      kept.set(token, rest)
      const oldest = kept.keys().next().value
      if (kept.size > KEPT_PAGES && oldest !== undefined) kept.delete(oldest)
      return token
    },
    take: (token) => {
      const rest = kept.get(token)
      if (!rest && !isToken(token)) throw badRequest(`invalid continue token: ${JSON.stringify(token)} is none this server gave`)
      if (!rest)
        throw expired(
          'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
        )
      return rest
    },
    forget: () => kept.clear(),
  }
}

function isToken(token: string): boolean {
  return /^\{"v":"meta\.k8s\.io\/v1","rv":\d+,"page":\d+\}$/.test(Buffer.from(token, 'base64url').toString('utf8'))
}

export function readFilter(resource: Resource, query: URLSearchParams): Filter | undefined {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', resource.selectableFields)
  if (!labels && !fields) return undefined
  return (object) => (!labels || labels(object.metadata.labels ?? {})) && (!fields || fields(object))
}

export function listObjects(api: Api, pages: Pages, target: Target, query: URLSearchParams): ListPage {
  const limit = readCount(query, 'limit')
  const token = query.get('continue') ?? ''
  const filter = readFilter(target.resource, query)
  if (token !== '') {
    if ((query.get('resourceVersion') ?? '') !== '' && query.get('resourceVersion') !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const rest = pages.take(token)
    return page(pages, rest, limit)
  }
  const found = listedNow(api, target, query)
  const items = filter ? found.items.filter(filter) : found.items
  return page(pages, { ...found, items }, limit)
}

function listedNow(api: Api, target: Target, query: URLSearchParams): Rest {
  const { store } = api
  const { storedAs } = target.resource
  const asked = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  const version = readVersion(asked)
  if (match !== '' && asked === '') throw badRequest('resourceVersionMatch is forbidden unless resourceVersion is provided')
  if (match !== '' && match !== 'Exact' && match !== 'NotOlderThan') {
    throw badRequest(`resourceVersionMatch: Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`)
  }
  if (match === 'Exact' && version === 0) throw badRequest('resourceVersionMatch "Exact" is forbidden for resourceVersion "0"')
  if (match === 'Exact') return { items: store.listAt(storedAs, target.namespace, version), resourceVersion: version }
  if (version > store.resourceVersion) throw tooNew(version, store.resourceVersion)
  return { items: store.list(storedAs, target.namespace), resourceVersion: store.resourceVersion }
}

export function readVersion(text: string): number {
  if (text === '') return 0
  if (!/^\d+$/.test(text))
    throw badRequest(`Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}

export function readCount(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  if (text === '' || text === '0') return undefined
  if (!/^\d+$/.test(text)) throw badRequest(`${name} must be a non-negative integer, not ${JSON.stringify(text)}`)
  return Number(text)
}

function page(pages: Pages, rest: Rest, limit: number | undefined): ListPage {
  if (limit === undefined || rest.items.length <= limit) {
    return { items: rest.items, resourceVersion: rest.resourceVersion, continueToken: '', remaining: undefined }
  }
  const remaining = rest.items.slice(limit)
  return {
    items: rest.items.slice(0, limit),
    resourceVersion: rest.resourceVersion,
    continueToken: pages.keep({ items: remaining, resourceVersion: rest.resourceVersion }),
    remaining: remaining.length,
  }
}
