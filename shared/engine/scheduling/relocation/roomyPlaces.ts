/** The nodes that have room for pods of a class before any pod of the moves is bound. They are looked for once in a decision. */
import { roomOn } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { PodToBind } from './bindingOrders.ts'
import { isClosed, type Place } from './placeToBind.ts'
import type { SchedulerView } from './schedulerView.ts'

export interface RoomyPlaces {
  /** Returns a function that gives the places with room for the pod one after another, the emptiest first. Undefined if there are no more. */
  placesFor(pod: PodToBind): (number: number) => RoomyPlace | undefined
}

/** `isSure`: false if the node was closed or had a pod of the moves when it was looked at. Then it may have no room without them either. */
export type RoomyPlace = { readonly place: Place; readonly isSure: boolean }

type Found = { readonly roomy: RoomyPlace[]; next: number }

/** `places`: nodes that stay, the emptiest first. */
export function createRoomyPlaces(places: readonly Place[], { work }: Pick<SchedulerView, 'work'>): RoomyPlaces {
  const known = new Map<PodClass, Found>()

  function look(found: Found, { podClass, relaxedPod }: PodToBind): boolean {
    const place = places[found.next++]
    if (place === undefined) return false
    const isSure = place.pods === 0 && !isClosed(place)
    if (isSure) work.existingNodes++
    if (!isSure || roomOn(place.node, podClass, relaxedPod.constraint, 1) > 0) found.roomy.push({ place, isSure })
    return true
  }

  return {
    placesFor(pod) {
      const found = known.get(pod.podClass) ?? { roomy: [], next: 0 }
      known.set(pod.podClass, found)
      return (number) => {
        while (number >= found.roomy.length && look(found, pod));
        return found.roomy[number]
      }
    },
  }
}
