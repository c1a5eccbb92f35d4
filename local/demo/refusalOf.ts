import type { ClusterEvent } from '../cluster/client/objects.ts'

/** The component that Joiner's events name. */
const OURS = 'joiner'

/** What Joiner says of a pod it cannot help; of any other event undefined. */
export function refusalOf({ involvedObject, message, source, type }: ClusterEvent): string | undefined {
  const isRefusal = involvedObject.kind === 'Pod' && source?.component === OURS && type === 'Warning'
  return isRefusal ? `pod ${involvedObject.namespace}/${involvedObject.name}: ${message}` : undefined
}
