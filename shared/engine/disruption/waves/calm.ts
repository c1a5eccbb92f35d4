/** Calm settings of a pool, which limit its moves: settings of the app, and annotations of the NodePool, which take precedence. */
import { ownValue } from '../../../base/values.ts'
import type { Calm, DecisionSettings } from '../../../model/clusterSnapshot.ts'
import { findCondition } from '../../../model/condition.ts'
import type { Reason } from '../../../model/decision.ts'
import { CALM_ANNOTATION } from '../../../model/labels.ts'
import { CREATION_FORBIDDEN, CREATION_PAUSED, type NodePool } from '../../../model/nodePool.ts'
import { parseDuration } from '../../../model/time.ts'
import { type DurationMs, durationMs, formatPrice, microUsdPerHour, usdPerHour } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { type CandidateWithCost, priceOf, reasonOf } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'

const NO_CALM: Calm = {
  isFrozen: false,
  leastSavingShare: 0,
  leastSavingPerPod: usdPerHour(0),
  leastNodeAge: durationMs(0),
  mostMovesAnHour: 0,
  restAfterMove: durationMs(0),
  mostExtraNodes: 0,
}

/** An annotation that cannot be read, and why. */
export type CalmProblem = { readonly annotation: string; readonly problem: string }

export function calmOf({ meta: { annotations } }: NodePool, { calm = NO_CALM }: Pick<DecisionSettings, 'calm'>): Calm | CalmProblem {
  const problems: CalmProblem[] = []
  const asked = <Key extends keyof Calm>(key: Key): Calm[Key] => {
    const { annotation, read, rule } = RULES[key]
    const text = ownValue(annotations, annotation)
    const value = text === undefined ? undefined : read(text)
    if (text !== undefined && value === undefined) {
      problems.push({ annotation, problem: `metadata.annotations ${annotation}: must be ${rule}` })
    }
    return value ?? calm[key]
  }
  const own: Calm = {
    isFrozen: asked('isFrozen'),
    leastSavingShare: asked('leastSavingShare'),
    leastSavingPerPod: asked('leastSavingPerPod'),
    leastNodeAge: asked('leastNodeAge'),
    mostMovesAnHour: asked('mostMovesAnHour'),
    restAfterMove: asked('restAfterMove'),
    mostExtraNodes: asked('mostExtraNodes'),
  }
  return problems[0] ?? own
}

/** How an annotation is read, and what must be written. */
type Rule<Value> = { readonly annotation: string; readonly read: (text: string) => Value | undefined; readonly rule: string }

const RULES: { readonly [Key in keyof Calm]: Rule<Calm[Key]> } = {
  isFrozen: {
    annotation: CALM_ANNOTATION.frozen,
    read: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    rule: 'true or false',
  },
  leastSavingShare: {
    annotation: CALM_ANNOTATION.leastSavingShare,
    read: (text) => numberBelow(1, text),
    rule: 'a number from 0 to below 1',
  },
  leastSavingPerPod: {
    annotation: CALM_ANNOTATION.leastSavingPerPod,
    read: (text) => {
      const dollars = numberBelow(1000, text)
      return dollars === undefined ? undefined : usdPerHour(dollars)
    },
    rule: 'dollars an hour, from 0 to below 1000',
  },
  leastNodeAge: { annotation: CALM_ANNOTATION.leastNodeAge, read: ageIn, rule: 'a duration such as 1h' },
  mostMovesAnHour: {
    annotation: CALM_ANNOTATION.mostMovesAnHour,
    read: (text) => countUpTo(1000, text),
    rule: 'a whole number from 0 to 1000',
  },
  restAfterMove: {
    annotation: CALM_ANNOTATION.restAfterMove,
    read: (text) => {
      const rest = ageIn(text)
      return rest !== undefined && rest <= LONGEST_REST_MS ? rest : undefined
    },
    rule: 'a duration of at most 168h, such as 30m',
  },
  mostExtraNodes: {
    annotation: CALM_ANNOTATION.mostExtraNodes,
    read: (text) => countUpTo(1000, text),
    rule: 'a whole number from 0 to 1000',
  },
}

function ageIn(text: string): DurationMs | undefined {
  const age = parseDuration(text)
  return age.ok ? age.value : undefined
}

function numberBelow(end: number, text: string): number | undefined {
  return DECIMAL.test(text) && Number(text) < end ? Number(text) : undefined
}

function countUpTo(most: number, text: string): number | undefined {
  return WHOLE.test(text) && Number(text) <= most ? Number(text) : undefined
}

/** One calm setting of the pool. Off if an annotation of the pool cannot be read: no node of such a pool is moved anyway. */
export function calmSetting<Key extends keyof Calm>(pool: NodePool, key: Key, settings: Pick<DecisionSettings, 'calm'>): Calm[Key] {
  const calm = calmOf(pool, settings)
  return 'problem' in calm ? NO_CALM[key] : calm[key]
}

/** The setting that holds for the pool: its own annotation, or the setting of the app. */
export function nameOfSetting({ meta: { annotations } }: NodePool, which: keyof typeof SETTING_OF_APP): string {
  const annotation = CALM_ANNOTATION[which]
  return annotations[annotation] === undefined ? SETTING_OF_APP[which] : annotation
}

const SETTING_OF_APP = { mostMovesAnHour: 'MOST_MOVES_AN_HOUR', mostExtraNodes: 'MOST_EXTRA_NODES' } as const

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

/** As in the settings of the app. The ledger remembers a rest as long as it lasts. */
const LONGEST_REST_MS = 168 * 3_600_000

const WHOLE = /^[0-9]{1,4}$/
const DECIMAL = /^[0-9]{1,6}(\.[0-9]{1,9})?$/

/** Why no machine may go: Azure forbids new nodes of some pool, so a machine that goes could not be replaced. Undefined if it forbids none. */
export function forbiddenIn({ objects }: FleetSnapshot): string | undefined {
  const names = objects.nodePool.flatMap(({ name, status }) =>
    findCondition(status.conditions, CREATION_PAUSED)?.reason === CREATION_FORBIDDEN ? [name] : [],
  )
  if (names.length === 0) return undefined
  return `Azure refuses to create nodes of nodepool ${names.sort().join(', ')}, so a node that is removed now could not be replaced`
}

/** Why the machine may not be moved: its moves are frozen, or a rule of its pool cannot be read. Undefined if it may. */
export function frozenBy(
  { claim, pool }: CandidateWithCost,
  { settings }: FleetSnapshot,
  forbidden: string | undefined,
): Reason | undefined {
  if (forbidden !== undefined) return reasonOf(claim, 'DISRUPTION.FROZEN', forbidden)
  const calm = calmOf(pool, settings)
  if ('problem' in calm)
    return reasonOf(claim, 'DISRUPTION.CALM', `nodepool ${pool.name}: ${calm.problem}; its nodes stay until that is corrected`)
  return calm.isFrozen
    ? reasonOf(
        claim,
        'DISRUPTION.FROZEN',
        `disruption of nodepool ${pool.name} is frozen by DISRUPTION_FREEZE or by the annotation joiner.dev/freeze-disruption`,
      )
    : undefined
}
