import { badRequest } from '../http/statusError.ts'
import { isList, isObject, type Json } from '../object/json.ts'
import { checkShape, isKubeObject, type KubeObject, withMeta } from '../object/kubeObject.ts'
import { apiVersionOf } from '../resources/resource.ts'
import type { Target } from './api.ts'

/** Reads a written object and checks that it fits the URL: kind, version, name and namespace. */
export function decodeObject(body: Json, target: Target): KubeObject {
  if (!isObject(body))
    throw badRequest('the body of the request was in an unknown format - accepted media types include: application/json, application/yaml')
  const { resource, version } = target
  const apiVersion = apiVersionOf(resource.group, version.name)
  const filled = {
    ...body,
    apiVersion: body['apiVersion'] ?? apiVersion,
    kind: body['kind'] ?? resource.kind,
    metadata: body['metadata'] ?? {},
  }
  const problem = checkShape(filled)
  if (problem) {
    const field = problem.path.replace(/^metadata/, 'ObjectMeta.metadata')
    throw badRequest(
      `${resource.kind} in version "${version.name}" cannot be handled as a ${resource.kind}: json: cannot unmarshal ${problem.got} into Go struct field ${field} of type ${problem.want}`,
    )
  }
  if (!isKubeObject(filled)) throw badRequest('the body of the request is not an object with metadata')
  checkNames(filled, target, apiVersion)
  return placed(withoutNulls(filled), target)
}

function checkNames(object: KubeObject, target: Target, apiVersion: string): void {
  const { resource } = target
  if (object.apiVersion !== apiVersion || object.kind !== resource.kind) {
    if (object.kind !== resource.kind)
      throw badRequest(`the kind in the data (${object.kind}) does not match the expected kind (${resource.kind})`)
    throw badRequest(`the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`)
  }
  const name = object.metadata.name ?? ''
  if (target.name !== '' && name !== '' && name !== target.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`)
  const namespace = object.metadata.namespace ?? ''
  if (resource.namespaced && namespace !== '' && namespace !== target.namespace)
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`)
}

function placed(object: KubeObject, target: Target): KubeObject {
  const namespace = target.resource.namespaced ? target.namespace : undefined
  const name = target.name === '' ? object.metadata.name : target.name
  return withMeta(object, { namespace, name })
}

/** Removes nulls, empty lists and empty maps from the metadata, because the server's own type leaves them out. */
function withoutNulls(object: KubeObject): KubeObject {
  const kept = Object.entries(object.metadata).filter(([key, value]) => !isNothing(value) && key !== 'selfLink' && key !== 'managedFields')
  return { ...object, metadata: Object.fromEntries(kept) }
}

function isNothing(value: Json | undefined): boolean {
  return value === null || (isList(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0)
}
