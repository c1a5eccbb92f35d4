import * as kubernetes from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import { FULL_OBJECTS } from '../../../shared/wire/kube/testing/fullObjects.ts'
import { pathsOf } from '../../../shared/wire/testing/members.ts'
import { randomWorld } from '../../generators/randomSnapshot.ts'
import { missingTests } from '../karpenterLines/shownTests.ts'
import type { FieldRow } from './fieldRow.ts'
import { OBJECT_FIELDS } from './objectFields.ts'
import { POD_FIELDS } from './podFields.ts'

/** The kinds that kube-scheduler reads, and the kind of the same objects here. */
const KINDS = {
  Pod: 'pod',
  PersistentVolumeClaim: 'persistentVolumeClaim',
  PersistentVolume: 'persistentVolume',
  StorageClass: 'storageClass',
  CSINode: 'csiNode',
  Node: 'node',
  Namespace: 'namespace',
} as const

const ROWS = [...POD_FIELDS, ...OBJECT_FIELDS]
const placesOf = ({ of, fields }: FieldRow): readonly string[] => fields.split(' ').map((field) => `${of}.${field}`)
const ROW_OF = new Map(ROWS.flatMap((row) => placesOf(row).map((place) => [place, row] as const)))

type Member = { readonly baseName: string; readonly type: string }
const MODELS = new Map(Object.entries(kubernetes))

/** The members of a type of the client library, which is made from the OpenAPI document of Kubernetes. */
function membersOf(type: string): readonly Member[] {
  const item = /^Array<(.*)>$/.exec(type)?.[1] ?? /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1]
  if (item !== undefined) return membersOf(item)
  const model: unknown = MODELS.get(type)
  return typeof model === 'function' && 'attributeTypeMap' in model && Array.isArray(model.attributeTypeMap) ? model.attributeTypeMap : []
}

/** The fields without members, each by its path. A type inside itself ends the path. */
function leavesOf(type: string, path: string, outer: readonly string[] = []): readonly string[] {
  const members = outer.includes(type) ? [] : membersOf(type)
  return members.length === 0 ? [path] : members.flatMap((each) => leavesOf(each.type, `${path}.${each.baseName}`, [...outer, type]))
}

/** The places that hold the path, the nearest first. */
function placesAbove(path: string): readonly string[] {
  const parts = path.split('.')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
}

const isAt = (path: string, place: string): boolean => path === place || path.startsWith(`${place}.`)

describe.each(Object.keys(KINDS))('the fields of %s', (kind) => {
  const leaves = leavesOf(`V1${kind}`, kind)

  it('have a row each', () => {
    expect(leaves.length).toBeGreaterThan(20)
    expect(leaves.filter((leaf) => !placesAbove(leaf).some((place) => ROW_OF.has(place)))).toEqual([])
  })

  it('are the only ones with a row', () => {
    const places = ROWS.filter(({ since }) => since === undefined).flatMap(placesOf)
    const own = places.filter((place) => isAt(place, kind))
    expect(own.filter((place) => !leaves.some((leaf) => isAt(leaf, place)))).toEqual([])
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([])
  })
})

const modelled = ROWS.filter((row) => row.plugins !== undefined && row.shown !== undefined)

describe('a row', () => {
  it.each(ROWS)('$of: $fields', ({ shown = {}, why }) => {
    expect(why !== undefined || Object.keys(shown).length > 0).toBe(true)
    expect(missingTests(shown)).toEqual([])
  })

  it('with tests is about fields that Joiner reads', () => {
    const read = FULL_OBJECTS.flatMap(({ kind, json }) => pathsIn(nameOf(kind), json))
    expect(modelled.flatMap(placesOf).filter((place) => !read.some((path) => isAt(path, place)))).toEqual([])
  })

  it('with tests is about fields that random worlds have, or says why they do not', () => {
    const had = new Set(Array.from({ length: 300 }, (_, seed) => fieldsOfWorld(seed)).flatMap((fields) => [...fields]))
    const places = modelled.flatMap((row) => placesOf(row).map((place) => ({ place, rare: row.rare })))
    const missing = places.filter(({ place, rare }) => rare === undefined && !had.has(place))
    expect(missing.map(({ place }) => place)).toEqual([])
    expect(places.filter(({ place, rare }) => rare !== undefined && had.has(place)).map(({ place }) => place)).toEqual([])
  })
})

function nameOf(kind: string): string {
  return Object.entries(KINDS).find(([, own]) => own === kind)?.[0] ?? kind
}

function pathsIn(kind: string, json: unknown): readonly string[] {
  return pathsOf(json).map((path) => [kind, ...path.filter((part) => !/^\d+$/.test(String(part)))].join('.'))
}

/** The places of the manifests of a world. Nodes and CSINodes have no manifest: a world makes them in the form of the model. */
function fieldsOfWorld(seed: number): ReadonlySet<string> {
  const { waiting, bound, storage, snapshot } = randomWorld(seed)
  const { storageClasses, persistentVolumes, persistentVolumeClaims } = storage
  const paths = [
    ...[...waiting, ...bound].flatMap((each) => pathsIn('Pod', each)),
    ...storageClasses.flatMap((each) => pathsIn('StorageClass', each)),
    ...persistentVolumes.flatMap((each) => pathsIn('PersistentVolume', each)),
    ...persistentVolumeClaims.flatMap((each) => pathsIn('PersistentVolumeClaim', each)),
    ...snapshot.objects.namespace.flatMap(({ name, labels }) => pathsIn('Namespace', { metadata: { name, labels } })),
    ...snapshot.objects.node.flatMap(({ name, meta, taints, unschedulable, allocatable }) =>
      pathsIn('Node', {
        metadata: { name, labels: meta.labels },
        spec: { ...(taints.length > 0 ? { taints } : {}), ...(unschedulable ? { unschedulable } : {}) },
        status: { allocatable },
      }),
    ),
    ...snapshot.objects.csiNode.flatMap(({ name, limits, unlimited = [] }) =>
      pathsIn('CSINode', {
        metadata: { name },
        spec: {
          drivers: [
            ...Object.entries(limits).map(([driver, count]) => ({ name: driver, allocatable: { count } })),
            ...unlimited.map((driver) => ({ name: driver })),
          ],
        },
      }),
    ),
  ]
  return new Set(paths.flatMap(placesAbove))
}
