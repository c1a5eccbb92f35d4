import type { Uid } from '../../model/ids.ts'
import { type DurationMs, type EpochMs, epochMs } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import type { Clock } from '../../ports/clock.ts'

export type BatchWindowOptions = {
  readonly clock: Pick<Clock, 'now'>
  /** The window closes after this time without new pending pods. */
  readonly idle: DurationMs
  /** The window closes at the latest this long after the first event. */
  readonly max: DurationMs
}

/** Gathers the requests for the next decision of one cluster, so that one decision serves them all. */
export interface BatchWindow {
  /** Adds a request to the open window, or opens one. */
  add(request: DecideRequest): void
  /** When the window closes. Each request may move this time in both directions. In the past: there is nothing to wait for. */
  closesAt(): EpochMs
  /** Closes the window and returns its requests. */
  take(): readonly DecideRequest[]
}

type Batch = {
  readonly requests: DecideRequest[]
  /** Owners with a pod that the scheduler has refused since the window opened. */
  readonly refused: Set<Uid>
  /** The event times that the window is counted from. Undefined: nothing is gathered. */
  wave: Wave | undefined
  /** True if the window must close now. */
  isCut: boolean
}

/** `ofPods`: false for changes that brought no pods. The first pods then begin a new wave. */
type Wave = { readonly ofPods: boolean; readonly openedAt: EpochMs; lastAt: EpochMs; lastArrival: EpochMs }

/** The share of the idle time that must pass since pods last arrived here. If everything is late, old event times do not show that no more come. */
const SETTLED_SHARE = 0.25

/** Reasons to decide now, even if more pods are coming: a machine is being deleted, or a machine that pods were planned on will not come. */
const CUTTING: ReadonlySet<DecideRequest['because']> = new Set(['interruption', 'capacity'])

const PAST = epochMs(0)

/**
 * A window opens with the first request. It closes after the idle time without new pending pods, or after the maximum. Both are counted from the
 * times of the pods' events, so that time spent on the way is not waited for twice. Older events of other objects in the same post do not count: a post
 * that waited for the app to start holds many. Event times are clamped to the last `max` before now: a skewed clock can neither stretch the window nor make
 * it negative. A resync is served at once if no pods are being gathered, and otherwise together with the pods. So one wave of pods is never planned in two
 * parts. Requests that come during a decision open the next window, which ends no sooner than the decision.
 */
export function createBatchWindow(options: BatchWindowOptions): BatchWindow {
  let open: Batch | undefined
  return {
    add(request) {
      if (open === undefined) open = openBatch(request, options)
      else add(open, request, options)
    },
    closesAt: () => (open === undefined ? PAST : closesAt(open, options)),
    take() {
      const requests = open?.requests ?? []
      open = undefined
      return requests
    },
  }
}

function openBatch(request: DecideRequest, options: BatchWindowOptions): Batch {
  const refused = new Set(request.waiting?.refused)
  const ofPods = (request.pendingPods ?? 0) > 0 || refused.size > 0
  const wave = ofPods || request.because === 'changes' ? waveFrom(request, ofPods, options) : undefined
  return { requests: [request], refused, wave, isCut: CUTTING.has(request.because) }
}

function add(batch: Batch, request: DecideRequest, options: BatchWindowOptions): void {
  batch.requests.push(request)
  batch.isCut ||= CUTTING.has(request.because)
  if (!bringsPods(request, batch.refused)) return
  const wave = waveFrom(request, true, options)
  if (batch.wave?.ofPods !== true) batch.wave = wave
  else Object.assign(batch.wave, { lastAt: Math.max(batch.wave.lastAt, wave.lastAt), lastArrival: wave.lastArrival })
}

function waveFrom({ eventAt, podEvents }: DecideRequest, ofPods: boolean, options: BatchWindowOptions): Wave {
  const { first, last } = podEvents ?? { first: eventAt, last: eventAt }
  return { ofPods, openedAt: clamped(first, options), lastAt: clamped(last, options), lastArrival: options.clock.now() }
}

/**
 * Reports whether the request brings more pods to plan: a refused pod of an owner that is new in this window, or an unseen pod of an owner with a
 * refused pod. One more refused pod of a thousand replicas is not new, because all replicas are planned together.
 */
function bringsPods({ pendingPods = 0, waiting }: DecideRequest, refused: Set<Uid>): boolean {
  if (waiting === undefined) return pendingPods > 0
  const isNews = waiting.refused.some((owner) => !refused.has(owner))
  for (const owner of waiting.refused) refused.add(owner)
  return isNews || waiting.unseen.some((owner) => refused.has(owner))
}

function closesAt({ wave, isCut }: Batch, { idle, max }: BatchWindowOptions): EpochMs {
  if (isCut || wave === undefined) return PAST
  const settled = wave.lastArrival + idle * SETTLED_SHARE
  return epochMs(Math.min(Math.max(wave.lastAt + idle, settled), wave.openedAt + max))
}

function clamped(eventAt: EpochMs, { clock, max }: BatchWindowOptions): EpochMs {
  const now = clock.now()
  return epochMs(Math.min(now, Math.max(eventAt, now - max)))
}
