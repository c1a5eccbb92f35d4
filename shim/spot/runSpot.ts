import { textOf } from '../../shared/base/result.ts'
import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { SpotConfig } from '../config.ts'
import type { Log } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'
import { createTokenSource } from '../post/tokenSource.ts'
import type { Running } from '../runForwarder.ts'
import { createEventGridPublisher, type PublishNodeEvent } from './eventGridPublisher.ts'
import { concerns, nodeEventOf } from './nodeEvent.ts'
import { readScheduledEvents, type ScheduledEvent } from './scheduledEvents.ts'

export type SpotDeps = { readonly clock: Clock; readonly log: Log; readonly metrics: ShimMetrics }

const EVENT_GRID_AUDIENCE = 'https://eventgrid.azure.net'

/** Watches one machine's scheduled events and publishes each once. Uses nothing of the cluster. */
export function runSpot(config: SpotConfig, deps: SpotDeps, signal: AbortSignal): Running {
  const tokens =
    config.identity && config.topicKey === undefined
      ? createTokenSource(config.identity, EVENT_GRID_AUDIENCE, { clock: deps.clock, proxy: config.proxy })
      : undefined
  return watchScheduledEvents(config, { ...deps, publish: createEventGridPublisher(config, tokens) }, signal)
}

type SpotWatchDeps = SpotDeps & { readonly publish: PublishNodeEvent }

function watchScheduledEvents(config: SpotConfig, deps: SpotWatchDeps, signal: AbortSignal): Running {
  const { clock, log, metrics } = deps
  const taken = new Set<string>()
  const sending = new Map<string, Promise<void>>()
  let pollFailure: string | undefined = 'the metadata service has not answered yet'

  /** Retries until Event Grid takes the event. The time until an eviction is short, so the first tries are close together. */
  async function publishUntilTaken(event: ScheduledEvent): Promise<void> {
    const backoff = createBackoff({ first: 100, most: 5_000 })
    const nodeEvent = nodeEventOf(event, { cluster: config.cluster, node: config.node, now: clock.now() })
    while (!signal.aborted) {
      try {
        await deps.publish(nodeEvent, signal)
        taken.add(event.eventId)
        metrics.nodeEvents.inc({ type: event.eventType })
        log.info('scheduled event published', { eventId: event.eventId, eventType: event.eventType, notBefore: event.notBefore })
        return
      } catch (error) {
        if (signal.aborted) return
        metrics.retries.inc()
        log.warn('Event Grid did not take an event; trying again', { eventId: event.eventId, because: textOf(error) })
      }
      await clock.sleep(backoff.next(), signal).catch(() => {})
    }
  }

  function note(events: readonly ScheduledEvent[]): void {
    const present = new Set(events.map((event) => event.eventId))
    for (const id of taken) if (!present.has(id)) taken.delete(id)
    for (const event of events) {
      if (!concerns(event, config.node) || taken.has(event.eventId) || sending.has(event.eventId)) continue
      sending.set(
        event.eventId,
        publishUntilTaken(event).finally(() => sending.delete(event.eventId)),
      )
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        note(await readScheduledEvents(config.imdsEndpoint, signal))
        pollFailure = undefined
      } catch (error) {
        if (signal.aborted) break
        if (pollFailure === undefined) log.warn('the metadata service cannot be read; trying again', { because: textOf(error) })
        pollFailure = `the metadata service cannot be read: ${textOf(error)}`
      }
      await clock.sleep(config.pollMs, signal).catch(() => {})
    }
    await Promise.all(sending.values())
  }

  return {
    ended: run(),
    unreadyReasons: () =>
      [pollFailure, sending.size > 0 ? `${sending.size} events wait to be taken by Event Grid` : undefined].filter(
        (each) => each !== undefined,
      ),
  }
}
