/**
 * The tuned constants of placement: bounds of single searches, and thresholds. What all loops of a decision may cost together is the budget in `work.ts`.
 * Each constant names what it was set on: workloads of `npm run bench:scheduling`, or a test. "Not measured" means that only some bound was needed. Whoever
 * changes a constant shows prices before and after. `docs/architecture.md` says which constants may cut a plan.
 */

/**
 * Column generation: set on az-openb-cpu (2.0 % above the configuration bound without it, 0.1 % with it), az-openb-all and kwok-wide.
 *
 * Kinds of pods up to which columns are generated: the cost of a round grows with the square of the kinds. Beyond, columns
 * are of amounts alone, and of more than so many amounts there are none.
 */
export const MOST_ROWS = 200
/** Where rows are amounts alone and a rule asks for many machines, sizes up to so many times one machine's share of all that waits get columns. Set on kb-diverse (1.5 to 5 tried). */
export const LARGEST_SHARE = 3
/** Column generation pays where so many machines share a kind of pods, so that what fractions leave over is little. */
export const MACHINES_PER_ROW = 1
/** What columns may cost for each machine they are to replace, and their share of what is left of the budget: set on the adversarial clusters. */
export const COLUMN_COST_PER_MACHINE = 14_000
export const SHARE_FOR_COLUMNS = 0.5
/**
 * How columns are sought. `efforts`: sets looked at for one machine, and the smoothing of dual values (Wentges), while something is found and then in turn.
 * `leastGain`: a round that makes the mix cheaper by less than this share has found nothing; endless where any column counts. `turns`: how often the mix is made, each time with the
 * patterns of the layout before.
 */
export type ColumnTuning = { readonly efforts: readonly ColumnEffort[]; readonly leastGain: number; readonly turns: number }
export type ColumnEffort = { readonly sets: number; readonly dualSmoothing: number }
/** Turns set on az-openb-all (2.3 % above the fluid bound with one turn, less than 2 % with eight). */
export const FINE_COLUMNS: ColumnTuning = {
  efforts: [
    { sets: 1_000, dualSmoothing: 0.8 },
    { sets: 1_000, dualSmoothing: 0 },
    { sets: 20_000, dualSmoothing: 0 },
  ],
  leastGain: Number.NEGATIVE_INFINITY,
  turns: 8,
}
/** Rows of amounts alone only come near what the rules allow: more brought nothing. Set on kb-diverse (100 to 20,000 sets, one to four turns tried). */
export const COARSE_COLUMNS: ColumnTuning = {
  efforts: [
    { sets: 300, dualSmoothing: 0.8 },
    { sets: 300, dualSmoothing: 0 },
  ],
  leastGain: 1e-5,
  turns: 1,
}
/**
 * How many times the cost of a mix of amounts its layout may cost before a layout without the mix is tried as well. Set on kb-diverse, where layouts cost 0.5 to
 * 2 % more than their mixes.
 */
export const CLOSE_TO_MIX = 1.05
/** Times that a pattern of amounts is tried with other pods before it is given up. Set on kb-diverse (2 to 20 tried). */
export const MOST_RETRIES = 2
/** A size without a column is left out of one round, and of three after the next miss: most rounds only bring the last tenths of a percent. */
export const MOST_FAILURES = 2
/** Steps towards the multipliers that bound a knapsack best: of a machine seen for the first time, and of one that was filled before. */
export const FIRST_MULTIPLIER_STEPS = 60
export const NEXT_MULTIPLIER_STEPS = 8
/** How much better the bound of a knapsack is hoped to become in a step, as a share (Polyak); less after each step that disappoints. */
export const POLYAK_TARGET = 0.1
export const LOWER_POLYAK_TARGET = 0.8

/**
 * Amounts of pods up to which each is packed as it is; beyond, amounts are rounded up on paper in the finest step that leaves few enough. Set on 5,000 pods of
 * 5,000 sizes, which cost 7 to 21 % too much before: the search ended before the pods did. What is placed counts with its own amounts, so that one amount more
 * changes the order of packing by a step of 2 % and never what fits.
 */
export const MOST_AMOUNTS = 200
export const ROUNDING_STEPS = [0.02, 0.05, 0.1, 0.2, 0.5, 1] as const

/** Half as much again of a resource may be wanted than it looks: set on kwok-wide (5 % cheaper), az-openb-all, az-openb-cpu and kb-diverse. */
export const SCARCITY_MARGIN = 0.5
/** Share of the pods of a shape that may go by one pattern before other patterns are looked at: set with `SCARCITY_MARGIN`. */
export const PATTERN_SHARE = 0.1
/** Of a large number of equal pods at most this part of the room goes in at a time, so that others are mixed in. Not measured. */
export const FILL_PARTS = 4
/** Sizes that are tried for a machine, and about a fair share of all that waits the sizes below and above. Not measured. */
export const MOST_SIZES = 8
export const SMALLER_SIZES = 1
export const LARGER_SIZES = 3
/** Alternatives of a constraint that machines are looked for, each for itself; further ones only as the constraint takes them. Not measured. */
export const MOST_ALTERNATIVES = 8
/** So near to the least it can cost, no other way of packing is tried; the other ways get this share of what is left. Set on kb-generic-5k and az-openb. */
export const NEAR_ENOUGH = 1.002
export const SHARE_FOR_OTHER_WAYS = 0.1
/** Pairs of machines that one machine might stand for, an equal share for each pattern: set on plans whose cores cost the same in every size. */
export const MOST_MERGED_PAIRS = 10_000

/**
 * How many times the least cost a packed plan may cost before first fit is tried as well, in a cluster without nodes and for at least `MOST_FOLLOWED` pods. For fewer
 * pods the share above the least cost is smaller in proportion. Set on all workloads of the bench: first fit was cheaper in none of them, and took a sixth of the time of kb-diverse.
 */
export const CLOSE_TO_LEAST = 1.25
/** Share of what is left of the budget for a plan that is only made to compare it: set on the adversarial clusters. */
export const SHARE_FOR_COMPARISON = 0.5

/**
 * Pods up to which a plan is followed pod by pod, as the scheduler binds them. It bounds all that follows pods: the check of a
 * plan, first fit with late commitment, the move onto room that is there, and the rounds in which refused pods come first. Beyond, spreads that look at labels
 * are planned warily from the start, and packed plans are checked by their skew alone. A wary plan can be dearer; it keeps the same rules. Set on the random
 * clusters of `test/properties`.
 */
export const MOST_FOLLOWED = 1_000
/** Orders that are tried for a plan that is followed, each after what was learnt from the one before. */
export const MOST_ORDERS = 8
/**
 * Placements up to which pods are also bound one by one, each time the first that can be: the cost grows with their square. Beyond, a plan in which a pod can
 * only be bound between two others is given up for the next candidate; first fit needs no such order. Set on 32,000 random clusters.
 */
export const MOST_EAGER = 250
/** Refused pods up to which a plan is made again with these first. Where more are refused, too little is there for all of them. Not measured. */
export const MOST_REFUSED = 250
/** Rounds of refused pods first: in each also those that were refused instead in the one before, and in the last all. */
export const MOST_GIVE_WAY_ROUNDS = 4
/** Machines that are tried for one company of pods that must share a machine: set on 1,000 random companies, `test/properties/company.test.ts`. */
export const MOST_COMPANY_MACHINES = 16
/** Questions whether a machine that is there takes a pod of a machine to be bought. Not measured. */
export const MOST_ROOM_QUESTIONS = 20_000
/** Share of what is left of the budget to ask whether machines had room for pods that are stuck. Not measured. */
export const SHARE_FOR_STUCK = 0.1
