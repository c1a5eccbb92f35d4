import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { objectAt, textAt } from '../object/json.ts'
import type { Api } from '../verbs/api.ts'
import type { AccountIssuer } from './accountIssuer.ts'
import type { TokenReader } from './authentication.ts'
import type { User } from './user.ts'

const SUBJECT = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Reads service account tokens for this server. The account, and the pod that the token is bound to, must still exist. */
export function readAccountTokens(api: Api, issuer: AccountIssuer): TokenReader {
  return async (token) => {
    const payload = token.split('.').length === 3 ? await verified(token, issuer, api.now()) : undefined
    return payload && userOf(api, payload)
  }
}

function userOf(api: Api, payload: JWTPayload): User | undefined {
  const [name, namespace, account] = SUBJECT.exec(payload.sub ?? '') ?? []
  if (name === undefined || namespace === undefined || account === undefined) return undefined
  const bound = objectAt(JSON.parse(JSON.stringify(payload)), 'kubernetes.io')
  const uid = textAt(bound, 'serviceaccount', 'uid')
  const isThere = (kind: string, named: string, as: string): boolean => api.store.get(kind, namespace, named)?.metadata.uid === as
  if (!isThere('serviceaccounts', account, uid)) return undefined
  const pod = textAt(bound, 'pod', 'name')
  if (pod !== '' && !isThere('pods', pod, textAt(bound, 'pod', 'uid'))) return undefined
  return { name, uid, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] }
}

async function verified(token: string, issuer: AccountIssuer, now: number): Promise<JWTPayload | undefined> {
  try {
    const rules = { issuer: issuer.name(), audience: issuer.name(), requiredClaims: ['exp', 'sub'], currentDate: new Date(now) }
    const { payload } = await jwtVerify(token, createLocalJWKSet(issuer.keys()), rules)
    return payload
  } catch {
    // Every invalid token gets the same 401, as on the real server.
    return undefined
  }
}
