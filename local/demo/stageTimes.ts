/** The stages from the decision to an initialized node, in order, as tables show them. */
export const STAGES = ['decided', 'claim made', 'first ARM call', 'launched', 'node joined', 'registered', 'initialized'] as const
export type Stage = (typeof STAGES)[number]

/** When each claim reached each stage, in epoch milliseconds, as this process saw it. The first report of a stage counts. */
export interface StageTimes {
  reached(claim: string, stage: Stage, at: number): void
  of(claim: string): ReadonlyMap<Stage, number>
  claims(): readonly string[]
}

export function createStageTimes(): StageTimes {
  const times = new Map<string, Map<Stage, number>>()
  const own = (claim: string): Map<Stage, number> => {
    const present = times.get(claim) ?? new Map<Stage, number>()
    times.set(claim, present)
    return present
  }
  return {
    reached(claim, stage, at) {
      const stages = own(claim)
      if (!stages.has(stage)) stages.set(stage, at)
    },
    of: (claim) => own(claim),
    claims: () => [...times.keys()],
  }
}

/** Returns the minimum, median and maximum of durations, in the unit of the values. Undefined without values. */
export function spread(values: readonly number[]): { readonly min: number; readonly median: number; readonly max: number } | undefined {
  const sorted = [...values].sort((first, second) => first - second)
  const [min] = sorted
  const median = sorted[Math.floor(sorted.length / 2)]
  const max = sorted.at(-1)
  return min === undefined || median === undefined || max === undefined ? undefined : { min, median, max }
}
