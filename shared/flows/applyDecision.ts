import { largestOf } from '../base/lists.ts'
import type { Result } from '../base/result.ts'
import type { Action, CreateClaim, Decision } from '../model/decision.ts'
import { zoneText } from '../model/inWords.ts'
import type { LaunchChoice } from '../model/launchPlan.ts'
import type { Ledger } from '../model/ledger.ts'
import type { Problem } from '../model/problem.ts'
import { traceOf } from '../model/trace.ts'
import { formatPrice } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { CaughtUp } from './catchUp.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { createClaims } from './createClaims.ts'
import { disruptClaim } from './disruptClaim.ts'
import { doEach, tellRefused } from './doEach.ts'
import { expireClaim } from './expireClaim.ts'
import type { Look } from './look.ts'
import { type Mark, markClaims } from './markClaims.ts'
import { nominationEvents } from './nominations.ts'
import { usd } from './tellClaim.ts'

export type Committed = {
  /** As committed; its newest intents are the decision's claims. */
  readonly ledger: Ledger
  readonly etag: string | undefined
  readonly snapshot: Look
  readonly decided: Decision
  readonly decideMs: number
  readonly caughtUp: CaughtUp
}

/**
 * Carries out a committed decision: claims first, since pods wait for them, what merely tells last. Only what classes say
 * goes before: the launch of a claim reads it. Each action stands for itself: one that is refused is told, and the others and the
 * record are done all the same. False when something was refused, and is to be tried again.
 */
export async function applyDecision(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<boolean> {
  const { decided, caughtUp } = committed
  const actions = decided.actions
  const isToldOfClasses = await doEach(deps, actions.filter(isOfClass), nameOf, (action) => tell(deps, action, signal))
  const areMade = await makeClaims(deps, committed, signal)
  const done = [
    isToldOfClasses,
    areMade,
    await doEach(deps, actions.filter(isEnd), nameOf, (action) => end(deps, action, signal)),
    await doEach(deps, actions.filter(isTelling), nameOf, (action) => tell(deps, action, signal)),
    await markClaims(deps, caughtUp.state, actions.filter(isMark), signal),
    await tellNominated(deps, committed, areMade, signal),
    await doEach(
      deps,
      [committed],
      ({ snapshot }) => `the record of decision ${snapshot.decision}`,
      () => record(deps, committed, signal),
    ),
  ]
  return done.every((isDone) => isDone)
}

/** After all else: nothing waits for it. */
async function tellNominated(
  deps: ClusterDeps,
  { decided, caughtUp }: Committed,
  areMade: boolean,
  signal: AbortSignalLike,
): Promise<boolean> {
  // Nobody is sent to a claim that could not be made; the next decision tells those that were.
  const events = nominationEvents(areMade ? decided.actions : decided.actions.filter(({ kind }) => kind === 'nominate'), caughtUp.state)
  return doEach(
    deps,
    events,
    ({ subject }) => `an event about pod ${subject.name}`,
    (event) => deps.api.publish(event, signal),
  )
}

/** The claims of this decision, then those of earlier ones that could not be made. False while one of them is still to be made. */
async function makeClaims(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<boolean> {
  const { ledger, etag, snapshot, caughtUp } = committed
  const [unmade, made] = partition(ledger.intents, ({ createdAt }) => createdAt === undefined)
  if (unmade.length === 0) return true
  const [fresh, earlier] = partition(unmade, ({ decision }) => decision === snapshot.decision)
  for (const intent of fresh) announce(deps, intent.action, committed)
  const standing = await createClaims(deps, caughtUp.state, [...fresh, ...earlier], signal)
  const isDone = standing.every(({ createdAt }) => createdAt !== undefined)
  if (standing.length === unmade.length && standing.every(({ createdAt }) => createdAt === undefined)) return false
  // A conflict here means that a later writer took over; it squares the intents itself.
  const save = () => deps.ledger.save({ ...ledger, intents: [...made, ...standing] }, etag, signal)
  return (await doEach(deps, [ledger], () => 'the ledger with the claims made', save)) && isDone
}

function partition<Item>(
  items: readonly Item[],
  holds: (item: Item) => boolean,
): readonly [holding: readonly Item[], rest: readonly Item[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))]
}

/** The line a person reads: what, for how many, at what price, instead of what, and how hard it was to find. */
function announce(deps: ClusterDeps, action: CreateClaim, { snapshot, decideMs }: Committed): void {
  const next = action.nextBest ? `; next best ${describe(action.nextBest)}` : ''
  const sizes = largestOf(
    [...snapshot.instanceTypes.values()].map((types) => types.length),
    0,
  )
  const effort = `; decided in ${decideMs} ms over ${sizes} sizes`
  const pods = action.pods.length === 1 ? '1 pod' : `${action.pods.length} pods`
  deps.telemetry.info(`decision ${snapshot.decision}: one ${describe(action.choice)} for ${pods}${next}${effort}`, {
    cluster: deps.cluster,
    decision: snapshot.decision,
    claim: action.draft.name,
    nodePool: action.draft.nodePool,
    size: action.choice.size,
    zone: action.choice.zone,
    capacityType: action.choice.capacityType,
    microUsdPerHour: action.choice.price,
    pods: action.pods.length,
    alternatives: action.alternatives,
    decideMs,
  })
  tellDecided(deps, action, snapshot, decideMs)
}

