import { UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { ok } from '../../base/result.ts'
import type { CallerIdentity } from '../../ports/callerIdentity.ts'
import { createCallersByIssuer } from './callersByIssuer.ts'
import { tenantIssuers } from './entraCallerIdentity.ts'

const SIGNAL = new AbortController().signal
const says = (identity: string): CallerIdentity => ({ verify: () => Promise.resolve(ok({ identity })) })
const TENANT = { authority: 'https://login.microsoftonline.com/', tenantId: 't1' }
const callers = createCallersByIssuer({ tenantIssuers: tenantIssuers(TENANT), tenant: says('tenant'), others: says('cluster') })
const judge = async (authorization: string | undefined): Promise<string | undefined> => {
  const answer = await callers.verify(authorization, SIGNAL)
  return answer.ok ? answer.value.identity : undefined
}
const tokenFrom = (issuer: string): string => `Bearer ${new UnsecuredJWT({}).setIssuer(issuer).encode()}`

describe('a caller', () => {
  it.each([
    ['https://login.microsoftonline.com/t1/v2.0', 'tenant'],
    ['https://sts.windows.net/t1/', 'tenant'],
    ['https://sts.windows.net/t2/', 'cluster'],
    ['https://login.microsoftonline.com/t1/v2.0/', 'cluster'],
    ['https://eastus.oic.prod-aks.azure.com/t1/x/', 'cluster'],
  ])('with a token of %s is judged as one of the %s', async (issuer, expected) => {
    expect(await judge(tokenFrom(issuer))).toBe(expected)
  })

  it.each([undefined, 'Bearer nothing', 'Basic x', `Bearer ${new UnsecuredJWT({}).encode()}`])(
    'with %s is left to the cluster',
    async (header) => {
      expect(await judge(header)).toBe('cluster')
    },
  )
})
