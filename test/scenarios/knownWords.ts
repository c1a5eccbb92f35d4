/** The check for unknown words. A misspelt word would have no effect, and the scenario would check nothing. */
import { NotationError } from './notation.ts'
import type { AffinityGiven, Given, PodGiven, Scenario, SpreadGiven, Want } from './scenario.ts'
import {
  AFFINITY,
  ASKS,
  BUDGET,
  BUFFER,
  CLAIM,
  CLASS,
  GIVEN,
  NODE,
  OFFERS,
  OVERLAY,
  POD,
  POOL,
  PROMISE,
  SCENARIO,
  SETTINGS,
  SPREAD,
  START,
  STEP,
  VOLUME,
  VOLUME_CLAIM,
  WANT,
  WORKLOAD,
} from './words.ts'

/** Throws for the first word that the notation does not have. The error names its place. */
export function refuseUnknownWords(scenario: Scenario): void {
  refuseOthers('scenario', scenario, SCENARIO)
  refuseUnknownGiven('given', scenario.given)
  wanted('want', scenario.want)
  wanted('firstFit', scenario.firstFit)
  for (const [index, step] of (scenario.then ?? []).entries()) {
    const at = `then[${index}]`
    refuseOthers(at, step, STEP)
    refuseUnknownGiven(`${at}.given`, step.given)
    wanted(`${at}.want`, step.want)
    wanted(`${at}.firstFit`, step.firstFit)
  }
}

/** As `refuseUnknownWords`, for the description of a world. */
export function refuseUnknownGiven(at: string, given: Given | undefined): void {
  refuseOthers(at, given, GIVEN)
  refuseOthers(`${at}.settings`, given?.settings, SETTINGS)
  for (const kind of ['pods', 'daemons', 'templates'] as const) each(`${at}.${kind}`, given?.[kind], pod)
  each(`${at}.workloads`, given?.workloads, (where, workload) => {
    if (workload.pod !== undefined) pod(`${where}.pod`, workload.pod)
  })
  each(`${at}.volumeClaims`, given?.volumeClaims, (where, { asks }) => refuseOthers(`${where}.asks`, asks, ASKS))
  each(`${at}.volumes`, given?.volumes, (where, { offers }) => refuseOthers(`${where}.offers`, offers, OFFERS))
  for (const [kind, words] of NAMED) {
    const things: { readonly [name: string]: object | string } | undefined = given?.[kind]
    each(`${at}.${kind}`, things, (where, thing) => refuseOthers(where, thing, words))
  }
}

const NAMED = [
  ['pools', POOL],
  ['nodes', NODE],
  ['budgets', BUDGET],
  ['volumeClaims', VOLUME_CLAIM],
  ['volumes', VOLUME],
  ['classes', CLASS],
  ['workloads', WORKLOAD],
  ['overlays', OVERLAY],
  ['buffers', BUFFER],
  ['promised', PROMISE],
] as const

function pod(at: string, parts: PodGiven): void {
  refuseOthers(at, parts, POD)
  for (const start of parts.start ?? []) refuseOthers(`${at}.start`, start, START)
  each(at, listsOf(parts), (where, list) => {
    for (const part of list) refuseOthers(where, part, where.endsWith('.spread') ? SPREAD : AFFINITY)
  })
}

/** The fields that are either a text or a list. A text gives an empty list. */
function listsOf({ spread, near, apart }: PodGiven): { readonly [word: string]: readonly (SpreadGiven | AffinityGiven)[] } {
  const list = <Part>(parts: string | readonly Part[] = []): readonly Part[] => (typeof parts === 'string' ? [] : parts)
  return { spread: list(spread), near: list(near), apart: list(apart) }
}

function wanted(at: string, want: Want | undefined): void {
  refuseOthers(at, want, WANT)
  refuseOthers(`${at}.every`, want?.every, CLAIM)
  if (typeof want?.claims === 'object') for (const claim of want.claims) refuseOthers(`${at}.claims`, claim, CLAIM)
}

function each<Thing>(at: string, things: { readonly [name: string]: Thing } | undefined, look: (at: string, thing: Thing) => void): void {
  for (const [name, thing] of Object.entries(things ?? {})) look(`${at}.${name}`, thing)
}

/** Throws if the thing has an unknown word. The words inside a text are checked elsewhere. */
export function refuseOthers(at: string, thing: object | string | undefined, known: object): void {
  if (typeof thing === 'string') return
  const unknown = Object.keys(thing ?? {}).find((word) => !Object.hasOwn(known, word))
  if (unknown !== undefined) throw new NotationError(`${at} has no word '${unknown}'; it has ${Object.keys(known).join(', ')}`)
}
