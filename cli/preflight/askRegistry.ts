import { settle } from '../../shared/base/concurrency.ts'
import { messageOf } from '../../shared/base/result.ts'
import { registryAudience } from '../../shared/model/cloud.ts'
import type { Access } from '../clusterAccess.ts'
import type { ImageName } from './shimImage.ts'

// Asks a registry whether it has an image, by the API of registries (OCI Distribution Specification 1.1).

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')
const LIMIT_MS = 30_000

export type RegistryAnswer =
  | { readonly state: 'found' | 'absent' | 'refused' }
  /** The registry was not reached, or gave an answer that is not known. */
  | { readonly state: 'unread'; readonly why: string }

type Asking = Pick<Access, 'web' | 'token'>

export async function askRegistry(access: Asking, { repository, tag = 'latest', digest }: ImageName): Promise<RegistryAnswer> {
  const { host, path } = placeOf(repository)
  const url = `https://${host}/v2/${path}/manifests/${digest || tag}`
  const asked = await settle(() => manifest(access, url, host))
  if (!asked.ok) return { state: 'unread', why: messageOf(asked.error) }
  const status = asked.value
  if (status === 200) return { state: 'found' }
  if (status === 404) return { state: 'absent' }
  return status === 401 || status === 403 ? { state: 'refused' } : { state: 'unread', why: `${host} answered ${status}` }
}

/** A name without a host is one of Docker Hub. */
function placeOf(repository: string): { readonly host: string; readonly path: string } {
  const [first = '', ...rest] = repository.split('/')
  if (rest.length > 0 && /[.:]|^localhost$/.test(first)) return { host: first, path: rest.join('/') }
  return { host: 'registry-1.docker.io', path: rest.length === 0 ? `library/${first}` : repository }
}

async function manifest(access: Asking, url: string, host: string): Promise<number> {
  const first = await head(access, url)
  if (first.status !== 401) return first.status
  const challenge = first.headers.get('www-authenticate') ?? ''
  const token = await tokenFor(access, host, (name) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '')
  return typeof token === 'number' ? token : (await head(access, url, token)).status
}

function head({ web }: Asking, url: string, token?: string): Promise<Response> {
  const headers = { accept: MANIFESTS, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  return web(url, { method: 'HEAD', headers, signal: AbortSignal.timeout(LIMIT_MS) })
}

/** Returns a token that may read the image, or the status of the refusal. A registry of Azure takes the login of the person, any other nobody. */
async function tokenFor(access: Asking, host: string, part: (name: string) => string): Promise<string | number> {
  const [service, scope] = [part('service'), part('scope')]
  const audience = registryAudience(host)
  if (audience === undefined)
    return tokenIn(await access.web(`${part('realm')}?${new URLSearchParams({ service, scope })}`, signal()), 'token')
  const exchanged = await post(access, `https://${host}/oauth2/exchange`, {
    grant_type: 'access_token',
    service,
    access_token: await access.token(audience),
  })
  const refresh = await tokenIn(exchanged, 'refresh_token')
  if (typeof refresh === 'number') return refresh
  const got = await post(access, `https://${host}/oauth2/token`, { grant_type: 'refresh_token', service, scope, refresh_token: refresh })
  return tokenIn(got, 'access_token')
}

const signal = () => ({ signal: AbortSignal.timeout(LIMIT_MS) })

function post({ web }: Asking, url: string, form: { readonly [name: string]: string }): Promise<Response> {
  return web(url, { method: 'POST', body: new URLSearchParams(form), ...signal() })
}

async function tokenIn(answer: Response, name: string): Promise<string | number> {
  if (!answer.ok) return answer.status
  const body: unknown = await answer.json()
  const token: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof token === 'string' ? token : 401
}
