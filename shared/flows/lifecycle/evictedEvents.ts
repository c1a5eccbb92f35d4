import { byKey, byText, inOrder } from '../../base/order.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { namespaceOf } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'

/** The most pods evicted by one run that get an Event of their own. The Events of a node with many pods would otherwise be a third of all its calls. */
const MOST_OWN = 1
/** The most characters of names in an Event. It leaves room for the text and for a link. */
const MOST_NAMES = 500

export type EvictedEvent = {
  readonly event: ClusterEvent
  /** The number of pods that the Event tells of. */
  readonly pods: number
}

/**
 * The Events about pods of one node that were evicted at the same time, with Karpenter's reason. Karpenter writes one for each pod. Here the first
 * pods get one each, one pod of each workload before a second one. The other pods of a namespace share an Event: it is about one of them and names the
 * others, so that a search for the name of a pod finds it.
 */
export function evictedEvents(evicted: readonly Pod[], because: string): readonly EvictedEvent[] {
  const inTurns = takingTurns(evicted)
  const groups = [...Map.groupBy(inTurns.slice(MOST_OWN), namespaceOf).values()].flatMap((pods) =>
    batches(pods.sort(byKey(({ key }) => key))),
  )
  return [...inTurns.slice(0, MOST_OWN).map((pod) => [pod]), ...groups].flatMap((pods) => eventAbout(pods, because))
}

/** One pod of each workload, then a second one of each, and so on. */
function takingTurns(pods: readonly Pod[]): readonly Pod[] {
  const workloads = Map.groupBy(pods.toSorted(byKey(({ key }) => key)), ({ owner, uid }) => owner?.uid ?? uid)
  return [...workloads.values()]
    .flatMap((own) => own.map((pod, turn) => ({ pod, turn })))
    .sort(
      inOrder(
        (first, second) => first.turn - second.turn,
        (first, second) => byText(first.pod.key, second.pod.key),
      ),
    )
    .map(({ pod }) => pod)
}

/** Parts of the list whose names fit into one Event. The name of the first pod of a part is not in its text. */
function batches(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const made: Pod[][] = []
  let left = 0
  for (const pod of pods) {
    const length = nameOf(pod).length + SEPARATOR.length
    if (length > left) {
      made.push([pod])
      left = MOST_NAMES
    } else {
      made.at(-1)?.push(pod)
      left -= length
    }
  }
  return made
}

function eventAbout(pods: readonly Pod[], because: string): readonly EvictedEvent[] {
  const [first, ...others] = pods
  if (first === undefined) return []
  const event = { subject: { kind: 'pod', name: first.key }, uid: first.uid, type: 'Normal', reason: 'Evicted' } as const
  if (others.length === 0) return [{ event: { ...event, key: KEY, message: `evicted: ${because}` }, pods: 1 }]
  const together = others.length === 1 ? 'another pod' : `${others.length} pods`
  const names = others.map(nameOf).join(SEPARATOR)
  const message = `evicted, together with ${together} of the namespace: ${because}; the others: ${names}`
  // Other pods make another Event, so that a later run does not take its pods for told.
  return [{ event: { ...event, key: [KEY, ...others.map(({ uid }) => uid)].join(' '), message }, pods: pods.length }]
}

const KEY = 'evictPod'
const SEPARATOR = ', '

function nameOf({ key }: Pod): string {
  return key.slice(key.indexOf('/') + 1)
}
