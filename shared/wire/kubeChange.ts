import { ok, type Result } from '../base/result.ts'
import type { Change, ChangeHead, InvalidChange } from '../model/change.ts'
import { OBJECT_KINDS, type ObjectKind } from '../model/clusterObjects.ts'
import type { Problem } from '../model/problem.ts'
import { parseChange } from './change.ts'
import { type Codec, constant, decode, fail, integer, isObject, oneOf, record } from './codec.ts'
import { objectFromKube } from './kube/object.ts'
import { instant } from './objects/shared.ts'

type KubePut = Pick<ChangeHead, 'seq' | 'at'> & { readonly op: 'put'; readonly kind: ObjectKind; readonly object: NamedObject }
type NamedObject = { readonly key: string; readonly json: unknown }

/** The object has the key of its change in itself. */
const named: Codec<NamedObject> = {
  read: (json, trail) => {
    const metadata = isObject(json) ? json['metadata'] : undefined
    const { name, namespace } = isObject(metadata) ? metadata : {}
    if (typeof name !== 'string') return fail(trail, 'has no name')
    return { key: typeof namespace === 'string' ? `${namespace}/${name}` : name, json }
  },
  write: ({ json }) => json,
}

const put: Codec<KubePut> = record<KubePut>({ seq: integer, at: instant, op: constant('put'), kind: oneOf(...OBJECT_KINDS), object: named })

/**
 * Parses a change whose object is Kubernetes JSON. An object that cannot be read is a change of its own: it says what is wrong with the object, and the
 * object is known to be there.
 */
export function parseKubeChange(json: unknown): Result<Change, Problem> {
  if (!isObject(json) || json['op'] !== 'put') return parseChange(json)
  const read = decode(put, json, { object: `change ${String(json['seq'])}` })
  if (!read.ok) return read
  const { seq, at, kind, object } = read.value
  const head: ChangeHead = { seq, at, key: object.key }
  const parsed = objectFromKube(kind, object.json)
  if (!parsed.ok) return ok<InvalidChange>({ ...head, op: 'invalid', kind, problem: parsed.error })
  const change: object = { ...head, op: 'put', kind, object: parsed.value }
  return ok(change as Change)
}
