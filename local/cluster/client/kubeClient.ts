import { createConcurrencyLimiter } from '../../../shared/base/concurrency.ts'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { defined } from '../../../shared/base/values.ts'
import { askKube, openKube, type KubeConnection as Reached } from '../../../shared/kubeclient/client.ts'
import { createLineSplitter } from '../../../shared/kubeclient/collections.ts'
import { bearer, type CredentialSource, connectTo } from '../../../shared/kubeclient/connection.ts'
import { isSuccess, type KubeAnswer, statusJson } from '../../../shared/kubeclient/status.ts'
import { Fault } from '../../../shared/model/problem.ts'
import type { Credential, KubeConnection } from './connection.ts'

/**
 * The client of API servers for hundreds of simulated kubelets: few calls at a time, and answers of the type that the caller names. Refusals and
 * broken connections are values.
 */
export interface KubeClient {
  send<Answer>(request: KubeRequest): Promise<Result<Answer, Refusal>>
  /** Reports the lines of a watch as they come. Ends when the server ends the watch or the connection breaks. */
  stream(request: KubeRequest, onLine: (line: string) => void): Promise<Result<void, Refusal>>
  close(): void
}

export type KubeRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: { readonly [name: string]: string }
  readonly body?: unknown
  readonly contentType?: string
  readonly signal: AbortSignal
}

/** The error that the API server answered. With code 0, why there was no answer. */
export type Refusal = { readonly code: number; readonly reason: string; readonly message: string }

/** Watches do not count: they never hold up requests. */
const MOST_CALLS_AT_ONCE = 16

export function createKubeClient(connection: KubeConnection): KubeClient {
  const { url, ca, dial, proxy, credential } = connection
  const kept = connectTo({ server: url, ...defined({ ca, dial, proxy }) }, sourceOf(credential))
  // For requests whose kept connection the server had closed before they came: they are safe to repeat.
  const fresh: Reached = { server: kept.server, options: async () => ({ ...(await kept.options()), agent: false }) }
  const turn = createConcurrencyLimiter(MOST_CALLS_AT_ONCE)

  async function ask({ signal, ...call }: KubeRequest): Promise<KubeAnswer> {
    try {
      return await askKube(kept, call, signal)
    } catch (error) {
      if (error instanceof Fault && error.problem.fields?.['isStale'] === true) return askKube(fresh, call, signal)
      throw error
    }
  }

  return {
    send: <Answer>(request: KubeRequest) =>
      turn(async (): Promise<Result<Answer, Refusal>> => {
        try {
          const answer = await ask(request)
          return isSuccess(answer) && isOf<Answer>(answer.json) ? ok(answer.json) : err(refusalOf(answer, request))
        } catch (error) {
          return err(unreachable(error))
        }
      }),
    stream: async ({ signal, ...call }, onLine) => {
      try {
        const opened = await openKube(fresh, call, signal)
        if ('refusal' in opened) return err(refusalOf(opened.refusal, call))
        const lines = createLineSplitter(onLine)
        for await (const chunk of opened.stream) lines(chunk)
        return ok(undefined)
      } catch (error) {
        return err(unreachable(error))
      }
    },
    close: () => kept.close(),
  }
}

function sourceOf(credential: Credential): CredentialSource {
  if (credential.kind === 'token') return bearer(() => Promise.resolve(credential.token))
  if (credential.kind === 'certificate') return () => Promise.resolve({ cert: credential.certificate, key: credential.key })
  return credential.read
}

/** The path decides the schema, and the API server keeps to it. */
function isOf<Answer>(json: unknown): json is Answer {
  return json !== undefined
}

function refusalOf(answer: KubeAnswer, { method, path }: Pick<KubeRequest, 'method' | 'path'>): Refusal {
  const { status: code } = answer
  const { reason = `HTTP${code}`, message = `${method} ${path} was refused with ${code}` } = statusJson(answer)
  return { code, reason, message }
}

/** The code and message of the first cause, such as ECONNREFUSED. */
function unreachable(error: unknown): Refusal {
  let cause = error
  while (cause instanceof Fault && cause.cause !== undefined) cause = cause.cause
  if (!(cause instanceof Error)) return { code: 0, reason: 'Aborted', message: String(cause) }
  return { code: 0, reason: 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name, message: cause.message }
}
