// Calls ARM as the deployer, over HTTPS with a token, as any client does.
import { request } from 'node:https'
import type { Json } from '../../infra/check/evaluate/value.ts'
import type { LocalAzure } from '../../local/azure/startAzure.ts'

export type ArmReply = { readonly status: number; readonly body: Json }
export type ArmCaller = (method: string, id: string, apiVersion: string, body?: object) => Promise<ArmReply>

/** The identity of the person who runs azd, for hooks and commands. */
export const DEPLOYER = { oid: '00000000-0000-4000-8000-00000000d001', appid: '00000000-0000-4000-8000-00000000d002' }
/** The same person as an identity of its own, for templates that azd deploys. */
export const AZD = { oid: '00000000-0000-4000-8000-00000000d003', appid: '00000000-0000-4000-8000-00000000d004' }

export function createArmCaller(azure: Pick<LocalAzure, 'armUrl' | 'caCertificate' | 'issueToken'>): ArmCaller {
  const token = azure.issueToken({ audience: 'https://management.azure.com', ...AZD })
  return async (method, id, apiVersion, body) => {
    const separator = id.includes('?') ? '&' : '?'
    const url = new URL(`${azure.armUrl}${id}${separator}api-version=${apiVersion}`)
    const headers = { authorization: `Bearer ${await token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, ca: azure.caCertificate }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (part: string) => {
          text += part
        })
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) }))
      })
      outgoing.on('error', reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

export function requireSuccess(what: string, { status, body }: ArmReply): Json {
  if (status >= 200 && status < 300) return body
  throw new Error(`${what}: Azure answers ${status} ${JSON.stringify(body)}`)
}
