import { listAt, objectAt } from '../object/json.ts'
import { isDeleting, type KubeObject, nameOf, withMember } from '../object/kubeObject.ts'
import { mayLeave } from '../resources/coreStrategies.ts'
import type { Api } from '../verbs/api.ts'
import { BACKGROUND, deleteObject } from '../verbs/delete.ts'
import type { Controller } from './controller.ts'

/** Deletes everything in a namespace that is being deleted, then the namespace. */
export function createNamespaceController(api: Api): Controller {
  const leaving = (): readonly KubeObject[] => api.store.list('namespaces', '').filter(isDeleting)
  return {
    wantsToRun: (event) => {
      if (event.resource === 'namespaces') return isDeleting(event.object)
      const namespace = event.object.metadata.namespace ?? ''
      const held = namespace === '' ? undefined : api.store.get('namespaces', '', namespace)
      return held !== undefined && isDeleting(held)
    },
    reconcile: () => {
      for (const namespace of leaving()) empty(api, namespace)
    },
  }
}

function empty(api: Api, namespace: KubeObject): void {
  const name = nameOf(namespace)
  let left = 0
  for (const resource of api.catalogue.all()) {
    if (!resource.namespaced || !resource.verbs.includes('delete')) continue
    for (const object of api.store.list(resource.storedAs, name)) {
      if (!isDeleting(object)) deleteObject(api, resource, { namespace: name, name: nameOf(object) }, BACKGROUND)
      if (api.store.get(resource.storedAs, name, nameOf(object))) left++
    }
  }
  if (left > 0) return
  const finalizers = listAt(namespace, 'spec', 'finalizers').filter((finalizer) => finalizer !== 'kubernetes')
  const released = withMember(namespace, 'spec', { ...objectAt(namespace, 'spec'), finalizers })
  if (mayLeave(released)) api.store.remove('namespaces', released)
  else if (finalizers.length !== listAt(namespace, 'spec', 'finalizers').length) api.store.replace('namespaces', released)
}
