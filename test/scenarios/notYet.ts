/** Scenarios that the engine does not answer as they want, by handle, each with the reason and which side is right. */
export type NotYet = {
  readonly why: string
  /** In both placements. */
  readonly both?: string
  readonly price?: string
  readonly firstFit?: string
}

export const NOT_YET: readonly NotYet[] = [{ why: 'preferred node affinity is missing', both: 'W14 W15 W16 W17 W18 W19.2 W19.3' }]
