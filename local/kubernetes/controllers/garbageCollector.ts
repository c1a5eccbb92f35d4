import { finalizersOf, isDeleting, type KubeObject, type OwnerReference, ownersOf, uidOf, withMeta } from '../object/kubeObject.ts'
import { mayLeave } from '../resources/coreStrategies.ts'
import type { StoreEvent } from '../store/store.ts'
import type { Api } from '../verbs/api.ts'
import { BACKGROUND, deleteObject } from '../verbs/delete.ts'
import type { Controller } from './controller.ts'
import { createOwnerIndex, type OwnerIndex, type Place, placeOf } from './ownerIndex.ts'

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'

/** Deletes objects whose owners are gone, and finishes the deletion of owners that wait for their dependents or orphan them. */
export function createGarbageCollector(api: Api): Controller {
  const index = createOwnerIndex()
  const due = new Map<string, Place>()
  const enqueue = (place: Place): void => {
    due.set(`${place.resource}/${place.namespace}/${place.name}`, place)
  }
  const stop = api.store.listen('*', (event) => {
    const before = event.type === 'DELETED' ? index.dependentsOf(uidOf(event.object)) : []
    index.hear(event)
    if (event.type === 'DELETED') {
      for (const dependent of before) enqueue(dependent)
      for (const owner of ownersOf(event.object)) enqueueOwner(api, event.object, owner, enqueue)
    } else if (concerns(event)) enqueue(placeOf(event.resource, event.object))
  })
  return {
    wantsToRun: () => due.size > 0,
    reconcile: () => {
      for (const [key, place] of due) {
        due.delete(key)
        collect(api, index, place, enqueue)
      }
    },
    close: stop,
  }
}

function concerns({ object, previous }: StoreEvent): boolean {
  if (isDeleting(object) && finalizersOf(object).some((finalizer) => finalizer === FOREGROUND || finalizer === ORPHAN)) return true
  return ownersOf(object).length > 0 && object.metadata.ownerReferences !== previous?.metadata.ownerReferences
}

function enqueueOwner(api: Api, dependent: KubeObject, owner: OwnerReference, enqueue: (place: Place) => void): void {
  const found = findOwner(api, dependent, owner)
  if (found !== 'unknown' && found !== undefined && isDeleting(found.object)) enqueue(found.place)
}

interface Found {
  readonly object: KubeObject
  readonly place: Place
}

function findOwner(api: Api, dependent: KubeObject, owner: OwnerReference): Found | undefined | 'unknown' {
  const slash = owner.apiVersion.indexOf('/')
  const resource = api.catalogue.byKind(slash < 0 ? '' : owner.apiVersion.slice(0, slash), owner.kind)
  if (!resource) return 'unknown'
  const namespace = resource.namespaced ? (dependent.metadata.namespace ?? '') : ''
  const object = api.store.get(resource.storedAs, namespace, owner.name)
  return object && uidOf(object) === owner.uid ? { object, place: { resource: resource.storedAs, namespace, name: owner.name } } : undefined
}

function collect(api: Api, index: OwnerIndex, place: Place, enqueue: (place: Place) => void): void {
  const object = api.store.get(place.resource, place.namespace, place.name)
  if (!object) return
  if (isDeleting(object) && finalizersOf(object).includes(ORPHAN)) orphanDependents(api, index, object, place)
  else if (isDeleting(object) && finalizersOf(object).includes(FOREGROUND)) waitForDependents(api, index, object, place, enqueue)
  else judge(api, index, object, place)
}

/** Deletes an object if all its owners are gone or in foreground deletion. Otherwise removes the references to such owners. */
function judge(api: Api, index: OwnerIndex, object: KubeObject, place: Place): void {
  const owners = ownersOf(object)
  if (owners.length === 0 || isDeleting(object)) return
  const found = owners.map((owner) => ({ owner, found: findOwner(api, object, owner) }))
  const waiting = found.filter(({ found: holder }) => isWaiting(holder))
  const gone = found.filter(({ found: holder }) => holder === undefined)
  const solid = found.length - gone.length - waiting.length
  if (gone.length + waiting.length === 0) return
  if (solid === 0) {
    const propagation = waiting.length > 0 && index.dependentsOf(uidOf(object)).length > 0 ? 'Foreground' : 'Background'
    remove(api, place, propagation)
    return
  }
  const kept = owners.filter((owner) => ![...gone, ...waiting].some((lost) => lost.owner.uid === owner.uid))
  api.store.replace(place.resource, withMeta(object, { ownerReferences: kept }))
}

function isWaiting(found: Found | undefined | 'unknown'): boolean {
  return found !== undefined && found !== 'unknown' && isDeleting(found.object) && finalizersOf(found.object).includes(FOREGROUND)
}

function remove(api: Api, place: Place, propagation: 'Foreground' | 'Background'): void {
  const resource = api.catalogue.byStore(place.resource)
  if (resource) deleteObject(api, resource, place, { ...BACKGROUND, propagation })
}

function waitForDependents(api: Api, index: OwnerIndex, object: KubeObject, place: Place, enqueue: (place: Place) => void): void {
  const uid = uidOf(object)
  let blocking = 0
  for (const dependent of index.dependentsOf(uid)) {
    const held = api.store.get(dependent.resource, dependent.namespace, dependent.name)
    if (!held) continue
    if (ownersOf(held).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)) blocking++
    if (!isDeleting(held)) enqueue(dependent)
  }
  if (blocking === 0) release(api, object, place, FOREGROUND)
}

function orphanDependents(api: Api, index: OwnerIndex, object: KubeObject, place: Place): void {
  const uid = uidOf(object)
  for (const dependent of index.dependentsOf(uid)) {
    const held = api.store.get(dependent.resource, dependent.namespace, dependent.name)
    if (!held) continue
    const kept = ownersOf(held).filter((owner) => owner.uid !== uid)
    api.store.replace(dependent.resource, withMeta(held, { ownerReferences: kept.length === 0 ? undefined : kept }))
  }
  release(api, object, place, ORPHAN)
}

function release(api: Api, object: KubeObject, place: Place, finalizer: string): void {
  const kept = finalizersOf(object).filter((candidate) => candidate !== finalizer)
  const released = withMeta(object, { finalizers: kept.length === 0 ? undefined : kept })
  if (mayLeave(released) && (released.metadata.deletionGracePeriodSeconds ?? 0) === 0) api.store.remove(place.resource, released)
  else api.store.replace(place.resource, released)
}
