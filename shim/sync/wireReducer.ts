import { err, ok } from '../../shared/base/result.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import { OBJECT_CODECS } from '../../shared/wire/change.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import type { Reducer } from './reducedVersion.ts'

/** Turns Kubernetes JSON into the compact JSON of the wire. */
export const wireReducer: Reducer = (kind, json) => {
  const read = objectFromKube(kind, json)
  if (!read.ok) return err(read.error)
  return ok({ value: read.value, compact: printed(kind, read.value), pending: isPending(read.value) })
}

function printed<Kind extends ObjectKind>(kind: Kind, value: ObjectByKind[Kind]): unknown {
  const codec: { readonly write: (value: ObjectByKind[Kind]) => unknown } = OBJECT_CODECS[kind]
  return codec.write(value)
}

function isPending(value: ObjectByKind[ObjectKind]): boolean {
  return 'unschedulableSince' in value && value.unschedulableSince !== undefined && value.nodeName === undefined
}
