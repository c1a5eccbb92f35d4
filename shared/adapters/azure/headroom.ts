import type { Telemetry } from '../../ports/telemetry.ts'
import type { GivenResponse } from './retryAfterLimiter.ts'

/** Matches each part of `Microsoft.Compute/PutVM3Min;237,Microsoft.Compute/PutVM30Min;1197`. */
const OF_RESOURCE = /([\w./-]+);(\d+)/g
const OF_SUBSCRIPTION = ['reads', 'writes', 'deletes'] as const

/**
 * Measures from a response of ARM how many calls it still allows, and whether it throttled this one. The names of the headers are in Microsoft's
 * pages "Understand how Azure Resource Manager throttles requests" and "Troubleshooting API throttling errors - Compute", read in November 2026.
 */
export function measureHeadroom(telemetry: Pick<Telemetry, 'measure'>, { status, headers }: GivenResponse): void {
  if (status === 429) telemetry.measure('azure.throttled', 1, {})
  for (const part of OF_SUBSCRIPTION) {
    const left = numberIn(headers.get(`x-ms-ratelimit-remaining-subscription-${part}`))
    if (left !== undefined) telemetry.measure('azure.remaining', left, { part })
  }
  for (const [, part = '', left] of (headers.get('x-ms-ratelimit-remaining-resource') ?? '').matchAll(OF_RESOURCE))
    telemetry.measure('azure.remaining', Number(left), { part })
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
