// Parses paths of ARM. A path may have two providers. The last one extends the resource before it, as a role assignment does.

export type ResourcePath = {
  /** As in the request, without a slash at the end. */
  readonly id: string
  readonly subscription: string
  /** Empty at the subscription itself. */
  readonly group: string
  /** `Microsoft.Storage/storageAccounts/blobServices`; `Microsoft.Resources/resourceGroups` for a group. */
  readonly type: string
  /** The last name. Empty for a list. */
  readonly name: string
  /** The id that the resource is deployed to: a subscription, a group, or the resource that it extends. */
  readonly scope: string
  /** The resource that it is part of. Undefined if it stands by itself. */
  readonly parent: string | undefined
}

export const GROUP_TYPE = 'Microsoft.Resources/resourceGroups'
const BASE = /^\/subscriptions\/([^/]+)(?:\/resourceGroups\/([^/]+))?(\/providers\/.*)?$/i

/** Returns undefined for a path that is neither a resource nor a list, such as an action on a resource. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const id = path.replace(/\/+$/, '')
  const [matched, subscription = '', group = '', rest = ''] = BASE.exec(id) ?? []
  if (matched === undefined) return undefined
  const base = `/subscriptions/${subscription}`
  const place = { id, subscription, group }
  if (rest !== '') return parseProviders(place, group === '' ? base : `${base}/resourceGroups/${group}`, rest)
  return group === '' ? undefined : { ...place, type: GROUP_TYPE, name: group, scope: base, parent: undefined }
}

type Place = Pick<ResourcePath, 'id' | 'subscription' | 'group'>

function parseProviders(place: Place, base: string, rest: string): ResourcePath | undefined {
  const lastProvider = rest.toLowerCase().lastIndexOf('/providers/')
  const scope = `${base}${rest.slice(0, lastProvider)}`
  const [namespace = '', ...parts] = rest.slice(lastProvider + '/providers/'.length).split('/')
  if (parts.length === 0 || parts.includes('')) return undefined
  const type = [namespace, ...parts.filter((_, at) => at % 2 === 0)].join('/')
  const isList = parts.length % 2 === 1
  const owner = parts.slice(0, isList ? -1 : -2)
  const parent = owner.length === 0 ? undefined : `${scope}/providers/${namespace}/${owner.join('/')}`
  return { ...place, type, name: isList ? '' : (parts.at(-1) ?? ''), scope, parent }
}

/** Reports whether `id` is `top` or inside it: the resources of a group, the parts of a resource, and the resources that extend those. */
export function isAtOrUnder(id: string, top: string): boolean {
  const [inner, outer] = [id.toLowerCase(), top.toLowerCase()]
  return inner === outer || inner.startsWith(`${outer}/`)
}
