import * as z from 'zod'
import { parsedJson } from '../shared/base/json.ts'
import { err, ok, type Result } from '../shared/base/result.ts'
import { Fault } from '../shared/model/problem.ts'
import type { ReaderAccess } from './ask.ts'
import type { Access } from './clusterAccess.ts'
import type { RunProgram } from './down/runProgram.ts'

// Callers who may create tokens for a cluster's reader service account may read the status of Joiner there. The app needs no list of these callers.

/** Requests a path from the API server: a POST if there is a body, otherwise a GET. The error is the reason of the refusal. */
export type AskServer = (path: string, body?: object) => Promise<Result<unknown, string>>

/** The shortest lifetime that the API server accepts. */
const TOKEN_SECONDS = 600
const LIMIT_MS = 30_000

const account = z.object({
  metadata: z.object({
    annotations: z.object({
      'joiner.azure.com/endpoint': z.url({ protocol: /^https$/ }),
      'joiner.azure.com/cluster': z.string().min(1),
      'joiner.azure.com/audience': z.string().min(1),
    }),
  }),
})
const tokenRequest = z.object({ status: z.object({ token: z.string() }) })

/**
 * Returns access to the app that the account's annotations name. `name` is `NAMESPACE/NAME` of the account. The token is for the app alone and
 * expires after minutes.
 */
export async function accountAccess(askServer: AskServer, name: string): Promise<Result<ReaderAccess, string>> {
  const path = `/api/v1/namespaces/${name.replace('/', '/serviceaccounts/')}`
  const found = await askServer(path)
  if (!found.ok)
    return err(`service account ${name} cannot be read: ${found.error}; chart joiner makes it, under the name that --account says`)
  const read = account.safeParse(found.value)
  if (!read.success)
    return err(`service account ${name} does not say where the app is: upgrade chart joiner, or name another with --account`)
  const {
    'joiner.azure.com/endpoint': endpoint,
    'joiner.azure.com/cluster': cluster,
    'joiner.azure.com/audience': audience,
  } = read.data.metadata.annotations
  const spec = { audiences: [audience], expirationSeconds: TOKEN_SECONDS }
  const made = await askServer(`${path}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec })
  if (!made.ok)
    return err(`no token for service account ${name}: ${made.error}; the Role of that name in its namespace gives the right to make one`)
  const token = tokenRequest.safeParse(made.value)
  if (!token.success) return err(`the API server made no token for service account ${name}`)
  return ok(readerAt(endpoint, cluster, token.data.status.token))
}

export function readerAt(app: string, cluster: string, token: string): ReaderAccess {
  return {
    url: `${app.replace(/\/$/, '')}/api/clusters/${encodeURIComponent(cluster)}`,
    headers: { authorization: `Bearer ${token}`, accept: 'text/plain' },
  }
}

/** Reaches the API server through Azure, with the login of the caller. */
export async function serverByAzure(
  access: Pick<Access, 'arm' | 'token' | 'transport'>,
  resourceId: string,
): Promise<Result<AskServer, string>> {
  const { openCluster } = await import('./clusterAccess.ts')
  const opened = await openCluster(access, resourceId)
  if (!opened.ok) return err(opened.error.message)
  const { call } = opened.value
  return ok(async (path, body) => {
    try {
      const method = body === undefined ? 'GET' : 'POST'
      const { json } = await call({ method, path, ...(body === undefined ? {} : { body }) }, AbortSignal.timeout(LIMIT_MS))
      const refusal = z.object({ kind: z.literal('Status'), message: z.string() }).safeParse(json)
      return refusal.success ? err(refusal.data.message) : ok(json)
    } catch (cause) {
      if (cause instanceof Fault) return err(cause.message)
      throw cause
    }
  })
}

/** Reaches the API server through kubectl and a context of its configuration. */
export function serverByKubectl(run: RunProgram, context: string | undefined): AskServer {
  return async (path, body) => {
    const where = context === undefined ? [] : ['--context', context]
    const asked = body === undefined ? ['get', '--raw', path] : ['create', '--raw', path, '--filename', '-']
    const { code, out, errors } = await run('kubectl', [...asked, ...where], body === undefined ? {} : { input: JSON.stringify(body) })
    if (code === 127) return err('kubectl is not there; say --cluster with the resource id to go without it')
    return code === 0 ? ok(parsedJson(out)) : err((errors || out).trim())
  }
}
