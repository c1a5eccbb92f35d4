import { aborted } from '../aborted.ts'
import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'
import type { PostEnvelope, PostOutcome } from './postEnvelope.ts'

/** Least wait after a refusal. People repair keys and roles: more tries would only fill logs. */
const REFUSED_WAIT_MS = 30_000
/** The longest wait between two tries, unless the app asks for more. */
const MOST_WAIT_MS = 10_000

export type Accepted = Extract<PostOutcome, { readonly kind: 'accepted' }>
export type RejectedEnvelope = Extract<PostOutcome, { readonly kind: 'malformed' | 'tooLarge' }>

export type DeliveryDeps = {
  readonly post: PostEnvelope
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
  /** Called when the app follows a later term. The app will never take anything of this term again. */
  readonly onOutdated: (newestTerm: number) => void
  /** Called when the app tells its lists of kept paths. */
  readonly onTold: (told: unknown) => void
}

/** Posts one envelope until the app accepts it or finds it malformed or too large, however long that takes. */
export interface Delivery {
  deliver(json: string, signal: AbortSignal): Promise<Accepted | RejectedEnvelope>
  /** Why the app did not take the last post. Undefined if it accepted the post, or found it malformed or too large. */
  unreadyReason(): string | undefined
}

export function createDelivery({ post, clock, log, metrics, onOutdated, onTold }: DeliveryDeps): Delivery {
  let unreadyReason: string | undefined
  return {
    unreadyReason: () => unreadyReason,
    async deliver(json, signal) {
      const backoff = createBackoff({ first: 250, most: MOST_WAIT_MS })
      for (;;) {
        const start = clock.monotonic()
        const outcome = await post(json, signal)
        metrics.postSeconds.observe((clock.monotonic() - start) / 1000)
        if (outcome.kind === 'accepted' || outcome.kind === 'malformed' || outcome.kind === 'tooLarge') {
          unreadyReason = undefined
          if (outcome.kind === 'accepted' && outcome.kept !== undefined) onTold(outcome.kept)
          return outcome
        }
        if (outcome.kind === 'outdated') {
          unreadyReason = `the app does not take this term any more: ${outcome.message}`
          log.error('the app follows a later term; this one ends', { newestTerm: outcome.newestTerm, because: outcome.message })
          onOutdated(outcome.newestTerm)
          await aborted(signal)
          throw signal.reason
        }
        unreadyReason =
          outcome.status === undefined
            ? `no answer of the app: ${outcome.message}`
            : `the app answered ${outcome.status}: ${outcome.message}`
        metrics.retries.inc()
        const isRefused = outcome.kind === 'refused'
        const waitMs = backoff.next(isRefused ? REFUSED_WAIT_MS : outcome.retryAfterMs)
        const fields = { status: outcome.status, because: outcome.message, waitMs }
        log[isRefused ? 'error' : 'warn']('the app did not take a batch; trying again', fields)
        await clock.sleep(waitMs, signal)
      }
    },
  }
}
