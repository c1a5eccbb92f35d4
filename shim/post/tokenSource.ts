import { readFile } from 'node:fs/promises'
import { send } from '../../shared/kubeclient/http.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { Clock } from '../clock.ts'
import { createOutsideAgent, type OutsideProxy } from '../outsideAgent.ts'
import { trustedJson } from '../trustedJson.ts'

/** Gets Entra access tokens for one resource. */
export interface TokenSource {
  token(signal: AbortSignal): Promise<AccessToken>
  /** The current token was refused. The next call of `token` asks for a new one. */
  forget(): void
}

export type AccessToken = { readonly token: string; readonly expiresAt: number }

export type WorkloadIdentity = {
  readonly clientId: string
  readonly tenantId: string
  readonly authorityHost: URL
  /** The file of the federated token. The kubelet writes a fresh token here every hour or so. */
  readonly federatedTokenFile: string
}

type TokenDeps = { readonly clock: Clock; readonly proxy: OutsideProxy }

/** A token is replaced this many milliseconds before it expires. */
const EARLY_MS = 5 * 60_000

type TokenJson = { readonly access_token?: string; readonly expires_in?: number | string; readonly error_description?: string }

/**
 * Exchanges the pod's federated token for an Entra token, by one form posted to the authority. `@azure/identity` would cost 23 MiB of resident memory
 * in each shim for this.
 */
export function createTokenSource(identity: WorkloadIdentity, audience: string, { clock, proxy }: TokenDeps): TokenSource {
  const agent = createOutsideAgent(identity.authorityHost, proxy)
  let held: AccessToken | undefined

  async function exchange(signal: AbortSignal): Promise<AccessToken> {
    const host = identity.authorityHost.href.replace(/\/$/, '')
    const url = new URL(`${host}/${identity.tenantId}/oauth2/v2.0/token`)
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: identity.clientId,
      scope: `${audience}/.default`,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: (await readFile(identity.federatedTokenFile, 'utf8')).trim(),
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const answer = await send({ method: 'POST', url, headers, body: form.toString(), options: { agent } }, signal)
    const json = readToken(answer.text)
    if (answer.status !== 200 || json.access_token === undefined) {
      const because = json.error_description ?? answer.text.slice(0, 300)
      throw new Fault('get an Entra token', problem('INPUT.UNAUTHENTICATED', `the authority answered ${answer.status}: ${because}`))
    }
    return { token: json.access_token, expiresAt: clock.now() + Number(json.expires_in ?? 3600) * 1000 }
  }

  return {
    async token(signal) {
      if (held === undefined || held.expiresAt - EARLY_MS < clock.now()) held = await exchange(signal)
      return held
    },
    forget() {
      held = undefined
    },
  }
}

/** Reads the authority's answer. Text that is not JSON has no access token. */
function readToken(text: string): TokenJson {
  try {
    return trustedJson<TokenJson>(text)
  } catch {
    return {}
  }
}
