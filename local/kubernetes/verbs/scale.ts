import { mediaType } from '../http/body.ts'
import type { Reply } from '../http/reply.ts'
import { type ResourceCall, readOne, requireBody } from '../http/resourceHandler.ts'
import { badRequest, methodNotAllowed } from '../http/statusError.ts'
import { at, isObject, type Json, type JsonObject, numberAt, objectAt, textAt, withAt } from '../object/json.ts'
import { isKubeObject, type KubeObject, withMeta } from '../object/kubeObject.ts'
import { jsonPatch } from '../patch/jsonPatch.ts'
import { mergePatch } from '../patch/mergePatch.ts'
import type { ScalePaths } from '../resources/resource.ts'
import { invalid, invalidObject } from '../schema/fieldError.ts'
import { printSelector } from '../tables/workloadTables.ts'
import type { Api } from './api.ts'
import { storeChanged } from './update.ts'
import { readWriteOptions } from './writeOptions.ts'

/** Reads or writes the replicas of an object of any kind with a scale. */
export function handleScale(api: Api, call: ResourceCall): Reply {
  const { target } = call
  const paths = target.resource.scale
  if (!paths) throw methodNotAllowed()
  const existing = readOne(api, target)
  const scale = scaleOf(existing, paths)
  if (call.verb === 'get') return { code: 200, body: scale }
  const next = writtenScale(call, scale)
  const replicas = readReplicas(next)
  if (replicas < 0) {
    throw invalidObject('autoscaling', 'Scale', target.name, [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')])
  }
  const changed = withAt(existing, paths.specReplicas, replicas)
  if (!isKubeObject(changed)) throw badRequest('the object cannot be scaled')
  const resourceVersion = textAt(next, 'metadata', 'resourceVersion') || undefined
  const whole = { ...target, subresource: '' }
  const stored = storeChanged(api, {
    target: whole,
    existing,
    next: withMeta(changed, { resourceVersion }),
    user: call.user,
    options: readWriteOptions(call.query, call.request.headers['user-agent']),
  })
  return { code: 200, body: scaleOf(stored, paths) }
}

/** A missing number counts as zero, as on a cluster. A value that is not an integer is refused before anything is scaled to zero. */
function readReplicas(scale: Json): number {
  const asked = at(scale, 'spec', 'replicas') ?? 0
  if (isObject(scale) && typeof asked === 'number' && Number.isInteger(asked)) return asked
  const got = typeof asked === 'number' ? `number ${asked}` : typeof asked
  throw badRequest(
    `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${got} into Go struct field ScaleSpec.spec.replicas of type int32`,
  )
}

function writtenScale(call: ResourceCall, scale: JsonObject): Json {
  const body = requireBody(call)
  if (call.verb === 'update') return body
  if (call.verb !== 'patch') throw methodNotAllowed()
  // A patch without a resourceVersion must not be checked against the version that was just read.
  const base = { ...scale, metadata: { ...objectAt(scale, 'metadata'), resourceVersion: undefined } }
  return mediaType(call.request) === 'application/json-patch+json' ? jsonPatch(base, body) : mergePatch(base, body)
}

function scaleOf(object: KubeObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  // A kind without a selector path has no selector. An empty path would read the object itself.
  const selector = paths.selector.length === 0 ? undefined : at(object, ...paths.selector)
  const text = isObject(selector)
    ? printSelector(paths.selectsByLabels ? { matchLabels: selector } : selector)
    : typeof selector === 'string'
      ? selector
      : ''
  const replicas = numberAt(object, ...paths.specReplicas)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined ? {} : { replicas },
    status: { replicas: numberAt(object, ...paths.statusReplicas) ?? 0, ...(text === '' ? {} : { selector: text }) },
  }
}
