/** Keeps the form of each answer of ARM, as the clients of the product get it. */
import type { AroundCall } from '../../shared/adapters/azure/clients.ts'
import type { SmokeAnswer } from './record.ts'
import type { Redactor } from './redact.ts'
import { fieldsOf, firstOfEachForm, kindOf, pathTemplate } from './shapes.ts'

/** The headers that a record keeps. Clients of ARM act on them, or they hold the number of calls that are left. */
const HEADERS = [
  'azure-asyncoperation',
  'location',
  'retry-after',
  'retry-after-ms',
  'x-ms-retry-after-ms',
  'etag',
  'content-type',
  'x-ms-failure-cause',
  'x-ms-ratelimit-remaining-resource',
  'x-ms-ratelimit-remaining-subscription-reads',
  'x-ms-ratelimit-remaining-subscription-writes',
  'x-ms-ratelimit-remaining-subscription-deletes',
  'x-ms-ratelimit-remaining-subscription-resource-requests',
  'x-ms-ratelimit-remaining-subscription-global-reads',
  'x-ms-ratelimit-remaining-subscription-global-writes',
  'x-ms-ratelimit-remaining-subscription-global-deletes',
] as const

export type Recorder = { readonly around: AroundCall; readonly answers: () => readonly SmokeAnswer[] }

/** `before`: the answers of the run until now, which go on being counted. */
export function createRecorder(redactor: Redactor, before: readonly SmokeAnswer[] = []): Recorder {
  const kept = new Map<string, SmokeAnswer>(before.map((answer) => [answerKeyOf(answer), answer]))
  return {
    answers: () => [...kept.values()],
    around: async (request, next) => {
      const response = await next(request)
      const { pathname } = new URL(request.url)
      const headers = HEADERS.flatMap((name) => {
        const value = response.headers.get(name)
        return value === undefined ? [] : [[name, redactor.text(value)] as const]
      })
      const answer: SmokeAnswer = {
        method: request.method,
        path: redactor.text(pathTemplate(pathname)),
        status: response.status,
        headers: Object.fromEntries(headers),
        ...bodyOf(response.bodyAsText, redactor),
        times: 1,
      }
      const key = answerKeyOf(answer)
      const held = kept.get(key)
      kept.set(key, held === undefined ? answer : { ...held, times: held.times + 1 })
      return response
    },
  }
}

function answerKeyOf(answer: SmokeAnswer): string {
  return [kindOf(answer), ...Object.keys(answer.headers), ...fieldsOf(answer.body)].join('\n')
}

function bodyOf(text: string | null | undefined, redactor: Redactor): { readonly body?: unknown } {
  if (text === undefined || text === null || text === '') return {}
  try {
    return { body: firstOfEachForm(redactor.value(JSON.parse(text))) }
  } catch {
    return { body: redactor.text(text).slice(0, MOST_TEXT) }
  }
}

const MOST_TEXT = 2_000
