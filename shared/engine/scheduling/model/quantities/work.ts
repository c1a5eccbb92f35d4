/**
 * How much work a decision is, in units that are the same on every machine, and how much it may be: loops count what they do, and every
 * search draws from one budget.
 */

/** What has been done so far. A buffer of the plan. */
export type Work = {
  /** Pods that were put on the books since the decision before. */
  pods: number
  /** Machines that had to be looked at because they are new or have changed. */
  machines: number
  /** Classes of pods that were told apart. */
  classes: number
  /** Characters of what pods say that were read to tell them apart. */
  characters: number
  /** Ways in which pods may give up what they merely like: one for each class, and one for each thing it gives up. */
  wishes: number
  /** Selectors that were asked whether they mean some pods, and machines where these run. */
  scopes: number
  /** Times that places were sought for a pod, or for several at once. */
  attempts: number
  /** Domains that rules were asked about while places were sought. */
  domains: number
  /** Machines and claims that were there and were asked whether they take a pod. */
  existingNodes: number
  /** Claims of the plan that were asked, each time with all that is open. */
  claims: number
  /** Claims that were opened, also for plans that were not kept. */
  opened: number
  /** Pods of one size looked at while machines were filled on paper. */
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

/** What one of each costs, in looks at a shape: measured, and rounded. */
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
 * What the decision has cost so far, in looks at a shape: what bounds it is counted in this. Without what is remembered from one decision
 * to the next: a decision must not depend on those before.
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

/** What it has cost to ask pools why they make no machine. */
export function spentOnVerdicts({ verdicts }: Work): number {
  return COSTS.verdicts * verdicts
}

/** What it cost in all, in looks at a shape. */
export function costOf(work: Readonly<Work>): number {
  return spentOn(work) + COSTS.pods * work.pods + COSTS.machines * work.machines + COSTS.narrowedTemplates * work.narrowedTemplates
}

/** What a decision may cost, in looks at a shape. */
export type Budget = {
  /** Beyond this nothing better is looked for: what is left goes by first fit. */
  readonly better: number
  /** Beyond this pods wait for the next decision. */
  readonly most: number
}

/** Of few pods each may cost more. */
const FOR_ANY = 15_000_000
const FOR_EACH_POD = 2_000
/** First fit for all that is left costs no more than this many times what looking for something better may. */
const MORE = 5

export function budgetFor(pods: number, most = MORE * (FOR_ANY + FOR_EACH_POD * pods)): Budget {
  return { better: most / MORE, most }
}

export type Spending = { readonly work: Work; readonly budget: Budget }

/** Nothing better is to be looked for any more. */
export function isSpent({ work, budget }: Spending): boolean {
  return spentOn(work) >= budget.better
}

/** Where the cost may get to in a search that may have this share of what is left. */
export function endOf({ work, budget }: Spending, share = 1): number {
  const spent = spentOn(work)
  return spent + share * Math.max(0, budget.better - spent)
}
