import { type KubeObject, nameOf, namespaceOf, ownersOf } from '../object/kubeObject.ts'
import type { StoreEvent } from '../store/store.ts'

/** The location of an object: its collection and its key in the collection. */
export interface Place {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Dependents by owner, updated with every write, so that a collection costs only what it collects. */
export interface OwnerIndex {
  hear(event: StoreEvent): void
  dependentsOf(uid: string): readonly Place[]
}

export function placeOf(resource: string, object: KubeObject): Place {
  return { resource, namespace: namespaceOf(object), name: nameOf(object) }
}

export function createOwnerIndex(): OwnerIndex {
  const dependents = new Map<string, Map<string, Place>>()
  const idOf = (place: Place): string => `${place.resource}/${place.namespace}/${place.name}`
  const remove = (object: KubeObject, place: Place): void => {
    for (const owner of ownersOf(object)) {
      const places = dependents.get(owner.uid)
      places?.delete(idOf(place))
      if (places?.size === 0) dependents.delete(owner.uid)
    }
  }
  const add = (object: KubeObject, place: Place): void => {
    for (const owner of ownersOf(object)) {
      const places = dependents.get(owner.uid) ?? new Map<string, Place>()
      places.set(idOf(place), place)
      dependents.set(owner.uid, places)
    }
  }
  return {
    hear: (event) => {
      const place = placeOf(event.resource, event.object)
      if (event.previous && event.previous.metadata.ownerReferences !== event.object.metadata.ownerReferences) remove(event.previous, place)
      if (event.type === 'DELETED') remove(event.object, place)
      else add(event.object, place)
    },
    dependentsOf: (uid) => [...(dependents.get(uid)?.values() ?? [])],
  }
}
