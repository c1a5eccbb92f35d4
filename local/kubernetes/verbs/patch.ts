import type { User } from '../access/user.ts'
import { notFound, unsupportedMediaType } from '../http/statusError.ts'
import { isObject, type Json, type JsonObject } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { jsonPatch } from '../patch/jsonPatch.ts'
import { mergeShapeOf } from '../patch/mergeKeys.ts'
import { mergePatch } from '../patch/mergePatch.ts'
import { strategicMerge } from '../patch/strategicMerge.ts'
import { apiVersionOf } from '../resources/resource.ts'
import type { Api, Target } from './api.ts'
import { applyObject } from './apply.ts'
import type { Written } from './create.ts'
import { admitFields } from './customFields.ts'
import { decodeObject } from './decode.ts'
import { storeChanged } from './update.ts'
import type { WriteOptions } from './writeOptions.ts'

const APPLY = 'application/apply-patch+yaml'
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  APPLY,
] as const

/** PATCH: changes an object in the way of the content type. */
export function patchObject(api: Api, target: Target, patch: { type: string; body: Json }, user: User, options: WriteOptions): Written {
  if (patch.type === APPLY) return applyObject(api, target, patch.body, user, options)
  const { resource } = target
  const existing = api.store.get(resource.storedAs, target.namespace, target.name)
  if (!existing) throw notFound(resource, target.name)
  const shown: KubeObject = { ...existing, apiVersion: apiVersionOf(resource.group, target.version.name) }
  const patched = applyByType(target, shown, patch)
  const { object, warnings } = admitFields(decodeObject(patched, target), target, options.fieldValidation)
  return { object: storeChanged(api, { target, existing, next: object, user, options }), warnings, created: false }
}

export function applyByType(target: Target, object: KubeObject, patch: { type: string; body: Json }): Json {
  switch (patch.type) {
    case 'application/json-patch+json':
      return jsonPatch(object, patch.body)
    case 'application/merge-patch+json':
      return mergePatch(object, requireObject(patch.body))
    case 'application/strategic-merge-patch+json':
      if (target.resource.custom) throw refuseType(false)
      return strategicMerge(object, requireObject(patch.body), mergeShapeOf(target.resource.storedAs))
    default:
      throw refuseType(!target.resource.custom)
  }
}

function requireObject(body: Json): JsonObject {
  if (isObject(body)) return body
  throw unsupportedMediaType('a merge patch must be an object')
}

function refuseType(strategic: boolean): Error {
  const known = PATCH_TYPES.filter((candidate) => strategic || candidate !== 'application/strategic-merge-patch+json')
  return unsupportedMediaType(`the body of the request was in an unknown format - accepted media types include: ${known.join(', ')}`)
}
