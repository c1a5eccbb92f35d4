/**
 * The tuned constants of placement: bounds of single searches, and thresholds. What all loops of a decision may cost together is the budget in
 * `work.ts`. Each constant names what it was set on: workloads of `npm run bench:scheduling`, or a test. "Not measured" means that only some bound
 * was needed. Whoever changes a constant shows prices before and after. `docs/architecture.md` says which constants may cut a plan.
 */

/**
 * Kinds of pods up to which exact columns are generated: the cost of a round grows with the square of the kinds. With more kinds, columns are of
 * amounts alone. With more amounts than this, there are no columns. Column generation is set on az-openb-cpu (2.0 % above the configuration bound
 * without it, 0.1 % with it), az-openb-all and kwok-wide.
 */
export const MOST_ROWS = 200
/**
 * With rows of amounts alone and a rule that asks for many machines, columns are for sizes up to this many times one machine's share of all waiting
 * pods. Set on kb-diverse (1.5 to 5 tried).
 */
export const LARGEST_SHARE = 3
/**
 * Pods up to which the plan is the cheapest set of machines, whatever the number of their kinds, and the bounds of this search: the steps in which
 * the least price is known, the sets of sizes that are listed, the share by which their price grows at first from one list to the next, and the steps
 * to pack the pods into one set. Set on the small batches of the bench, 3 to 20 diverse pods.
 */
export const FEW_PODS = 60
export const COVER_STEPS = 64
export const MOST_SETS_OF_SIZES = 200_000
export const PRICE_STEP = 0.005
export const MOST_PACKING_STEPS = 500
/**
 * Share of the budget up to which this search is made: the rest is for packing alone. Set on 40 pools of different weights with 40 pods for each, whose
 * plan cost 13 % more where the first pools could spend all.
 */
export const SHARE_FOR_FEW = 0.5
/** Column generation pays if so many machines share a kind of pods: the fractions of the mix then leave little over. */
export const MACHINES_PER_ROW = 1
/** What columns may cost for each machine that they are to replace, and their share of the budget that is left. Set on the adversarial clusters. */
export const COLUMN_COST_PER_MACHINE = 14_000
export const SHARE_FOR_COLUMNS = 0.5
/**
 * How columns are sought. `efforts`: the sets looked at for one machine, and the smoothing of dual values (Wentges). The first effort is used while
 * columns are found, the next ones in turn. `setsPerMachine`: the sets are at most this many for each machine of the mix. `leastGain`: a round that saves
 * less than this share of a machine's mean price has found nothing. With minus infinity any column counts. Both take fewer than `MANY_MACHINES` machines
 * for as many. `turns`: how often the mix is made, each time with the patterns of the layout before.
 */
export type ColumnTuning = {
  readonly efforts: readonly ColumnEffort[]
  readonly setsPerMachine: number
  readonly leastGain: number
  readonly turns: number
}
export const MANY_MACHINES = 200
export type ColumnEffort = { readonly sets: number; readonly dualSmoothing: number }
/** Turns set on az-openb-all (2.3 % above the fluid bound with one turn, less than 2 % with eight). */
export const FINE_COLUMNS: ColumnTuning = {
  efforts: [
    { sets: 1_000, dualSmoothing: 0.8 },
    { sets: 1_000, dualSmoothing: 0 },
    { sets: 20_000, dualSmoothing: 0 },
  ],
  setsPerMachine: Number.POSITIVE_INFINITY,
  leastGain: Number.NEGATIVE_INFINITY,
  turns: 8,
}
/**
 * Rows of amounts alone only come near what the rules allow, and more effort brought nothing. Set on kb-diverse (50 to 20,000 sets, one to four turns,
 * 0.002 to 1 for `leastGain`, 0 to 0.9 for `dualSmoothing`).
 */
export const COARSE_COLUMNS: ColumnTuning = {
  efforts: [
    { sets: 300, dualSmoothing: 0.8 },
    { sets: 300, dualSmoothing: 0 },
  ],
  setsPerMachine: 0.5,
  leastGain: 0.2,
  turns: 1,
}
/**
 * The first columns of amounts are sought at the dual values that dual prices of resources give, times this. At the dual values themselves no machine
 * is worth more than it costs. Set on kb-diverse (1 to 1.6 tried).
 */
export const FIRST_DUAL_VALUES = 1.1
/**
 * A layout may cost this many times its mix of amounts before a layout without the mix is tried as well. Set on kb-diverse, where layouts cost 0.5 to
 * 2 % more than their mixes.
 */
export const CLOSE_TO_MIX = 1.05
/** Times that a pattern of amounts is tried with other pods before it is given up. Set on kb-diverse (2 to 20 tried). */
export const MOST_RETRIES = 2
/**
 * Misses in a row that count. After a first miss a size is left out of one round, and after the next miss of three rounds: most rounds only bring the
 * last tenths of a percent.
 */
export const MOST_FAILURES = 2
/**
 * Subgradient steps towards the Lagrange multipliers with the best bound of a knapsack: of a machine seen for the first time, and of one that was
 * filled before.
 */
export const FIRST_MULTIPLIER_STEPS = 60
export const NEXT_MULTIPLIER_STEPS = 8
/**
 * Polyak's target: the share by which a step is expected to improve the bound of a knapsack. After each step without improvement it is multiplied by
 * `LOWER_POLYAK_TARGET`.
 */
