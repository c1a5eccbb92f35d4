import type { Sent } from './exported.ts'

/** An answer of the ingestion of Azure Monitor. */
export type Answer = { readonly status: number; readonly body: string; readonly retryAfter: string | undefined }

/** Statuses after which the rows may be accepted later. 401 and 403: the role assignment of the identity may not be effective yet. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 429, 500, 502, 503, 504])
/** Statuses of a reached daily cap: 402, and 439 in older regions. The cap is lifted once a day, so a retry can wait. */
const OVER_QUOTA: ReadonlySet<number> = new Set([402, 439])
const OVER_QUOTA_MS = 30 * 60_000
const LONGEST_WAIT_MS = 60 * 60_000

/** The result for `count` rows. `answer` is undefined if the connection failed. */
export function sentAs(count: number, answer: Answer | undefined, now: number): Sent {
  const all = Array.from({ length: count }, (_, place) => place)
  if (answer === undefined) return { again: all, refused: 0 }
  const { status } = answer
  const asked = waitOf(answer.retryAfter, now)
  if (status === 200) return { again: [], refused: 0 }
  if (status === 206) return { ...partly(answer.body), ...asked }
  if (OVER_QUOTA.has(status)) return { again: all, refused: 0, retryAfter: asked.retryAfter ?? OVER_QUOTA_MS }
  // A redirect arrives here only if it was not followed, because it led to another host.
  if (PASSING.has(status) || (status >= 300 && status < 400)) return { again: all, refused: 0, ...asked }
  return { again: [], refused: count }
}

/** The result if some rows were accepted. Each of the other rows has a status of its own. */
function partly(body: string): Sent {
  const errors = errorsIn(body)
  const again = errors.flatMap(({ index, statusCode }) => (PASSING.has(statusCode) || OVER_QUOTA.has(statusCode) ? [index] : []))
  return { again, refused: errors.length - again.length }
}

type RowError = { readonly index: number; readonly statusCode: number }

function errorsIn(body: string): readonly RowError[] {
  try {
    const { errors }: { errors?: unknown } = JSON.parse(body)
    return Array.isArray(errors) ? errors.filter(isRowError) : []
  } catch {
    // The accepted rows are unknown. To send all rows again would duplicate them.
    return []
  }
}

function isRowError(error: unknown): error is RowError {
  const { index, statusCode }: { index?: unknown; statusCode?: unknown } = error ?? {}
  return Number.isSafeInteger(index) && Number.isSafeInteger(statusCode)
}

/** The wait in a Retry-After header, in milliseconds. The header has seconds, or a date. */
function waitOf(text: string | undefined, now: number): { readonly retryAfter?: number } {
  if (text === undefined || text === '') return {}
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) && ms > 0 ? { retryAfter: Math.min(ms, LONGEST_WAIT_MS) } : {}
}
