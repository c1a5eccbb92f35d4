import type { NodeClaimName } from './ids.ts'

/**
 * A place in the order in which machines with pods have their turn: drifted machines come first, the longest drifted before the others; then
 * machines by what a move saves for what it costs. Smaller ranks come first, and of equal ranks the claim's name decides.
 */
export type MoveTurn = { readonly isDrifted: boolean; readonly rank: number; readonly claim: NodeClaimName }
