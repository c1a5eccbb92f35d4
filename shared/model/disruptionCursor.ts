import type { NodeClaimName } from './ids.ts'

/**
 * A position in the order in which machines with pods are considered for disruption. Drifted machines come first, the longest drifted before the
 * others. Then machines follow by the ratio of saving to disruption cost. Smaller ranks come first. Machines of equal rank are ordered by claim name.
 */
export type DisruptionCursor = { readonly isDrifted: boolean; readonly rank: number; readonly claim: NodeClaimName }
