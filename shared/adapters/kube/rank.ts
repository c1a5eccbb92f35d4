import type { Rank } from '../../base/concurrency.ts'

/**
 * The priorities of calls that wait for their turn: first calls without which no machine is asked for or no pod starts (new NodeClaims, nodes), then
 * calls that a machine under way needs (tokens), then all others, and last calls that only report.
 */
export const RANK = { first: 0, machine: 1, other: 2, telling: 3 } as const satisfies { readonly [Kind in string]: Rank }
