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

export function createRegistryServer({ images, entra = new Set(), hidden = new Set() }: RegistryOptions) {
  return ({ method, url, headers, body }: HttpRequest): HttpAnswer => {
    const host = headers.host ?? ''
    const [, repository = '', reference = ''] = /^\/v2\/(.+)\/manifests\/([^/]+)$/.exec(url.pathname) ?? []
    const scope = url.searchParams.get('scope') ?? ''
    const form = new URLSearchParams(body)
    if (url.pathname === '/token') {
      const asked = /^repository:(.+):pull$/.exec(scope)?.[1] ?? ''
      const isOpen = !entra.has(host) && !hidden.has(asked) && [...images].some((each) => each.startsWith(`${host}/${asked}`))
      return isOpen ? { status: 200, body: { token: `pull ${asked}` } } : refused(403, 'DENIED')
    }
    if (url.pathname === '/oauth2/exchange')
      return form.get('access_token') ? { status: 200, body: { refresh_token: 'refresh' } } : refused(401, 'UNAUTHORIZED')
    if (url.pathname === '/oauth2/token') {
      const asked = /^repository:(.+):pull$/.exec(form.get('scope') ?? '')?.[1] ?? ''
      return form.get('refresh_token') === 'refresh'
        ? { status: 200, body: { access_token: `pull ${asked}` } }
        : refused(401, 'UNAUTHORIZED')
    }
    if (repository === '' || !['GET', 'HEAD'].includes(method)) return refused(404, 'NAME_UNKNOWN')
    if (headers.authorization !== `Bearer pull ${repository}`) {
      const challenge = `Bearer realm="https://${host}/token",service="${host}",scope="repository:${repository}:pull"`
      return { ...refused(401, 'UNAUTHORIZED'), headers: { 'www-authenticate': challenge } }
    }
    const separator = reference.includes(':') ? '@' : ':'
    return images.has(`${host}/${repository}${separator}${reference}`) ? { status: 200 } : refused(404, 'MANIFEST_UNKNOWN')
  }
}

const refused = (status: number, code: string) => ({ status, body: { errors: [{ code }] } })
