/**
 * Splits an object into a common part and its own values. Nearly all pods of a cluster are copies of a few templates, and so are its nodes and
 * claims. The common part is written, read and stored once.
 */
import type { ObjectKind } from '../../model/clusterObjects.ts'
import { isObject } from '../codec.ts'

export type Scalar = string | number | boolean

/** Names of members and indexes of lists, from the outside in. */
export type Path = readonly (string | number)[]

/** Objects of one form have their own values at the same paths and of the same types. */
export type Form = { readonly kind: ObjectKind; readonly own: readonly Path[]; readonly types: readonly string[] }

export type Split = {
  readonly form: Form
  /** The object as JSON, with a placeholder at the paths of its own values. */
  readonly common: object
  /** The own values, in the order of the paths. */
  readonly values: readonly Scalar[]
}

/** The placeholder in `common` for an own value. */
const HOLE = 0

/** The own values of a pod, which do not come from its template. All copies share labels and requests. */
const OF_A_POD: ReadonlySet<string> = new Set([
  'uid',
  'createdAt',
  'deletedAt',
  'nodeName',
  'nominatedNodeName',
  'nominatedAt',
  'unschedulableSince',
])

/** `name` is the member that is written as the key of the change. */
export function split(kind: ObjectKind, object: object, name: string): Split {
  const own: Path[] = []
  const values: Scalar[] = []

  function walk(json: unknown, path: Path): unknown {
    if (Array.isArray(json)) return json.map((item: unknown, index) => walk(item, [...path, index]))
    if (isObject(json)) return Object.fromEntries(Object.entries(json).map(([member, value]) => [member, walk(value, [...path, member])]))
    if (!isScalar(json) || !isOwn(kind, path)) return json
    if (path.length > 1 || path[0] !== name) {
      own.push(path)
      values.push(json)
    }
    return HOLE
  }

  const common = walk(object, []) as object
  return { form: { kind, own, types: values.map((value) => typeof value) }, common, values }
}

function isOwn(kind: ObjectKind, path: Path): boolean {
  return kind !== 'pod' || (path.length === 1 && (path[0] === 'key' || OF_A_POD.has(String(path[0]))))
}

export function isScalar(json: unknown): json is Scalar {
  return typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean'
}

/** Returns the member that holds the object's name. Undefined if it differs from the key of the change. */
export function nameMember(object: object, key: string): 'key' | 'name' | undefined {
  return (['key', 'name'] as const).find((member) => Reflect.get(object, member) === key)
}
