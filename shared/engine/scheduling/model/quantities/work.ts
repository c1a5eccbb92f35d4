/**
 * Counts the work of a decision, in units that are the same on every machine, and bounds it. Loops count what they do, and every search draws from
 * one budget.
 */

/** What has been done so far. A buffer of the plan. */
export type Work = {
  /** Pods that were taken in since the decision before. */
  pods: number
  /** Machines that had to be looked at because they are new or have changed. */
  machines: number
  /** Classes of pods that were told apart. */
  classes: number
  /** Characters of pods that were read to tell them apart. */
  characters: number
  /** Relaxed pods: one for each class, and one for each preference that it may give up. */
  wishes: number
  /** Selectors that were asked whether they select some pods, and machines where these pods run. */
  scopes: number
  /** Times that places were sought for a pod, or for several at once. */
  attempts: number
  /** Domains that rules were asked about while places were sought. */
  domains: number
  /** Existing nodes that were asked whether they take a pod. */
  existingNodes: number
  /** Claims of the plan that were asked whether they take a pod. */
  claims: number
  /** Claims that were opened, also for plans that were not kept. */
  opened: number
  /** Shapes that were looked at while machines were filled on paper. */
  shapes: number
  /** Wishes of pods that were asked whether they may join a machine on paper, and rules that concern them there. */
  joins: number
  /** Pairs of constraints that were put together on paper for the first time in this plan. */
  combined: number
  /** Counts of neighbours that were changed. */
  counts: number
  /** Pools that were asked why they make no machine for some pods. */
  verdicts: number
  /** Pods that the decision names. */
  named: number
  /** Sets of constraints whose sizes and offerings were worked out. */
  narrowedTemplates: number
}

/** The cost of each unit, in looks at a shape. Measured, and rounded. */
const COSTS = {
  pods: 100,
  machines: 1_000,
  classes: 1_500,
  characters: 2,
  wishes: 100,
  scopes: 10,
  attempts: 100,
  domains: 2,
  existingNodes: 3,
  claims: 30,
  opened: 350,
  shapes: 1,
  joins: 2,
  combined: 400,
  counts: 2,
  verdicts: 100,
  named: 400,
  narrowedTemplates: 2_000,
} as const satisfies Work

export function createWork(): Work {
  return {
    pods: 0,
    machines: 0,
    classes: 0,
    characters: 0,
    wishes: 0,
    scopes: 0,
    attempts: 0,
    domains: 0,
    existingNodes: 0,
    claims: 0,
    opened: 0,
    shapes: 0,
    joins: 0,
    combined: 0,
    counts: 0,
    verdicts: 0,
    named: 0,
    narrowedTemplates: 0,
  }
}

/**
 * The cost of the decision so far, in looks at a shape. It is what the budget bounds. Work whose results are kept from one decision to the next does
 * not count: a decision must not depend on the decisions before.
 */
export function spentOn(work: Work): number {
  return (
    COSTS.classes * work.classes +
    COSTS.characters * work.characters +
    COSTS.wishes * work.wishes +
    COSTS.scopes * work.scopes +
    COSTS.attempts * work.attempts +
    COSTS.domains * work.domains +
    COSTS.existingNodes * work.existingNodes +
    COSTS.claims * work.claims +
    COSTS.opened * work.opened +
    COSTS.shapes * work.shapes +
    COSTS.joins * work.joins +
    COSTS.combined * work.combined +
    COSTS.counts * work.counts +
    COSTS.verdicts * work.verdicts +
    COSTS.named * work.named
  )
}

/** The cost of asking pools why they make no machine, in looks at a shape. */
export function spentOnVerdicts({ verdicts }: Work): number {
  return COSTS.verdicts * verdicts
}

/** The whole cost in looks at a shape, with the work whose results are kept. */
export function costOf(work: Readonly<Work>): number {
  return spentOn(work) + COSTS.pods * work.pods + COSTS.machines * work.machines + COSTS.narrowedTemplates * work.narrowedTemplates
}

/** What a decision may cost, in looks at a shape. */
export type Budget = {
  /** Beyond this cost nothing cheaper is looked for, and first fit places the pods that are left. */
  readonly better: number
  /** Beyond this cost pods wait for the next decision. */
  readonly most: number
}

/** The cost that any decision may have, and the cost that each pod adds. So each of few pods may cost more. */
const FOR_ANY = 15_000_000
const FOR_EACH_POD = 2_000
/** A decision may cost this many times the budget for something cheaper, so that first fit can place the pods that are left. */
const MORE = 5

export function budgetFor(pods: number, most = MORE * (FOR_ANY + FOR_EACH_POD * pods)): Budget {
  return { better: most / MORE, most }
}

export type Spending = { readonly work: Work; readonly budget: Budget }

/** Reports whether the budget for something cheaper is spent. */
export function isSpent({ work, budget }: Spending): boolean {
  return spentOn(work) >= budget.better
}

/** The cost at which a search ends that may use this share of the budget that is left. */
export function endOf({ work, budget }: Spending, share = 1): number {
  const spent = spentOn(work)
  return spent + share * Math.max(0, budget.better - spent)
}

/**
 * The budget with as much for first fit as it had when `spent` was spent. So a search for something cheaper takes no place away, whatever it costs.
 */
export function asBefore({ work, budget }: Spending, spent: number): Budget {
  return { ...budget, most: budget.most + spentOn(work) - spent }
}
