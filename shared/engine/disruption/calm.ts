/** How much rest a pool wants: settings of the app, and annotations of the NodePool, which go before them. */
import type { Calm, DecisionSettings } from '../../model/clusterSnapshot.ts'
import { parseDuration } from '../../model/duration.ts'
import { CALM_ANNOTATION } from '../../model/labels.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { durationMs, type EpochMs, formatPrice, later, microUsdPerHour, usdPerHour } from '../../model/units.ts'
import { priceOf, type Weighed } from './candidate.ts'
import type { Move } from './move.ts'

export const NO_CALM: Calm = { isFrozen: false, leastSavingShare: 0, leastSavingPerPod: usdPerHour(0), leastNodeAge: durationMs(0) }

/** An annotation that nobody can read, with what is wrong. */
export type CalmProblem = { readonly annotation: string; readonly problem: string }

export function calmOf({ meta }: NodePool, { calm = NO_CALM }: Pick<DecisionSettings, 'calm'>): Calm | CalmProblem {
  const frozen = meta.annotations[CALM_ANNOTATION.frozen]
  const share = numberIn(meta.annotations[CALM_ANNOTATION.leastSavingShare])
  const perPod = numberIn(meta.annotations[CALM_ANNOTATION.leastSavingPerPod])
  const written = meta.annotations[CALM_ANNOTATION.leastNodeAge]
  const age = written === undefined ? undefined : parseDuration(written)
  if (frozen !== undefined && frozen !== 'true' && frozen !== 'false') return broken('frozen', 'true or false')
  if (share !== undefined && !(share >= 0 && share < 1)) return broken('leastSavingShare', 'a number from 0 to below 1')
  if (perPod !== undefined && !(perPod >= 0 && perPod < 1000)) return broken('leastSavingPerPod', 'dollars an hour, from 0 to below 1000')
  if (age !== undefined && (!age.ok || age.value < 0)) return broken('leastNodeAge', 'a duration such as 1h')
  return {
    isFrozen: frozen === undefined ? calm.isFrozen : frozen === 'true',
    leastSavingShare: share ?? calm.leastSavingShare,
    leastSavingPerPod: perPod === undefined ? calm.leastSavingPerPod : usdPerHour(perPod),
    leastNodeAge: age?.ok === true ? age.value : calm.leastNodeAge,
  }
}

/** Why a move saves too little for those of its pools that ask most; undefined when it saves enough. */
export function tooSmall({ candidates, saving = 0 }: Move, settings: Pick<DecisionSettings, 'calm'>): string | undefined {
  const price = candidates.reduce((sum, each) => sum + priceOf(each), 0)
  const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
  for (const { pool } of candidates) {
    const calm = calmOf(pool, settings)
    if ('problem' in calm) return calm.problem
    const least = Math.ceil(Math.max(calm.leastSavingShare * price, calm.leastSavingPerPod * pods))
    if (saving < least) {
      const [saved, asked] = [formatPrice(microUsdPerHour(Math.max(0, Math.round(saving)))), formatPrice(microUsdPerHour(least))]
      return `the move saves ${saved} (pods moved: ${pods}), and nodepool ${pool.name} asks for ${asked}`
    }
  }
  return undefined
}

/** When the machine is old enough to be consolidated. */
export function oldEnoughAt({ claim, pool }: Weighed, settings: Pick<DecisionSettings, 'calm'>): EpochMs {
  const calm = calmOf(pool, settings)
  return 'problem' in calm ? claim.meta.createdAt : later(claim.meta.createdAt, calm.leastNodeAge)
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : DECIMAL.test(text) ? Number(text) : Number.NaN
}

const DECIMAL = /^[0-9]{1,6}(\.[0-9]{1,9})?$/

function broken(which: keyof typeof CALM_ANNOTATION, rule: string): CalmProblem {
  const annotation = CALM_ANNOTATION[which]
  return { annotation, problem: `metadata.annotations ${annotation}: must be ${rule}` }
}
