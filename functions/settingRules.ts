import { type Problem, problem } from '../shared/model/problem.ts'
import { LEAST_TIMEOUT } from '../shared/model/timeouts.ts'
import { WORK_BUDGET_MS } from './deadline.ts'

/** Azure Storage leases a blob for 15 to 60 whole seconds. */
const LEASE_MS = { least: 15_000, most: 60_000 }
/** The batch window leaves half of an invocation's time for the decision. */
const LONGEST_WINDOW_MS = WORK_BUDGET_MS / 2

type Name =
  | 'BATCH_IDLE_DURATION'
  | 'BATCH_MAX_DURATION'
  | 'LAUNCH_TIMEOUT'
  | 'REGISTRATION_TIMEOUT'
  | 'INITIALIZATION_TIMEOUT'
  | 'LEASE_DURATION'
  | 'LAUNCH_LOCK_DURATION'
  | 'GC_GRACE_DURATION'
/** Milliseconds. */
type Durations = { readonly [Each in Name]: number }

type Rule = {
  /** The setting to change, followed by the settings that it conflicts with. */
  readonly settings: readonly [Name, ...Name[]]
  readonly holds: (settings: Durations) => boolean
  /** The requirement, as text after the name of the first setting. */
  readonly rule: string
}

/** Rules between settings that are each valid, and between settings and limits of the platform. */
const RULES: readonly Rule[] = [
  {
    settings: ['BATCH_IDLE_DURATION', 'BATCH_MAX_DURATION'],
    holds: (each) => each.BATCH_IDLE_DURATION <= each.BATCH_MAX_DURATION,
    rule: 'must not be longer than BATCH_MAX_DURATION, which closes the window before it',
  },
  {
    settings: ['BATCH_MAX_DURATION'],
    holds: (each) => each.BATCH_MAX_DURATION <= LONGEST_WINDOW_MS,
    rule: `must be at most ${LONGEST_WINDOW_MS / 1_000}s: half of the ${WORK_BUDGET_MS / 1_000}s that one invocation may work`,
  },
  {
    settings: ['LEASE_DURATION'],
    holds: ({ LEASE_DURATION: ms }) => ms >= LEASE_MS.least && ms <= LEASE_MS.most && ms % 1_000 === 0,
    rule: `must be whole seconds from ${LEASE_MS.least / 1_000}s to ${LEASE_MS.most / 1_000}s, as storage leases a blob`,
  },
  {
    settings: ['LAUNCH_LOCK_DURATION', 'LAUNCH_TIMEOUT'],
    holds: (each) => each.LAUNCH_LOCK_DURATION < each.LAUNCH_TIMEOUT,
    rule: 'must be shorter than LAUNCH_TIMEOUT, or the claim of a dead process is given up before another process may launch it',
  },
  {
    settings: ['GC_GRACE_DURATION', 'LAUNCH_LOCK_DURATION'],
    holds: (each) => each.GC_GRACE_DURATION >= each.LAUNCH_LOCK_DURATION,
    rule: 'must not be shorter than LAUNCH_LOCK_DURATION, or the interface of a launch under way is removed',
  },
  ...(['LAUNCH_LOCK_DURATION', 'LAUNCH_TIMEOUT', 'REGISTRATION_TIMEOUT', 'INITIALIZATION_TIMEOUT'] as const).map(enoughTime),
]

function enoughTime(name: Name): Rule {
  return {
    settings: [name],
    holds: (each) => each[name] >= LEAST_TIMEOUT,
    rule: `must be at least ${LEAST_TIMEOUT / 1_000}s, or it is over before there can be an answer`,
  }
}

/** Returns a SETTING.INVALID problem for each rule that the settings break. It names the settings and the rule. */
export function settingConflicts(settings: Durations): readonly Problem[] {
  return RULES.filter(({ holds }) => !holds(settings)).map(({ settings: names, rule }) => {
    const [path] = names
    const values = names.map((name) => `${name} is ${settings[name] / 1_000}s`).join(' and ')
    return problem('SETTING.INVALID', `setting ${path}: ${rule}; ${values}`, { path })
  })
}
