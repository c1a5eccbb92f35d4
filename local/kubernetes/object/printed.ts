import type { KubeObject } from './kubeObject.ts'

/** The members after `kind` and `apiVersion` as JSON, written once for each version of an object however many readers it has. */
const bodies = new WeakMap<KubeObject, string>()

function bodyOf(object: KubeObject): string {
  const known = bodies.get(object)
  if (known !== undefined) return known
  const body = JSON.stringify({ ...object, kind: undefined, apiVersion: undefined })
  bodies.set(object, body)
  return body
}

/** The object as JSON under an API version. All served versions of a resource share their fields, so only the name differs. */
export function printObject(object: KubeObject, apiVersion: string): string {
  return `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(apiVersion)},${bodyOf(object).slice(1)}`
}

/** The object as an item of a typed list: built-in types leave kind and apiVersion to the list. */
export function printItem(object: KubeObject): string {
  return bodyOf(object)
}
