import type { Informer } from '../client/informer.ts'
import type { Stored } from '../client/objects.ts'
import type { Resource } from '../client/resource.ts'
import type { Controller, ControllerContext } from '../context.ts'
import { REAL_CONTROL_PLANE } from '../realControlPlane.ts'

/** Kinds that the API server accepts but that no controller here acts on, with what does not happen. */
export const UNSUPPORTED_KINDS: readonly { readonly resource: Resource<Stored>; readonly what: string }[] = [
  { resource: { apiVersion: 'apps/v1', kind: 'StatefulSet', plural: 'statefulsets' }, what: 'no pod is made for it' },
  { resource: { apiVersion: 'v1', kind: 'ReplicationController', plural: 'replicationcontrollers' }, what: 'no pod is made for it' },
  { resource: { apiVersion: 'v1', kind: 'Service', plural: 'services' }, what: 'it gets no address, and nothing routes to it' },
  {
    resource: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' },
    what: 'no volume is made for it, and pods that use it wait',
  },
]

/** One line for the person who starts the cluster. */
export const UNSUPPORTED_KINDS_LINE = `the embedded cluster takes and does not run ${UNSUPPORTED_KINDS.map(({ resource }) => `${resource.kind}s`).join(', ')}; ${REAL_CONTROL_PLANE}`

/** Records an event on each object that has no effect. Without the event, an accepted object would look as if it were worked on. */
export async function startUnsupportedKinds({ events, informers }: ControllerContext): Promise<Controller> {
  const watched: Informer<Stored>[] = UNSUPPORTED_KINDS.map(({ resource, what }) => {
    const informer = informers.of(resource)
    const { apiVersion, kind } = resource
    informer.onChange((now, before) => {
      if (now === undefined || now.metadata.uid === before?.metadata.uid) return
      const message = `the embedded cluster does not run a ${kind}: ${what}; ${REAL_CONTROL_PLANE}`
      events.record({ apiVersion, kind, metadata: now.metadata }, { type: 'Warning', reason: 'NotRun', message })
    })
    return informer
  })
  await Promise.all(watched.map(({ synced }) => synced))
  // The owner of the informers closes them.
  return { close: () => undefined }
}
