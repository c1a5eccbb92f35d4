import type { Resources } from '../../model/resources.ts'
import { type Combination, startCombination } from './combination.ts'
import { type Limits, limitsOf } from './limits.ts'
import type { PodGroup } from './podGroups.ts'
import type { Template } from './template.ts'

/** How many pods of each group want a place. */
export type Demand = ReadonlyMap<PodGroup, number>

/** The pools a plan may open claims of, in order. The limits are the plan's own and shrink as it does. */
export type Ground = {
  readonly starts: readonly Start[]
  /** How many resources a decision compares. */
  readonly axes: number
  readonly isStrict: boolean
}

export type Start = { readonly combination: Combination; readonly limits: Limits }

export type GroundInput = {
  readonly templates: readonly Template[]
  readonly usage: ReadonlyMap<string, Resources>
  readonly axes: number
  readonly isStrict: boolean
}

/** Makes fresh ground for each plan. What constraints cost together is worked out once for all of them. */
export function groundMaker({ templates, usage, axes, isStrict }: GroundInput): () => Ground {
  const combinations = templates.map(startCombination)
  return () => ({
    starts: combinations.map((combination) => ({
      combination,
      limits: limitsOf(combination.template.pool, usage.get(combination.template.pool.name) ?? {}),
    })),
    axes,
    isStrict,
  })
}

/** Pools of one weight: among them the price decides. */
export function tiersOf(ground: Ground): readonly Ground[] {
  const tiers: Start[][] = []
  for (const start of ground.starts) {
    const last = tiers.at(-1)
    if (last?.[0]?.combination.template.weight === start.combination.template.weight) last.push(start)
    else tiers.push([start])
  }
  return tiers.map((starts) => ({ ...ground, starts }))
}
