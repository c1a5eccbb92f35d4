import type { Document, Node } from 'yaml'
import { ownValue } from '../../shared/base/values.ts'
import { isObject } from '../../shared/wire/codec.ts'

export type Path = readonly (string | number)[]

/** One Kubernetes object in a YAML document. Objects of a List have a path of their own. */
export type Target = {
  readonly document: Document<Node>
  readonly path: Path
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

/** Returns the objects of a document. A document without objects, or with something else, gives none. */
export function targetsOf(document: Document<Node>): readonly Target[] {
  const json: unknown = document.toJS()
  if (!isObject(json)) return []
  const items = json['items']
  if (json['kind'] === 'List' && Array.isArray(items))
    return items.flatMap((item: unknown, index) => targetOf(document, ['items', index], item))
  return targetOf(document, [], json)
}

function targetOf(document: Document<Node>, path: Path, json: unknown): readonly Target[] {
  if (!isObject(json)) return []
  const { apiVersion, kind, metadata } = json
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return []
  const name = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '?'
  return [{ document, path, apiVersion, kind, name }]
}

/** Returns the value at a path of the object, as it is after all changes up to now. */
export function valueAt({ document, path }: Target, ...below: Path): unknown {
  let value: unknown = document.toJS()
  for (const step of [...path, ...below]) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step]
    else if (isObject(value) && typeof step === 'string') value = ownValue(value, step)
    else return undefined
  }
  return value
}

/** Makes missing parents. A scalar keeps its comment. */
export function setAt(target: Target, value: unknown, ...below: Path): void {
  const { document, path } = target
  const [parent, leaf] = [below.slice(0, -1), below.at(-1)]
  if (typeof leaf === 'string' && parent.length > 0 && valueAt(target, ...parent) === undefined) {
    setAt(target, { [leaf]: value }, ...parent)
    return
  }
  const isScalar = typeof value !== 'object' || value === null
  document.setIn([...path, ...below], isScalar ? value : document.createNode(value))
}

export function deleteAt({ document, path }: Target, ...below: Path): void {
  document.deleteIn([...path, ...below])
}

/** Returns a refusal that names the object and the field. */
export function refusal({ kind, name }: Target, field: Path | string, why: string): string {
  const path =
    typeof field === 'string'
      ? field
      : field.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`), '')
  return `${kind.toLowerCase()}/${name}: ${path}: ${why}`
}
