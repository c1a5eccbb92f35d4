import { stableName } from '../../base/stableHash.ts'
import { cutText } from '../../base/text.ts'
import { defined } from '../../base/values.ts'
import { isSuccess, type KubeAnswer, messageOf } from '../../kubeclient/status.ts'
import { type ClusterEvent, LONGEST_EVENT_MESSAGE } from '../../model/decision.ts'
import { Fault } from '../../model/problem.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { instantToKube, microTimeToKube } from '../../wire/kube/print.ts'
import { mergePatch } from './claimCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { eventsPath, RESOURCE } from './kubePaths.ts'
import { RANK } from './rank.ts'

/** An Event that is published again within this time is not written. */
const QUIET_MS = 5 * 60_000
/** The namespace of Events about objects without a namespace. */
const CLUSTER_NAMESPACE = 'default'
/** Tools that show Karpenter's Events select them by this source. */
const SOURCE = 'karpenter'
const REPORTER = 'joiner'
/** The most Events that a process remembers. Beyond it, all are forgotten, and each costs a read again. */
const MOST_REMEMBERED = 20_000

/**
 * Publishes Events without stored state. The name of an Event is derived from its subject, reason and key. So a process that publishes the same Event
 * again finds it, and raises its count if it was quiet for a while. For an Event that this process published lately, it makes no call at all.
 */
export function createEventCalls(objects: KubeObjects, clock: Clock, telemetry: Telemetry): Pick<ClusterApi, 'publish'> {
  const said = new Map<string, EpochMs>()

  function remember(id: string, at: EpochMs): void {
    if (said.size >= MOST_REMEMBERED) said.clear()
    said.set(id, at)
  }

  async function countUp(path: string, event: ClusterEvent, now: EpochMs, signal: AbortSignalLike): Promise<KubeAnswer> {
    const present = await objects.call({ method: 'GET', path, rank: RANK.telling }, signal)
    if (!isSuccess(present)) return present
    const { count, at } = readEvent(present.json)
    if (now - at < QUIET_MS) return present
    const body = { count: count + 1, lastTimestamp: instantToKube(now), message: messageFor(event) }
    return objects.call({ ...mergePatch(path, body), rank: RANK.telling }, signal)
  }

  /** Turns a Fault of a busy or unreachable server into an answer, as if the server had refused. */
  async function answered(call: () => Promise<KubeAnswer>): Promise<KubeAnswer> {
    try {
      return await call()
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      return { status: 503, json: { message: cause.message } }
    }
  }

  return {
    async publish(event, signal, onFirstPublish) {
      const now = clock.now()
      const [namespace, name] = addressOf(event)
      const id = `${namespace}/${name}`
      const last = said.get(id)
      if (last !== undefined && now - last < QUIET_MS) return
      const path = eventsPath(namespace)
      const body = printEvent(event, { namespace, name, now })
      // The Event is remembered before the answer, since it may be published again meanwhile.
      remember(id, now)
      const created = await answered(() => objects.call({ method: 'POST', path, body, rank: RANK.telling }, signal)).catch(
        (cause: unknown) => {
          // No answer came, so nothing shows that another process created the Event before.
          onFirstPublish?.()
          throw cause
        },
      )
      const isSaid = created.status === 409
      if (!isSaid) onFirstPublish?.()
      const answer = isSaid ? await answered(() => countUp(`${path}/${name}`, event, clock.now(), signal)) : created
      // 404: the Event expired in between. Other failures, such as a namespace that is being deleted, must not stop the caller.
      if (isSuccess(answer) || answer.status === 404) return
      telemetry.warn('an event was not taken', { event: id, reason: event.reason, code: 'KUBE.FAILED', because: messageOf(answer) })
    },
  }
}

function addressOf({ subject, uid, reason, message, key, type }: ClusterEvent): readonly [namespace: string, name: string] {
  const [first = '', second] = subject.name.split('/')
  const hash = stableName({ subject, uid: uid ?? '', reason, says: key ?? message, type }, 12)
  return second === undefined ? [CLUSTER_NAMESPACE, `${first}.${hash}`] : [first, `${second}.${hash}`]
}

function printEvent(event: ClusterEvent, { namespace, name, now }: { namespace: string; name: string; now: EpochMs }): object {
  const { apiVersion, kind } = RESOURCE[event.subject.kind]
  const isNamespaced = event.subject.name.includes('/')
  const subjectName = event.subject.name.slice(event.subject.name.indexOf('/') + 1)
  const time = instantToKube(now)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name },
    involvedObject: defined({ apiVersion, kind, name: subjectName, namespace: isNamespaced ? namespace : undefined, uid: event.uid }),
    type: event.type,
    reason: event.reason,
    message: messageFor(event),
    firstTimestamp: time,
    lastTimestamp: time,
    eventTime: microTimeToKube(now),
    count: 1,
    source: { component: SOURCE },
    reportingComponent: REPORTER,
    reportingInstance: REPORTER,
    action: event.reason,
  }
}

function messageFor({ message }: ClusterEvent): string {
  return cutText(message, LONGEST_EVENT_MESSAGE)
}

/** The count and time of our Event. If somebody removed them, the count is 1 and the time 0. */
function readEvent(json: unknown): { readonly count: number; readonly at: EpochMs } {
  const present: object = typeof json === 'object' && json !== null ? json : {}
  const count = 'count' in present ? present.count : undefined
  const at = 'lastTimestamp' in present && typeof present.lastTimestamp === 'string' ? Date.parse(present.lastTimestamp) : 0
  return { count: typeof count === 'number' ? count : 1, at: epochMs(Number.isNaN(at) ? 0 : at) }
}
