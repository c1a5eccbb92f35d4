import type { Json, JsonObject } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { printItem, printObject } from '../object/printed.ts'
import type { Served } from '../resources/catalogue.ts'
import { apiVersionOf } from '../resources/resource.ts'
import type { TableLayout } from '../tables/tableLayout.ts'
import { notAcceptable } from './statusError.ts'

/** The form of the answer, from the client's Accept header. */
export type Shape = 'object' | 'table' | 'metadata'

/** How objects are written in an answer: plain, as a table, or as metadata only. */
export interface Representation {
  readonly one: (object: KubeObject) => string
  readonly list: (items: readonly KubeObject[], meta: JsonObject) => string
  /** Returns the object of a watch event. A table has its columns in the first event only. */
  readonly event: (object: KubeObject, first: boolean) => string
  /** Set if every reader gets the same bytes, so that watches may share them. */
  readonly shared: string | undefined
}

/** Returns the first acceptable form. A client that accepts no type of this server gets 406. */
export function acceptedShape(accept: string): Shape {
  if (accept.trim() === '') return 'object'
  for (const clause of accept.split(',')) {
    const shape = shapeOf(clause)
    if (shape) return shape
  }
  throw notAcceptable()
}

const TYPES = new Set(['application/json', 'application/*', '*/*', 'application/yaml'])

function shapeOf(clause: string): Shape | undefined {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim())
  const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3)
  if (!TYPES.has(type)) return undefined
  if (as === undefined) return 'object'
  if (!parameters.includes('g=meta.k8s.io') || !parameters.includes('v=v1')) return undefined
  if (as === 'Table') return 'table'
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined
}

export interface RepresentationOptions {
  readonly shape: Shape
  readonly served: Served
  readonly now: () => number
  /** The `object` of a table's rows: `Metadata` (usual), `Object` or `None`. */
  readonly includeObject: string
}

export function createRepresentation(options: RepresentationOptions): Representation {
  switch (options.shape) {
    case 'object':
      return plain(options.served)
    case 'metadata':
      return metadataOnly()
    case 'table':
      return table(options)
  }
}

function plain({ resource, version }: Served): Representation {
  const apiVersion = apiVersionOf(resource.group, version.name)
  const shown = (object: KubeObject): KubeObject => version.codec?.toClient(object) ?? object
  const one = (object: KubeObject): string => printObject(shown(object), apiVersion)
  const item = resource.custom ? one : (object: KubeObject) => printItem(shown(object))
  return {
    one,
    list: (items, meta) =>
      `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(meta)},"items":[${items.map(item).join(',')}]}\n`,
    event: one,
    shared: apiVersion,
  }
}

function partial(object: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
}

function metadataOnly(): Representation {
  const one = (object: KubeObject): string => JSON.stringify(partial(object))
  return {
    one,
    list: (items, meta) =>
      `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(meta)},"items":[${items.map(one).join(',')}]}\n`,
    event: one,
    shared: 'metadata',
  }
}

function table({ served, now, includeObject }: RepresentationOptions): Representation {
  const layout = served.version.table
  const apiVersion = apiVersionOf(served.resource.group, served.version.name)
  const row = (object: KubeObject): string => `{"cells":${cells(layout, object, now())}${rowObject(includeObject, object, apiVersion)}}`
  const tableOf = (rows: readonly string[], meta: JsonObject, columns: boolean): string =>
    `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(meta)},"columnDefinitions":${columns ? JSON.stringify(layout.columns) : 'null'},"rows":[${rows.join(',')}]}\n`
  return {
    one: (object) => tableOf([row(object)], { resourceVersion: object.metadata.resourceVersion }, true),
    list: (items, meta) => tableOf(items.map(row), meta, true),
    event: (object, first) => tableOf([row(object)], { resourceVersion: object.metadata.resourceVersion }, first).trimEnd(),
    shared: undefined,
  }
}

function cells(layout: TableLayout, object: KubeObject, nowMs: number): string {
  const values: (Json | undefined)[] = [...layout.row(object, nowMs)]
  return JSON.stringify(values.map((value) => (value === undefined ? null : value)))
}

function rowObject(include: string, object: KubeObject, apiVersion: string): string {
  if (include === 'None') return ',"object":null'
  return `,"object":${include === 'Object' ? printObject(object, apiVersion) : JSON.stringify(partial(object))}`
}
