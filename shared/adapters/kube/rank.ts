import type { Rank } from '../../base/concurrencyLimiter.ts'

/**
 * The priorities of calls that wait for their turn: first calls that a new machine or a pod waits for (new NodeClaims, tokens, nodes), then all
 * others, and last calls that only report.
 */
export const RANK = { awaited: 0, other: 1, telling: 2 } as const satisfies { readonly [Kind in string]: Rank }
