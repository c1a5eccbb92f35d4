import type { Sent } from './exported.ts'

/** What Azure Monitor's ingestion answered. */
export type Answer = { readonly status: number; readonly body: string; readonly retryAfter: string | undefined }

/** Later it may take them. 401 and 403: the role of the identity may not have arrived yet. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 429, 500, 502, 503, 504])
/** The daily cap is reached: 402, and 439 of older regions. It lifts once a day, so there is no hurry. */
const OVER_QUOTA: ReadonlySet<number> = new Set([402, 439])
const OVER_QUOTA_MS = 30 * 60_000
const LONGEST_WAIT_MS = 60 * 60_000

/** What became of `count` rows. No answer: the way there is broken. */
export function sentAs(count: number, answer: Answer | undefined, now: number): Sent {
  const all = Array.from({ length: count }, (_, place) => place)
  if (answer === undefined) return { again: all, refused: 0 }
  const { status } = answer
  const asked = waitOf(answer.retryAfter, now)
  if (status === 200) return { again: [], refused: 0 }
  if (status === 206) return { ...partly(answer.body), ...asked }
  if (OVER_QUOTA.has(status)) return { again: all, refused: 0, retryAfter: asked.retryAfter ?? OVER_QUOTA_MS }
  // A redirect that is left here was not followed, since it led elsewhere.
  if (PASSING.has(status) || (status >= 300 && status < 400)) return { again: all, refused: 0, ...asked }
  return { again: [], refused: count }
}

/** Some were taken. Each of the others has its own status. */
function partly(body: string): Sent {
  const errors = errorsIn(body)
  const again = errors.flatMap(({ index, statusCode }) => (PASSING.has(statusCode) || OVER_QUOTA.has(statusCode) ? [index] : []))
  return { again, refused: errors.length - again.length }
}

type RowError = { readonly index: number; readonly statusCode: number }

function errorsIn(body: string): readonly RowError[] {
  try {
    const { errors }: { errors?: readonly RowError[] } = JSON.parse(body)
    return errors ?? []
  } catch {
    // It took what it took: sending all again would double it.
    return []
  }
}

/** Seconds, or a date. */
function waitOf(text: string | undefined, now: number): { readonly retryAfter?: number } {
  if (text === undefined || text === '') return {}
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) && ms > 0 ? { retryAfter: Math.min(ms, LONGEST_WAIT_MS) } : {}
}
