import { defined } from '../../base/defined.ts'
import { stableName } from '../../base/stableHash.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { instantToKube } from '../../wire/kube/print.ts'
import { mergePatch } from './claimCalls.ts'
import type { KubeObjects } from './kubeObjects.ts'
import { eventsPath, RESOURCE } from './kubePaths.ts'
import { faultOf, isSuccess } from './kubeStatus.ts'

const WINDOW_MS = 10 * 60_000
/** The API server refuses longer ones. */
const MOST_MESSAGE = 1024
/** Where events of objects without a namespace live. */
const CLUSTER_NAMESPACE = 'default'

/**
 * Events without memory: the name says subject, reason, message and the ten minutes it is in, so whoever publishes the
 * same again finds it and raises its count.
 */
export function createEventCalls(objects: KubeObjects, clock: Clock): Pick<ClusterApi, 'publish'> {
  return {
    async publish(event, signal) {
      const now = clock.now()
      const [namespace, name] = addressOf(event, now)
      const created = await objects.call(
        { method: 'POST', path: eventsPath(namespace), body: printEvent(event, { namespace, name, now }) },
        signal,
      )
      if (isSuccess(created)) return
      if (created.status !== 409) throw faultOf(created, 'publish', `event/${namespace}/${name}`)
      const path = `${eventsPath(namespace)}/${name}`
      const present = await objects.call({ method: 'GET', path }, signal)
      // 404: it aged away in between; 403: not allowed to count, which is no reason to fail
      if (!isSuccess(present)) return
      const patched = await objects.call(mergePatch(path, { count: countOf(present.json) + 1, lastTimestamp: instantToKube(now) }), signal)
      if (!isSuccess(patched) && patched.status !== 404) throw faultOf(patched, 'count', `event/${namespace}/${name}`)
    },
  }
}

function addressOf({ subject, uid, reason, message, type }: ClusterEvent, now: number): readonly [string, string] {
  const window = Math.floor(now / WINDOW_MS)
  const [first = '', second] = subject.name.split('/')
  const hash = stableName({ subject, uid: uid ?? '', reason, message, type, window }, 12)
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
    message: event.message.slice(0, MOST_MESSAGE),
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: 'joiner' },
    reportingComponent: 'joiner',
    reportingInstance: 'joiner',
  }
}

/** Our own event; a count that somebody removed counts as one. */
function countOf(json: unknown): number {
  const count = typeof json === 'object' && json !== null && 'count' in json ? json.count : undefined
  return typeof count === 'number' ? count : 1
}