export const POLYAK_TARGET = 0.1
export const LOWER_POLYAK_TARGET = 0.8

/**
 * Different amounts up to which each is packed as it is. With more, amounts are rounded up on paper in the finest step that leaves few enough. Set on
 * 5,000 pods of 5,000 sizes, which cost 7 to 21 % too much before: the search ended before the pods did. A placed pod counts with its own amounts. So
 * one amount more changes the order of packing by a step of 2 %, and never what fits.
 */
export const MOST_AMOUNTS = 200
export const ROUNDING_STEPS = [0.02, 0.05, 0.1, 0.2, 0.5, 1] as const

/**
 * Resources are priced with this share of demand more for each resource in turn. Set on kwok-wide (5 % cheaper), az-openb-all, az-openb-cpu and
 * kb-diverse.
 */
export const SCARCITY_MARGIN = 0.5
/** Share of the waiting pods of a shape that may go by one pattern before other patterns are looked at. Set with `SCARCITY_MARGIN`. */
export const PATTERN_SHARE = 0.1
/** Equal pods are taken in parts of what fits: at most one of so many parts at a time, so that other pods are mixed in. Not measured. */
export const FILL_PARTS = 4
/**
 * Most sizes that are tried for a machine. Set on az-openb-cpu, az-micro-300 and az-spot-1k. A second ranking, by the room that the waiting pods can
 * use, bought 8 machines where 6 cost the same in 12 of the small adversarial worlds, and made no bench cheaper. Where a rule asks for many machines:
 * the sizes below one machine's share of all waiting pods, and the sizes from this share on. These two are not measured.
 */
export const MOST_SIZES = 8
export const SMALLER_SIZES = 1
export const LARGER_SIZES = 3
/**
 * Alternatives of a constraint that each have a bin type of their own. Later alternatives are only used where the constraint takes them. Not
 * measured.
 */
export const MOST_ALTERNATIVES = 8
/**
 * Up to this many times the least cost, no other way of packing is tried. Other ways get this share of the budget that is left. Set on kb-generic-5k
 * and az-openb.
 */
export const NEAR_ENOUGH = 1.002
export const SHARE_FOR_OTHER_WAYS = 0.1
/** Pairs of machines that are compared for merging, with an equal share for each pattern. Set on plans whose cores cost the same in every size. */
export const MOST_MERGED_PAIRS = 10_000

/**
 * A packed plan may cost this many times the least cost before first fit is tried as well, in a cluster without nodes and for at least
 * `MOST_FOLLOWED` pods. For fewer pods the share above the least cost is smaller in proportion. Set on all workloads of the bench: first fit was
 * cheaper in none of them, and took a sixth of the time of kb-diverse.
 */
export const CLOSE_TO_LEAST = 1.25
/** Share of the budget that is left for a plan that is only made to compare it. Set on the adversarial clusters. */
export const SHARE_FOR_COMPARISON = 0.5

/**
 * Pods up to which a plan is followed pod by pod, as the scheduler binds them. It bounds all work that follows pods: the check of a plan, first fit
 * with late commitment, the move onto existing nodes, and the rounds with refused pods first. With more pods, spreads that look at labels are planned
 * warily from the start, and packed plans are checked by their skew alone. A wary plan can be dearer, and keeps the same rules. Set on the random
 * clusters of `test/properties`.
 */
export const MOST_FOLLOWED = 1_000
/**
 * Binding orders that are tried for a plan that is followed, before an order is made pod by pod. Each moves the late pods of the order before
 * forward. Set on kb-diverse with 60 seeds, where most orders are found by the fourth.
 */
export const MOST_ORDERS = 4
/** What the search for an order may cost beyond a spent budget, as a share of the budget. Not measured. */
export const SHARE_FOR_ORDER = 0.5
/** Refused pods up to which a plan is made again with these pods first. If more are refused, there is too little for all of them. Not measured. */
export const MOST_REFUSED = 250
/** Rounds with refused pods first. Each round adds the pods that the round before refused instead, and the last round adds all pods. */
export const MOST_GIVE_WAY_ROUNDS = 4
/**
 * Machines that are tried for one set of colocated pods, which must share a machine. Set on 1,000 random sets,
 * `test/properties/colocation.test.ts`.
 */
export const MOST_COLOCATION_MACHINES = 16
/** Questions whether an existing node takes a pod of a new machine. Not measured. */
export const MOST_ROOM_QUESTIONS = 20_000
/** Share of the budget that is left for asking whether existing nodes had room for stuck pods. Not measured. */
export const SHARE_FOR_STUCK = 0.1
/**
 * How often existing nodes are filled anew, with the pods first that were left over. Of seeds 1 to 15 of `test/generators/scaledIn.ts` with rules,
 * four bought machines after their moves without such rounds, and none with six.
 */
export const MOST_FILL_ROUNDS = 6
/**
 * Combinations of domains up to which a look ahead is tried for pods whose spreads depend on each other, forms of their counts that are looked at for
 * one class, and how far ahead. Set on `test/properties/dependentSpreads.test.ts`, where no class has more than 24 combinations, and some hundreds of
 * forms until one leads back.
 */
export const MOST_COMBINATIONS = 500
export const MOST_FORMS = 5_000
export const DEEPEST_LOOK = 400
