import { settle } from '../../base/concurrency.ts'
import { addAll } from '../../base/lists.ts'
import type { Result } from '../../base/result.ts'
import { knownFirst, otherKindsFirst, refusedOfClass, stillOpen } from '../../engine/launch/planLaunch.ts'
import { blocksOf, refusalsNow } from '../../engine/offering/sizeReports.ts'
import type { AskedCores } from '../../model/askedCores.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import type { Instance, LaunchCandidate, LaunchPlan, LaunchRefusal } from '../../model/instance.ts'
import { zoneText } from '../../model/inWords.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import { registrationTimeout } from '../../model/timeouts.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { LaunchRequest } from '../../ports/cloudProvider.ts'
import { type ClusterDeps, problemOf } from '../deps/clusterDeps.ts'
import type { Begun, Offered, TryResult } from '../deps/firstTries.ts'
import { untilEnded } from '../deps/freshEnds.ts'
import { measureLaunchFailed, measureLaunchTried } from '../reports/claimMetrics.ts'
import { reportLaunch, reportUnavailable } from '../reports/reportClaim.ts'
import type { PartTimes } from '../reports/reportTrace.ts'

/** How long a bootstrap token outlives the registration timeout. The clock of the API server may differ from ours. */
const TOKEN_MARGIN: DurationMs = durationMs(60_000)
/**
 * After this many refusals of one attempt that may not depend on the size, the claim says so and waits a moment. The next attempt goes on with the
 * other sizes.
 */
const MOST_UNKNOWN = 5

export type Taken = {
  readonly candidate: LaunchCandidate
  readonly instance: Instance
  readonly parts: PartTimes
  /** When Azure had accepted the request. */
  readonly at: EpochMs
}

export type Tried = {
  readonly taken?: Taken
  /** Set if further tries make no sense now. */
  readonly refusal?: LaunchRefusal
}

type Attempt = {
  readonly observation: ClaimObservation
  readonly nodeClass: NodeClass
  /** When the lock of the launch ends. */
  readonly until: EpochMs
}

/**
 * The result of one try. `short`: a quota has no room beside the machines on their way, so no request was sent. `waited`: another claim tried the
 * offering.
 */
type Try =
  | { readonly kind: 'taken'; readonly taken: Taken }
  | { readonly kind: 'refused'; readonly refusal: LaunchRefusal; readonly blocked: readonly UnavailableOffering[] }
  | { readonly kind: 'short' }
  | Waited

type Waited = { readonly kind: 'waited'; readonly candidates: readonly LaunchCandidate[] }

/**
 * Tries the candidates of a plan in order, until Azure accepts one. Each refusal blocks the offerings that it is about. Claims that are launched at
 * the same time do not find out the same: each claim goes on with what all of them were refused meanwhile, and waits while others look for what it
 * could use.
 */
export async function tryCandidates(deps: ClusterDeps, plan: LaunchPlan, attempt: Attempt, signal: AbortSignalLike): Promise<Tried> {
  try {
    return await tryInTurn(deps, plan, attempt, signal)
  } finally {
    deps.firstTries?.leave(attempt.observation.claim.name)
  }
}

async function tryInTurn(deps: ClusterDeps, plan: LaunchPlan, attempt: Attempt, signal: AbortSignalLike): Promise<Tried> {
  const { claim, instanceTypes, unavailable } = attempt.observation
  const before = refusedOfClass(claim, instanceTypes, unavailable, deps.clock.now())
  const progress: Progress = { tried: [], refused: new Set(before), waitedFor: [], unknown: 0 }
  let open = plan
  for (;;) {
    for (const each of without({ candidates: progress.waitedFor }, open.candidates).candidates) progress.refused.add(each)
    const left = nextFirst(deps, without(open, progress.tried), progress)
    const candidate = nextCandidate(left, durationMs(attempt.until - deps.clock.now()))
    if (candidate === undefined) return {}
    const begun = begin(deps, claim, { candidate, left, progress })
    const result =
      begun.kind === 'wait' ? await waited(begun, left, signal) : await tryOne(deps, attempt, candidate, { plan: left, begun }, signal)
    if (result.kind === 'taken') return { taken: result.taken }
    note(progress, candidate, result)
    open = await openNow(deps, plan, attempt, result.kind === 'refused' ? result.blocked : [], signal)
    if (result.kind === 'refused' && isOver(result.refusal, open, progress)) return { refusal: result.refusal }
  }
}

type Progress = {
  readonly tried: LaunchCandidate[]
  /** Also to claims that this one waited for, and those of earlier attempts that were refused for the NodeClass. */
  readonly refused: Set<LaunchCandidate>
  readonly waitedFor: LaunchCandidate[]
  /** Refusals that may not depend on the size. */
  unknown: number
}

