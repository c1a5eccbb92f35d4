/** The words of the notation. A word that nobody reads would say nothing, and the scenario would hold for nothing. */
import { NotationError } from './notation.ts'
import type { ClaimWant, Given, NodeGiven, PodGiven, PoolGiven, Scenario, SpreadGiven, Step, Want } from './scenario.ts'

/** The words of a type: the compiler names one that is missing, or too much. */
type WordsOf<Thing> = { readonly [Key in keyof Required<Thing>]: true }

const SCENARIO: WordsOf<Scenario> = { given: true, want: true, firstFit: true, then: true }
const STEP: WordsOf<Step> = { stage: true, bound: true, gone: true, given: true, want: true, firstFit: true }
const GIVEN: WordsOf<Given> = {
  types: true,
  pools: true,
  nodes: true,
  pods: true,
  daemons: true,
  namespaces: true,
  budgets: true,
  volumeClaims: true,
  volumes: true,
  classes: true,
  services: true,
  workloads: true,
  overlays: true,
  buffers: true,
  templates: true,
  unavailable: true,
  promised: true,
  settings: true,
}
const POOL: WordsOf<PoolGiven> = {
  needs: true,
  labels: true,
  taints: true,
  startupTaints: true,
  annotations: true,
  limits: true,
  weight: true,
  replicas: true,
  class: true,
  ready: true,
  deleting: true,
  grace: true,
}
const NODE: WordsOf<NodeGiven> = {
  count: true,
  pool: true,
  stage: true,
  labels: true,
  bare: true,
  room: true,
  reports: true,
  taints: true,
  startupTaints: true,
  needs: true,
  bought: true,
  deleting: true,
  ending: true,
  cordoned: true,
  attach: true,
}
const POD: WordsOf<PodGiven> = {
  count: true,
  asks: true,
  containers: true,
  start: true,
  podLevel: true,
  overhead: true,
  labels: true,
  namespace: true,
  select: true,
  needs: true,
  prefers: true,
  tolerates: true,
  spread: true,
  near: true,
  apart: true,
  ratherNear: true,
  ratherApart: true,
  ports: true,
  mounts: true,
  ephemeral: true,
  on: true,
  owner: true,
  age: true,
  over: true,
}
const SPREAD: WordsOf<SpreadGiven> = {
  over: true,
  skew: true,
  of: true,
  soft: true,
  minDomains: true,
  taints: true,
  affinity: true,
  keys: true,
}
const WANT: WordsOf<Want> = {
  claims: true,
  every: true,
  nodes: true,
  on: true,
  unplaced: true,
  someUnplaced: true,
  skew: true,
  fullest: true,
  level: true,
  together: true,
  price: true,
  priceAtMost: true,
  says: true,
}
const CLAIM: WordsOf<ClaimWant> = {
  times: true,
  pods: true,
  pool: true,
  type: true,
  types: true,
  typesLike: true,
  typesAtLeast: true,
  zone: true,
  capacity: true,
  labels: true,
  without: true,
  has: true,
  unlabelled: true,
  grace: true,
  taints: true,
  requests: true,
  annotations: true,
  needs: true,
}

/** Throws for the first word that the notation does not have, with where it stands. */
export function refuseUnknownWords(scenario: Scenario): void {
  only('scenario', scenario, SCENARIO)
  given('given', scenario.given)
  wanted('want', scenario.want)
  wanted('firstFit', scenario.firstFit)
  for (const [index, step] of (scenario.then ?? []).entries()) {
    const at = `then[${index}]`
    only(at, step, STEP)
    given(`${at}.given`, step.given)
    wanted(`${at}.want`, step.want)
    wanted(`${at}.firstFit`, step.firstFit)
  }
}

function given(at: string, parts: Given | undefined): void {
  only(at, parts, GIVEN)
  each(`${at}.pools`, parts?.pools, (where, pool) => only(where, pool, POOL))
  each(`${at}.nodes`, parts?.nodes, (where, node) => only(where, node, NODE))
  for (const kind of ['pods', 'daemons', 'templates'] as const) each(`${at}.${kind}`, parts?.[kind], pod)
}

function pod(at: string, parts: PodGiven): void {
  only(at, parts, POD)
  if (typeof parts.spread === 'object') for (const spread of parts.spread) only(`${at}.spread`, spread, SPREAD)
}

function wanted(at: string, want: Want | undefined): void {
  only(at, want, WANT)
  only(`${at}.every`, want?.every, CLAIM)
  if (typeof want?.claims === 'object') for (const claim of want.claims) only(`${at}.claims`, claim, CLAIM)
}

function each<Thing>(at: string, things: { readonly [name: string]: Thing } | undefined, look: (at: string, thing: Thing) => void): void {
  for (const [name, thing] of Object.entries(things ?? {})) look(`${at}.${name}`, thing)
}

function only(at: string, thing: object | undefined, known: object): void {
  const unknown = Object.keys(thing ?? {}).find((word) => !Object.hasOwn(known, word))
  if (unknown !== undefined) throw new NotationError(`${at} has no word '${unknown}'; it has ${Object.keys(known).join(', ')}`)
}
