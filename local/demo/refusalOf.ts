import type { ClusterEvent } from '../cluster/client/objects.ts'

/** The reporting component in Joiner's events. */
const OURS = 'joiner'

/** Returns why Joiner cannot help a pod. Undefined for any other event. */
export function refusalOf({ involvedObject, message, reportingComponent, type }: ClusterEvent): string | undefined {
  const isRefusal = involvedObject.kind === 'Pod' && reportingComponent === OURS && type === 'Warning'
  return isRefusal ? `pod ${involvedObject.namespace}/${involvedObject.name}: ${message}` : undefined
}