function tellDecided(
  deps: ClusterDeps,
  { draft, choice, nextBest, pods, alternatives }: CreateClaim,
  { decision, takenAt }: Pick<Look, 'decision' | 'takenAt'>,
  decideMs: number,
): void {
  const fields = {
    cluster: deps.cluster,
    decision: String(decision),
    nodePool: draft.nodePool,
    nodeClaim: draft.name,
    sku: choice.size,
    zone: choice.zone,
    capacityType: choice.capacityType,
    pods: pods.length,
    alternatives,
    decideMs,
    pricePerHour: usd(choice.price),
    nextBestPricePerHour: usd(nextBest?.price),
  }
  deps.telemetry.event('provisioning.decision', fields, traceOf(deps.cluster, draft.name, takenAt))
}

function describe(choice: LaunchChoice): string {
  const price = choice.price === undefined ? 'price unknown' : formatPrice(choice.price)
  return `${choice.size}, ${choice.capacityType}, ${zoneText(choice.zone)}, ${price}`
}

type Telling = Exclude<Action, { readonly kind: 'createClaim' | 'startCommand' | 'markClaim' | 'nominate' | End['kind'] }>
type OfClass = Extract<Action, { readonly kind: 'patchNodeClassStatus' }>
type End = Extract<Action, { readonly kind: 'deleteClaim' | 'expireClaim' | 'scaleDownClaim' }>

function isOfClass(action: Action): action is OfClass {
  return action.kind === 'patchNodeClassStatus'
}

export function isEnd(action: Action): action is End {
  return action.kind === 'deleteClaim' || action.kind === 'expireClaim' || action.kind === 'scaleDownClaim'
}

function isMark(action: Action): action is Mark {
  return action.kind === 'markClaim'
}

function isTelling(action: Action): action is Exclude<Telling, OfClass> {
  return (
    action.kind !== 'createClaim' &&
    action.kind !== 'startCommand' &&
    action.kind !== 'nominate' &&
    !isEnd(action) &&
    !isMark(action) &&
    !isOfClass(action)
  )
}

function nameOf(action: Telling | End): string {
  switch (action.kind) {
    case 'deleteClaim':
    case 'expireClaim':
    case 'scaleDownClaim':
      return `the end of nodeclaim ${action.claim}`
    case 'patchNodeClassStatus':
      return `the status of aksnodeclass ${action.nodeClass}`
    case 'patchNodePoolStatus':
      return `the status of nodepool ${action.nodePool}`
    case 'patchNodeOverlayStatus':
      return `the status of nodeoverlay ${action.nodeOverlay}`
    case 'patchCapacityBufferStatus':
      return `the status of capacitybuffer ${action.capacityBuffer}`
    case 'publish':
      return `an event about ${action.event.subject.kind} ${action.event.subject.name}`
  }
}

function end(deps: ClusterDeps, action: End, signal: AbortSignalLike): Promise<void> {
  return action.kind === 'deleteClaim' ? disruptClaim(deps, action, signal) : expireClaim(deps, action, signal)
}

/** One that is gone, or was changed meanwhile, is judged again by the next decision. One that is called invalid is told. */
async function tell(deps: ClusterDeps, action: Telling, signal: AbortSignalLike): Promise<void> {
  const told = await write(deps, action, signal)
  if (told && !told.ok && told.error.code === 'KUBE.INVALID') tellRefused(deps, nameOf(action), told.error)
}

async function write({ api }: ClusterDeps, action: Telling, signal: AbortSignalLike): Promise<Result<void, Problem> | void> {
  switch (action.kind) {
    case 'patchNodeClassStatus':
      return api.patchNodeClassStatus(action.nodeClass, { conditions: action.conditions }, signal)
    case 'patchNodePoolStatus': {
      const { kind: _, nodePool, ...status } = action
      return api.patchNodePoolStatus(nodePool, status, signal)
    }
    case 'patchNodeOverlayStatus':
      return api.patchNodeOverlayStatus(action.nodeOverlay, { conditions: action.conditions }, signal)
    case 'patchCapacityBufferStatus':
      return api.patchCapacityBufferStatus(action.capacityBuffer, action.status, signal)
    case 'publish':
      return api.publish(action.event, signal)
  }
}

/**
 * Kept for every decision that did something, for people: what it did and why, and where in the log it was made. It is not enough to make
 * the decision again: the sizes and prices of the moment, what was blocked, the settings and the build are in no record.
 */
async function record(
  deps: ClusterDeps,
  { ledger, snapshot, decided, decideMs, caughtUp }: Committed,
  signal: AbortSignalLike,
): Promise<void> {
  if (ledger.decisions !== snapshot.decision) return
  const { decision: number, takenAt, seed } = snapshot
  await deps.decisions.save(
    { number, epoch: ledger.epoch, takenAt, seed, position: caughtUp.position, decision: decided, decideMs },
    signal,
  )
}