/** The candidates in the order of the next try. */
function nextFirst({ firstTries, clock }: ClusterDeps, open: LaunchPlan, progress: Progress): LaunchPlan {
  const refused = [...progress.refused]
  const plan = otherKindsFirst(open, refused, Math.max(1, firstTries?.seeking() ?? 1))
  const now = clock.now()
  return firstTries === undefined ? plan : knownFirst(plan, refused, ({ choice }) => firstTries.works(choice, now))
}

/** The try of a claim that waits for no other claim, and for which none waits. */
const ALONE: Extract<Begun, { kind: 'try' }> = { kind: 'try', end: () => undefined }

type Next = { readonly candidate: LaunchCandidate; readonly left: LaunchPlan; readonly progress: Progress }

function begin({ firstTries, clock }: ClusterDeps, { name }: NodeClaim, { candidate, left, progress }: Next): Begun {
  const hasWaited = (choice: Offered): boolean => progress.waitedFor.some((each) => isSameChoice(each.choice, choice))
  return firstTries?.begin({ claim: name, choice: candidate.choice, open: left, now: clock.now(), hasWaited }) ?? ALONE
}

/** Waits for the answer to another claim. Ends with the time of this claim, whatever that of the other one is. */
async function waited(
  { choice, answer }: Extract<Begun, { kind: 'wait' }>,
  { candidates }: LaunchPlan,
  signal: AbortSignalLike,
): Promise<Waited> {
  await untilEnded(answer, signal)
  const isAnswered = (await answer) !== 'unasked'
  return { kind: 'waited', candidates: candidates.filter((each) => isAnswered && isSameChoice(each.choice, choice)) }
}

function note(progress: Progress, candidate: LaunchCandidate, result: Try): void {
  if (result.kind === 'waited') return addAll(progress.waitedFor, result.candidates)
  progress.tried.push(candidate)
  if (result.kind !== 'refused') return
  progress.refused.add(candidate)
  if ((result.refusal.own ?? []).length > 0) progress.unknown++
}

/** The candidates that no claim was refused meanwhile. */
async function openNow(
  deps: ClusterDeps,
  plan: LaunchPlan,
  { observation: { claim }, nodeClass }: Attempt,
  blocked: readonly UnavailableOffering[],
  signal: AbortSignalLike,
): Promise<LaunchPlan> {
  const known = refusalsNow(await deps.offerings.unavailable(deps.clock.now(), signal), [nodeClass])
  return stillOpen(plan, claim, [...known, ...blocked], deps.clock.now())
}

/** Reports whether the attempt ends with the refusal. */
function isOver(refusal: LaunchRefusal, open: LaunchPlan, { tried, unknown }: Progress): boolean {
  if (endsAttempt(refusal) || unknown === MOST_UNKNOWN) return true
  // What Azure said about this NodeClass is said on the claim before it ends. A refusal may also block less than was tried: the next run would find
  // open choices again.
  return without(open, tried).candidates.length === 0 && (unknown > 0 || open.candidates.length > 0)
}

/** Tries one candidate. The claims that wait for its answer go on when the refusal is known to all. */
async function tryOne(
  deps: ClusterDeps,
  attempt: Attempt,
  candidate: LaunchCandidate,
  { plan, begun }: { readonly plan: LaunchPlan; readonly begun: Extract<Begun, { kind: 'try' }> },
  signal: AbortSignalLike,
): Promise<Try> {
  let told: TryResult = 'unknown'
  try {
    const machine = coresOf(deps, attempt, candidate)
    const quota = await deps.catalog.quota(signal)
    if (quota !== undefined && !(await deps.offerings.ask(machine, quota, signal))) return { kind: 'short' }
    const result = await askAzure(deps, attempt, candidate, plan, signal)
    if (result.kind === 'taken') told = 'made'
    if (result.kind === 'taken') return result
    const { refusal } = result
    const withdrawn = quota === undefined ? undefined : deps.offerings.withdraw(machine, deps.clock.now(), signal)
    const isMarked = !endsAttempt(refusal)
    const marked = isMarked ? deps.offerings.mark(blocksOf(refusal, attempt.nodeClass), deps.clock.now(), signal) : []
    const [blocked] = await Promise.all([marked, withdrawn])
    told = isMarked ? 'refused' : refusal.problem.isLocal === true ? 'unasked' : 'unknown'
    reportUnavailable(deps, blocked)
    return { kind: 'refused', refusal, blocked }
  } finally {
    begun.end(told, deps.clock.now())
  }
}

function coresOf(deps: ClusterDeps, { observation: { claim } }: Attempt, { choice, instanceType }: LaunchCandidate): AskedCores {
  const { family, cpus } = instanceType
  return { cluster: deps.cluster, claim: claim.name, family, cpus, capacityType: choice.capacityType, at: deps.clock.now() }
}

