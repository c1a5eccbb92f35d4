import type { Reply } from '../http/reply.ts'
import { type ResourceCall, readOne, requireBody } from '../http/resourceHandler.ts'
import { conflict } from '../http/statusError.ts'
import { asText, listAt, objectAt, textAt } from '../object/json.ts'
import { isDeleting, withMeta } from '../object/kubeObject.ts'
import { invalidObject, required } from '../schema/fieldError.ts'
import { type Api, timestamp } from './api.ts'
import { readWriteOptions } from './writeOptions.ts'

/** Assigns a pod to a node. A pod can be assigned once only. */
export function bindPod(api: Api, call: ResourceCall): Reply {
  const { target } = call
  const body = requireBody(call)
  const pod = readOne(api, target)
  const node = textAt(body, 'target', 'name')
  const subject = { group: '', plural: 'pods/binding' }
  if (node === '') throw invalidObject('', 'Binding', target.name, [required('target.name')])
  const wantedUid = textAt(body, 'metadata', 'uid')
  if (wantedUid !== '' && wantedUid !== pod.metadata.uid) {
    throw conflict(
      subject,
      target.name,
      `Precondition failed: UID in precondition: ${wantedUid}, UID in object meta: ${pod.metadata.uid ?? ''}`,
    )
  }
  if (isDeleting(pod)) throw conflict(subject, target.name, `pod ${target.name} is being deleted, cannot be assigned to a host`)
  const assigned = textAt(pod, 'spec', 'nodeName')
  if (assigned !== '') throw conflict(subject, target.name, `pod ${target.name} is already assigned to node ${JSON.stringify(assigned)}`)
  if (listAt(pod, 'spec', 'schedulingGates').length > 0)
    throw conflict(subject, target.name, `pod ${target.name} has non-empty .spec.schedulingGates`)
  const now = timestamp(api.now())
  const others = listAt(pod, 'status', 'conditions').filter((condition) => textAt(condition, 'type') !== 'PodScheduled')
  const bound = withMeta(
    {
      ...pod,
      spec: { ...objectAt(pod, 'spec'), nodeName: node },
      status: {
        ...objectAt(pod, 'status'),
        conditions: [...others, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }],
      },
    },
    { annotations: annotationsOf(pod.metadata.annotations, body) },
  )
  if (!readWriteOptions(call.query, call.request.headers['user-agent']).dryRun) api.store.replace('pods', bound)
  return { code: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } }
}

function annotationsOf(
  known: { readonly [key: string]: string } | undefined,
  body: Parameters<typeof objectAt>[0],
): { readonly [key: string]: string } | undefined {
  const added = Object.entries(objectAt(body, 'metadata', 'annotations')).map(([key, value]) => [key, asText(value)])
  return added.length === 0 ? known : { ...known, ...Object.fromEntries(added) }
}
