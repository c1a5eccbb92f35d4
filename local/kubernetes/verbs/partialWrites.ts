import { mediaType } from '../http/body.ts'
import type { Reply } from '../http/reply.ts'
import { type ResourceCall, readOne, requireBody } from '../http/resourceHandler.ts'
import { methodNotAllowed } from '../http/statusError.ts'
import { objectAt } from '../object/json.ts'
import { type KubeObject, withMember } from '../object/kubeObject.ts'
import { printObject } from '../object/printed.ts'
import { apiVersionOf } from '../resources/resource.ts'
import type { Api } from './api.ts'
import { decodeObject } from './decode.ts'
import { applyByType } from './patch.ts'
import { storeChanged } from './update.ts'
import { readWriteOptions } from './writeOptions.ts'

/** The next version of an object from a PUT or PATCH of one of its subresources. */
function written(call: ResourceCall, existing: KubeObject): KubeObject {
  const { target } = call
  if (call.verb === 'update') return decodeObject(requireBody(call), target)
  if (call.verb !== 'patch') throw methodNotAllowed()
  return decodeObject(applyByType(target, existing, { type: mediaType(call.request), body: requireBody(call) }), target)
}

function store(api: Api, call: ResourceCall, existing: KubeObject, next: KubeObject): Reply {
  const { target, user, query } = call
  const object = storeChanged(api, { target, existing, next, user, options: readWriteOptions(query, call.request.headers['user-agent']) })
  return { code: 200, body: `${printObject(object, apiVersionOf(target.resource.group, target.version.name))}\n` }
}

function show(call: ResourceCall, object: KubeObject): Reply {
  return { code: 200, body: `${printObject(object, apiVersionOf(call.target.resource.group, call.target.version.name))}\n` }
}

/** Writes the conditions of a signing request, which the approver sets. The certificate is set through the status. */
export function handleApproval(api: Api, call: ResourceCall): Reply {
  const existing = readOne(api, call.target)
  if (call.verb === 'get') return show(call, existing)
  const next = written(call, existing)
  const status = { ...objectAt(existing, 'status'), conditions: objectAt(next, 'status')['conditions'] }
  return store(api, call, existing, {
    ...existing,
    metadata: { ...existing.metadata, resourceVersion: next.metadata.resourceVersion ?? '' },
    status,
  })
}

/** Writes the finalizers in the spec of a namespace, which are not the finalizers of its metadata. */
export function handleFinalize(api: Api, call: ResourceCall): Reply {
  const existing = readOne(api, call.target)
  return store(api, call, existing, withMember(existing, 'spec', written(call, existing)['spec']))
}
