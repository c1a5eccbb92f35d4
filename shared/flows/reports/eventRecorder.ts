import { settle } from '../../base/concurrency.ts'
import { cutText } from '../../base/text.ts'
import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import { type ClusterEvent, LONGEST_EVENT_MESSAGE } from '../../model/decision.ts'
import { instanceNameOf, nodeClaimName } from '../../model/ids.ts'
import { type ClusterLinks, machineNamedLink, workbookLink } from '../../model/portalLinks.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/**
 * Events are written one after another. The pause after a write is this many times as long as the write took, so a busy API server gets few Events
 * while claims, nodes and pods are written.
 */
const PAUSE_FACTOR = 4
const LONGEST_PAUSE_MS = 1_000
/**
 * The most Events that wait. More wait only if the API server is away for long, or busy after a burst of thousands of machines. Then the oldest are
 * dropped, which matter least.
 */
const MOST_WAITING = 5_000

export type RecorderOptions = Pick<ClusterDeps, 'cluster' | 'telemetry' | 'clock'> & {
  /** Returns a signal that aborts after the time that one write may take. */
  readonly budget: () => AbortSignalLike
  /** The invocations of the cluster. An Event is written while one is open, which waits for the Events. Absent: Events are written at any time. */
  readonly cover?: { mayBegin(): Promise<void>; hold(work: Promise<unknown>): void }
}

/**
 * The given API with Events written in the background, so that a flow does not wait for them. When the process ends, Events that are not written yet
 * are lost, and so are the counts that depend on them. No decision depends on an Event.
 */
export function withEventRecorder<Api extends Pick<ClusterApi, 'publish'>>(
  api: Api,
  { cluster, telemetry, clock, budget, cover }: RecorderOptions,
): Api {
  const waiting: { readonly event: ClusterEvent; readonly onFirstPublish: (() => void) | undefined }[] = []
  let isWriting = false
  let lost = 0

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      await cover?.mayBegin()
      const next = waiting.shift()
      if (next === undefined) break
      const { event, onFirstPublish } = next
      const began = clock.now()
      const outcome = await settle(() => api.publish(event, budget(), onFirstPublish))
      if (!outcome.ok) telemetry.warn('an event was not written', { cluster, code: 'KUBE.FAILED', because: String(outcome.error) })
      await pauseAfter(clock.now() - began)
    }
    isWriting = false
    if (lost === 0) return
    telemetry.warn(
      `${lost} events were not written: the API server was away or busy for too long, and at most ${MOST_WAITING} events wait`,
      { cluster, code: 'KUBE.FAILED' },
    )
    lost = 0
  }

  async function pauseAfter(writeMs: number): Promise<void> {
    if (writeMs > 0) await settle(() => clock.sleep(Math.min(PAUSE_FACTOR * writeMs, LONGEST_PAUSE_MS), budget()))
  }

  return {
    ...api,
    publish: (event: ClusterEvent, _signal: AbortSignalLike, onFirstPublish?: () => void) => {
      waiting.push({ event, onFirstPublish })
      if (waiting.length > MOST_WAITING) {
        // The Event is dropped, so nothing shows that another process created it before. It is counted.
        waiting.shift()?.onFirstPublish?.()
        lost++
      }
      if (!isWriting) {
        const writing = writeAll()
        cover?.hold(writing)
      }
      return Promise.resolve()
    },
  }
}

/** The given API, with a link to more information at the end of each Event. Without `links`, the API itself. */
export function withLinkedEvents<Api extends Pick<ClusterApi, 'publish'>>(api: Api, links: ClusterLinks | undefined): Api {
  return links === undefined ? api : { ...api, publish: (event: ClusterEvent, ...rest) => api.publish(linked(event, links), ...rest) }
}

/** The Event with a link. Its key stays the same as without the link. If text and link are too long together, the text is cut, not the link. */
function linked(event: ClusterEvent, links: ClusterLinks): ClusterEvent {
  const { text, link = linkOf(event, links) } = splitLink(event.message)
  const { key = text } = event
  const room = LONGEST_EVENT_MESSAGE - link.length - 1
  if (room < SHORTEST_TEXT) return { ...event, message: text }
  return { ...event, key, message: withLink(cutText(text, room), link) }
}

/** If a link leaves fewer bytes than this for the text, the Event has no link. */
const SHORTEST_TEXT = 200

/** Reasons of Events about a node that joined. They link to the machine, because conditions show no more than the Event. */
const JOINED: ReadonlySet<string> = new Set(['Registered', 'Initialized'])

function linkOf({ subject, reason }: ClusterEvent, links: ClusterLinks): string {
  if (subject.kind === 'node') return machineNamedLink(links, subject.name)
  if (subject.kind !== 'nodeClaim') return workbookLink(links)
  const machine = instanceNameOf(nodeClaimName(subject.name), links.machineNames)
  if (JOINED.has(reason)) return machineNamedLink(links, machine)
  return linkOfReason(links, reason, { machine }) ?? workbookLink(links)
}
