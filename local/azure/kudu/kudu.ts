import { messageOf } from '../../../shared/base/result.ts'
import type { Arm } from '../arm/arm.ts'
import type { Document } from '../arm/armState.ts'
import type { TokenIssuer } from '../entra/tokens.ts'
import type { HttpAnswer, HttpRequest, Respond } from '../httpServer.ts'
import { listAt, textAt } from '../json.ts'

// Kudu of an app on Flex Consumption: takes a package, and tells how its deployment goes. The form is that of azd 1.31.2
// (cli/azd/pkg/azsdk/funcapp_host_client.go in Azure/azure-dev, 2026-08) and of Azure/azure-dev issue 3658, 2024-04.

/** Starts a package in place of the one that runs. Rejects with the reason where it does not start. */
export type TakePackage = (siteId: string, zip: Buffer) => Promise<void>

type Deployment = { readonly id: string; readonly siteId: string; status: number; text: string; isComplete: boolean }

/** The states of a deployment that this Kudu has. */
const STATUS = { deploying: 2, failed: 3, success: 4 }
/** Kudu takes tokens for ARM, and asks for this action (MicrosoftDocs/azure-docs issue 78962, 2021-07). */
const AUDIENCES = ['https://management.azure.com', 'https://management.core.windows.net']
const PUBLISH = 'Microsoft.Web/sites/publish/action'

export function createKudu(arm: Arm, issuer: TokenIssuer, take: () => TakePackage | undefined): Respond {
  const deployments = new Map<string, Deployment>()

  async function refusal({ headers }: HttpRequest, site: Document): Promise<HttpAnswer | undefined> {
    const claims = await issuer.check(headers.authorization, AUDIENCES)
    if ('refused' in claims) return { status: 401, body: { Message: `Unauthorized: ${claims.refused}` } }
    if (!arm.settings.needsRoles) return undefined
    const verdict = arm.access.judge(claims.oid, { own: { action: PUBLISH, scope: site.id }, linked: [] })
    return verdict.isGranted ? undefined : { status: 403, body: { Message: `${claims.oid} lacks ${PUBLISH} on ${site.id}` } }
  }

  function publish({ headers, bytes }: HttpRequest, { id: siteId }: Document): HttpAnswer {
    if (headers['content-type'] !== 'application/zip' || bytes === undefined || bytes.length === 0)
      return { status: 400, body: { Message: 'a package has the content type application/zip, and is not empty' } }
    const receiver = take()
    if (receiver === undefined) return { status: 501, body: { Message: 'this emulator was started without a place for packages' } }
    const isBusy = [...deployments.values()].some((each) => each.siteId === siteId && !each.isComplete)
    if (isBusy) return { status: 409, body: { Message: 'another deployment is in progress' } }
    const deployment: Deployment = { id: crypto.randomUUID(), siteId, status: STATUS.deploying, text: '', isComplete: false }
    deployments.set(deployment.id, deployment)
    receiver(siteId, bytes).then(
      () => Object.assign(deployment, { status: STATUS.success, isComplete: true }),
      (cause: unknown) => Object.assign(deployment, { status: STATUS.failed, text: messageOf(cause), isComplete: true }),
    )
    return { status: 202, body: `"${deployment.id}"`, headers: { 'content-type': 'application/json' } }
  }

  return async (request) => {
    const site = siteNamed(arm, (request.headers.host ?? '').toLowerCase())
    if (site === undefined) return { status: 404, body: { Message: `no app is called ${request.headers.host}` } }
    const refused = await refusal(request, site)
    if (refused !== undefined) return refused
    const { pathname } = request.url
    if (request.method === 'POST' && pathname === '/api/publish') return publish(request, site)
    const found = deployments.get(/^\/api\/deployments\/([^/]+)$/.exec(pathname)?.[1] ?? '')
    if (request.method !== 'GET' || found?.siteId !== site.id)
      return { status: 404, body: { Message: `${request.method} ${pathname} is not served, or there is no such deployment` } }
    const { id, status, text, isComplete } = found
    return { status: 200, body: { id, status, status_text: text, complete: isComplete, active: status === STATUS.success } }
  }
}

function siteNamed(arm: Arm, host: string): Document | undefined {
  const sites = [...arm.state.documents.values()].filter((each) => each['type'] === 'Microsoft.Web/sites')
  return sites.find((each) => isKuduOf(each, host))
}

/** Reports whether the host is that of the site's Kudu. */
export function isKuduOf(site: Document, host: string): boolean {
  return listAt(site, 'properties.hostNameSslStates').some(
    (each) => textAt(each, 'hostType') === 'Repository' && textAt(each, 'name')?.toLowerCase() === host,
  )
}
