import { settle } from '../shared/base/concurrency.ts'
import { parsedJson } from '../shared/base/json.ts'
import { messageOf } from '../shared/base/result.ts'
import { appFinding } from '../shared/engine/preflight/appFinding.ts'
import type { AppFacts } from '../shared/model/installFacts.ts'
import type { Access } from './clusterAccess.ts'

// What an answer of the function app says about the app itself: whether its functions are loaded, and whether it takes its settings.

export type AppState =
  | { readonly state: 'works' }
  | Omit<AppFacts, 'name'>
  /** No answer, or one that says nothing about the app. */
  | { readonly state: 'unread'; readonly why: string }

type Answer = Pick<Response, 'status'> & { readonly text: string }

const LIMIT_MS = 30_000

/** Asks the route of a cluster status without a token. An app that works answers 401, for any name of a cluster. */
export async function askApp({ web }: Pick<Access, 'web'>, endpoint: string): Promise<AppState> {
  const url = `${endpoint.replace(/\/$/, '')}/api/clusters/any/status`
  const asked = await settle(async () => {
    // A sign-in service in front of the app answers with a redirect to its page, and the page answers 200.
    const answer = await web(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) })
    return { status: answer.status, text: await answer.text() }
  })
  return asked.ok ? appStateIn(asked.value) : { state: 'unread', why: messageOf(asked.error) }
}

/** An answer of the app itself has a body with a code. The host answers 404 without a body to a route of no function. */
export function appStateIn({ status, text }: Answer): AppState {
  if (status === 401 || (status >= 200 && status < 300)) return { state: 'works' }
  if (status === 404 && text.trim() === '') return { state: 'empty' }
  const read = status === 503 ? parsedJson(text) : undefined
  if (isRefusal(read)) return { state: 'refused', message: read.message }
  return { state: 'unread', why: `it answered ${status}` }
}

function isRefusal(json: unknown): json is { readonly message: string } {
  if (typeof json !== 'object' || json === null || !('code' in json) || !('message' in json)) return false
  return json.code === 'SETTING.INVALID' && typeof json.message === 'string'
}

/** What to do about an app that does no work, in a line. Undefined if the answer shows no such app. */
export function appAdvice(answer: Answer): string | undefined {
  const found = appStateIn(answer)
  if (found.state === 'works' || found.state === 'unread') return undefined
  const { code, message, remedy } = appFinding({ ...found, name: 'app' })
  return `${code}   ${message}; ${remedy}`
}
