/** The headers of a response. The SDK returns `undefined` for a header that is not there, and the platform `null`. */
export type RetryHeaders = { get(name: string): string | null | undefined }

const IN_MS = ['retry-after-ms', 'x-ms-retry-after-ms'] as const

/**
 * The wait that a response asks for, in milliseconds: a number of milliseconds, of seconds, or a date. The SDK reads the same three headers. A date
 * counts from the date of the response, so that a wrong clock of this host does not shorten the wait. `now`: for a response without a date.
 */
export function retryAfterOf(headers: RetryHeaders, now?: number): number | undefined {
  for (const name of IN_MS) {
    const wait = amountIn(headers.get(name))
    if (wait !== undefined) return wait
  }
  const text = headers.get('retry-after')
  const seconds = amountIn(text)
  if (seconds !== undefined) return seconds * 1_000
  const from = Date.parse(headers.get('date') ?? '')
  const wait = Date.parse(text ?? '') - (Number.isFinite(from) ? from : (now ?? Number.NaN))
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined
}

function amountIn(text: string | null | undefined): number | undefined {
  return typeof text === 'string' && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}
