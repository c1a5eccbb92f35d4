// A registry of images with tokens. As ghcr.io does, it gives anonymous tokens and refuses with 403 where an image is private or not there. As Azure
// Container Registry does, it exchanges a token of Entra where `entra` is set (AAD-OAuth.md in Azure/acr, 2024). OCI Distribution Specification 1.1.
import type { HttpAnswer, HttpRequest } from '../httpServer.ts'

export type RegistryOptions = {
  /** `host/repository:tag` or `host/repository@digest`. */
  readonly images: ReadonlySet<string>
  /** Hosts that take tokens of Entra only. */
  readonly entra?: ReadonlySet<string>
  /** Repositories that nobody may read without a login. */
  readonly hidden?: ReadonlySet<string>
}

export function createRegistryServer(options: RegistryOptions) {
  return (request: HttpRequest): HttpAnswer => {
    const form = new URLSearchParams(request.body)
    switch (request.url.pathname) {
      case '/token':
        return anonymousToken(options, request)
      case '/oauth2/exchange':
        return form.has('access_token') ? { status: 200, body: { refresh_token: 'refresh' } } : UNAUTHORIZED
      case '/oauth2/token':
        return form.get('refresh_token') === 'refresh'
          ? { status: 200, body: { access_token: `pull ${repositoryIn(form.get('scope'))}` } }
          : UNAUTHORIZED
      default:
        return manifest(options, request)
    }
  }
}

const refused = (status: number, code: string) => ({ status, body: { errors: [{ code }] } })
const UNAUTHORIZED = refused(401, 'UNAUTHORIZED')
const hostOf = ({ headers }: HttpRequest): string => headers.host ?? ''
const repositoryIn = (scope: string | null): string => /^repository:(.+):pull$/.exec(scope ?? '')?.[1] ?? ''

function anonymousToken({ images, entra, hidden }: RegistryOptions, request: HttpRequest): HttpAnswer {
  const host = hostOf(request)
  const asked = repositoryIn(request.url.searchParams.get('scope'))
  const isKnown = [...images].some((each) => each.startsWith(`${host}/${asked}:`) || each.startsWith(`${host}/${asked}@`))
  if (!isKnown || entra?.has(host) === true || hidden?.has(asked) === true) return refused(403, 'DENIED')
  return { status: 200, body: { token: `pull ${asked}` } }
}

function manifest({ images }: RegistryOptions, request: HttpRequest): HttpAnswer {
  const host = hostOf(request)
  const [, repository, reference = ''] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(request.url.pathname) ?? []
  if (repository === undefined || !['GET', 'HEAD'].includes(request.method)) return refused(404, 'NAME_UNKNOWN')
  if (request.headers.authorization !== `Bearer pull ${repository}`) {
    const challenge = `Bearer realm="https://${host}/token",service="${host}",scope="repository:${repository}:pull"`
    return { ...UNAUTHORIZED, headers: { 'www-authenticate': challenge } }
  }
  const separator = reference.includes(':') ? '@' : ':'
  return images.has(`${host}/${repository}${separator}${reference}`) ? { status: 200 } : refused(404, 'MANIFEST_UNKNOWN')
}
