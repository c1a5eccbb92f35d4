import type { Rank } from '../../base/turnstile.ts'

/** Which calls pass first while many wait: what a machine or a pod waits for to come (NodeClaims made, tokens, nodes), then everything else, then what only tells. */
export const RANK = { awaited: 0, other: 1, telling: 2 } as const satisfies { readonly [Kind in string]: Rank }