type Answer = { readonly kind: 'taken'; readonly taken: Taken } | { readonly kind: 'refused'; readonly refusal: LaunchRefusal }

async function askAzure(
  deps: ClusterDeps,
  { observation, nodeClass, until }: Attempt,
  candidate: LaunchCandidate,
  plan: LaunchPlan,
  signal: AbortSignalLike,
): Promise<Answer> {
  const { claim } = observation
  const within = durationMs(until - deps.clock.now())
  const { launched, parts } = await launchOne(deps, observation, { nodeClass, candidate, within }, signal)
  const at = deps.clock.now()
  if (launched.ok) {
    const instance = launched.value
    return { kind: 'taken', taken: { candidate: matching(plan, instance) ?? candidate, instance, parts, at } }
  }
  const refusal = launched.error
  const { size, zone } = candidate.choice
  const { message, code, isLocal } = refusal.problem
  // Azure was not asked: the launch has not failed.
  if (isLocal === true) return { kind: 'refused', refusal }
  deps.telemetry.warn(`${size} in ${zoneText(zone)} was refused: ${message}`, { cluster: deps.cluster, claim: claim.name, code })
  reportLaunch(deps, claim, candidate.choice, at, code)
  return { kind: 'refused', refusal }
}

/** Asks Azure for the machine of one candidate, and counts the try and its failure. */
async function launchOne(
  deps: ClusterDeps,
  observation: ClaimObservation,
  asked: Pick<LaunchRequest, 'nodeClass' | 'candidate' | 'within'>,
  signal: AbortSignalLike,
): Promise<{ readonly launched: Result<Instance, LaunchRefusal>; readonly parts: PartTimes }> {
  const { claim } = observation
  const { capacityType } = asked.candidate.choice
  const launch = { number: launchesOf(claim), uid: claim.meta.uid }
  const tokenEnds = later(deps.clock.now(), durationMs(registrationTimeout(observation) + TOKEN_MARGIN))
  let parts: PartTimes = {}
  const request: LaunchRequest = {
    ...asked,
    claim,
    bootstrapToken: () => deps.api.putBootstrapToken(claim.name, tokenEnds, signal, launch),
    made: (part, from) => void (parts = { ...parts, [part]: from }),
  }
  measureLaunchTried(deps, capacityType)
  const told = await settle(() => deps.cloud.launch(request, signal))
  const failed = !told.ok ? problemOf(told.error) : !told.value.ok ? told.value.error.problem : undefined
  if (failed !== undefined && failed.isLocal !== true) measureLaunchFailed(deps, { phase: 'sync', capacityType, errorCode: failed.code })
  if (!told.ok) throw told.error
  return { launched: told.value, parts }
}

/** Reports whether no other candidate is worth a try now: the refusal asks for something else, or blocks no offering. */
function endsAttempt({ then, unavailable, own = [] }: LaunchRefusal): boolean {
  return then !== 'next' || unavailable.length + own.length === 0
}

/**
 * The next candidate within the time of the lock. After that time another process may launch, so the other candidates wait for the next run, which
 * takes a new lock.
 */
function nextCandidate({ candidates }: LaunchPlan, within: DurationMs): LaunchCandidate | undefined {
  return within > 0 ? candidates[0] : undefined
}

/** The plan without the choices that were tried. A refusal may block less than the choice, and each choice is tried only once. */
function without({ candidates }: LaunchPlan, tried: readonly LaunchCandidate[]): LaunchPlan {
  return { candidates: candidates.filter((each) => !tried.includes(each)) }
}

/** The candidate of a machine. A machine that was found instead of created may have another size or zone than the candidate asked for. */
function matching(plan: LaunchPlan, instance: Instance): LaunchCandidate | undefined {
  return plan.candidates.find(({ choice }) => isSameChoice(choice, instance))
}

function isSameChoice(one: Offered, other: Offered): boolean {
  return one.size === other.size && one.zone === other.zone && one.capacityType === other.capacityType
}

/** The number of times that a launch of the claim began. */
export function launchesOf({ meta }: NodeClaim): number {
  return countIn(meta.annotations[ANNOTATION.launches])
}

/** The time at which the launch lock of the claim was written. 0 if there is no lock, or the annotation cannot be parsed. */
export function lockedSince({ meta }: NodeClaim): EpochMs {
  return epochMs(countIn(meta.annotations[ANNOTATION.launchStarted]))
}

/** The count in an annotation, or 0 if it is not a count. Anybody may write annotations. */
function countIn(text: string | undefined): number {
  const count = Number(text ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

/** The annotations of a launch lock that was written at a time. `launches`: the number of launches that began, this one included. */
export function lockAnnotations(at: EpochMs, launches: number): Labels {
  return { [ANNOTATION.launchStarted]: String(at), [ANNOTATION.launches]: String(launches) }
}
