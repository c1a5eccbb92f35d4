import { finalizersOf, isDeleting, type KubeObject, nameOf, namespaceOf, withMeta } from '../object/kubeObject.ts'
import { customResource } from '../resources/customResource.ts'
import { CLEANUP_FINALIZER, DEFINITIONS } from '../resources/definitionStrategy.ts'
import type { Api } from '../verbs/api.ts'
import { BACKGROUND, deleteObject } from '../verbs/delete.ts'
import type { Controller } from './controller.ts'

/** Serves the resources of CustomResourceDefinitions, and deletes all objects of a resource before its definition goes. */
export function createDefinitionController(api: Api): Controller {
  const serve = (definition: KubeObject): void => api.catalogue.put(customResource(definition))
  const retire = (definition: KubeObject): void => {
    const { group, plural, storedAs } = customResource(definition)
    api.catalogue.remove(group, plural)
    api.store.drop(storedAs)
  }
  const stops = [
    api.store.listen(DEFINITIONS, (event) => {
      if (event.type === 'DELETED') retire(event.object)
      else serve(event.object)
    }),
  ]
  return {
    reconcile: () => {
      for (const definition of api.store.list(DEFINITIONS, '')) if (isDeleting(definition)) empty(api, definition)
    },
    wantsToRun: (event) => event.resource === DEFINITIONS || api.store.list(DEFINITIONS, '').some(isDeleting),
    close: () => {
      for (const stop of stops) stop()
    },
  }
}

function empty(api: Api, definition: KubeObject): void {
  const resource = customResource(definition)
  for (const object of api.store.list(resource.storedAs, '')) {
    if (!isDeleting(object)) deleteObject(api, resource, { namespace: namespaceOf(object), name: nameOf(object) }, BACKGROUND)
  }
  if (api.store.count(resource.storedAs) > 0 || !finalizersOf(definition).includes(CLEANUP_FINALIZER)) return
  const rest = finalizersOf(definition).filter((finalizer) => finalizer !== CLEANUP_FINALIZER)
  const released = withMeta(definition, { finalizers: rest.length === 0 ? undefined : rest })
  if (rest.length === 0) api.store.remove(DEFINITIONS, released)
  else api.store.replace(DEFINITIONS, released)
}
