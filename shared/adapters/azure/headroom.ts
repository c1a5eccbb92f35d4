import type { Telemetry } from '../../ports/telemetry.ts'
import type { GivenResponse } from './exchange.ts'

/** Matches each part of `Microsoft.Compute/PutVM3Min;237,Microsoft.Compute/PutVM30Min;1197`. */
const OF_RESOURCE = /([\w./-]+);(\d+)/g
const OF_SUBSCRIPTION = ['reads', 'writes', 'deletes'] as const

/** Measures from a response of ARM how many calls it still allows, and whether it throttled this one. */
export function measureHeadroom(telemetry: Pick<Telemetry, 'measure'>, { status, headers }: GivenResponse): void {
  if (status === 429) telemetry.measure('azure.throttled', 1, {})
  for (const { part, left } of remainingCalls(headers)) telemetry.measure('azure.remaining', left, { part })
}

/**
 * How many calls a response of ARM says are left: `reads`, `writes` or `deletes` of the subscription, and the policies of the resource provider. The
 * names of the headers are in Microsoft's pages "Understand how Azure Resource Manager throttles requests" and "Troubleshooting API throttling
 * errors - Compute", read in November 2026.
 */
export function remainingCalls(headers: GivenResponse['headers']): readonly { readonly part: string; readonly left: number }[] {
  const ofSubscription = OF_SUBSCRIPTION.flatMap((part) => {
    const text = headers.get(`x-ms-ratelimit-remaining-subscription-${part}`)
    return text !== undefined && /^\d+$/.test(text) ? [{ part, left: Number(text) }] : []
  })
  const ofResource = [...(headers.get('x-ms-ratelimit-remaining-resource') ?? '').matchAll(OF_RESOURCE)]
  return [...ofSubscription, ...ofResource.map(([, part = '', left]) => ({ part, left: Number(left) }))]
}
