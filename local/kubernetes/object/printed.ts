import type { KubeObject } from './kubeObject.ts'

/** The members after `kind` and `apiVersion` as JSON. They are written once for each version of an object, for all its readers. */
const bodies = new WeakMap<KubeObject, string>()

function bodyOf(object: KubeObject): string {
  const known = bodies.get(object)
  if (known !== undefined) return known
  const body = JSON.stringify({ ...object, kind: undefined, apiVersion: undefined })
  bodies.set(object, body)
  return body
}

/** Returns the object as JSON in an API version. All served versions of a resource have the same fields, so only apiVersion differs. */
export function printObject(object: KubeObject, apiVersion: string): string {
  return `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(apiVersion)},${bodyOf(object).slice(1)}`
}

/** Returns the object as an item of a typed list. For built-in types only the list has kind and apiVersion. */
export function printItem(object: KubeObject): string {
  return bodyOf(object)
}
