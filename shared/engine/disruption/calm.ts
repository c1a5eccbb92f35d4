/** Calm settings of a pool, which limit its moves: settings of the app, and annotations of the NodePool, which take precedence. */
import type { Calm, DecisionSettings } from '../../model/clusterSnapshot.ts'
import { parseDuration } from '../../model/duration.ts'
import { CALM_ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { type DurationMs, durationMs, type EpochMs, formatPrice, later, microUsdPerHour, usdPerHour } from '../../model/units.ts'
import { priceOf, type Weighed } from './candidate.ts'
import type { Move } from './move.ts'

const NO_CALM: Calm = { isFrozen: false, leastSavingShare: 0, leastSavingPerPod: usdPerHour(0), leastNodeAge: durationMs(0) }

/** An annotation that cannot be read, and why. */
export type CalmProblem = { readonly annotation: string; readonly problem: string }

export function calmOf({ meta: { annotations } }: NodePool, { calm = NO_CALM }: Pick<DecisionSettings, 'calm'>): Calm | CalmProblem {
  const frozen = readAs(
    'frozen',
    annotations,
    (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    'true or false',
  )
  const share = readAs('leastSavingShare', annotations, (text) => numberBelow(1, text), 'a number from 0 to below 1')
  const perPod = readAs('leastSavingPerPod', annotations, (text) => numberBelow(1000, text), 'dollars an hour, from 0 to below 1000')
  const age = readAs('leastNodeAge', annotations, ageIn, 'a duration such as 1h')
  for (const each of [frozen, share, perPod, age]) if (typeof each === 'object') return each
  return {
    isFrozen: typeof frozen === 'boolean' ? frozen : calm.isFrozen,
    leastSavingShare: typeof share === 'number' ? share : calm.leastSavingShare,
    leastSavingPerPod: typeof perPod === 'number' ? usdPerHour(perPod) : calm.leastSavingPerPod,
    leastNodeAge: typeof age === 'number' ? age : calm.leastNodeAge,
  }
}

/** Undefined if the pool has no such annotation. */
function readAs<Value>(
  which: keyof typeof CALM_ANNOTATION,
  annotations: Labels,
  read: (text: string) => Value | undefined,
  rule: string,
): Value | CalmProblem | undefined {
  const annotation = CALM_ANNOTATION[which]
  const text = annotations[annotation]
  if (text === undefined) return undefined
  return read(text) ?? { annotation, problem: `metadata.annotations ${annotation}: must be ${rule}` }
}

function ageIn(text: string): DurationMs | undefined {
  const age = parseDuration(text)
  return age.ok ? age.value : undefined
}

function numberBelow(end: number, text: string): number | undefined {
  return DECIMAL.test(text) && Number(text) < end ? Number(text) : undefined
}

/** Why a move saves too little for one of its pools. Undefined if it saves enough. */
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

const DECIMAL = /^[0-9]{1,6}(\.[0-9]{1,9})?$/
