/** Quantities of outside objects that cannot be read: each field that holds one, found by what it refuses. */
import { describe, expect, it } from 'vitest'
import type { ObjectKind } from '../../model/clusterObjects.ts'
import { at, type Path, pathsOf, withMember } from '../testing/members.ts'
import { objectFromKube } from './object.ts'
import { FULL_OBJECTS } from './testing/fullObjects.ts'

/** `1e1.5` passes the patterns of published definitions, as for `spec.limits` of NodePools. */
const UNREADABLE = ['1e1.5', '--5', '1Gib', '', ' 1', '1 Gi', '0x10', '1,5', 'Infinity', 'NaN', '1e', '.', 'lots'] as const
/** The API server accepts these. */
const READABLE = ['1', '+1', '1.', '.5', '5e1', '5E-1', '1Ki', '1n', '1u', '1m', '1k', '1M', '1G', '1T', '1Ti', '0', '-0', '-1'] as const

/** The fields of pods in templates, below the template. */
const OF_TEMPLATES = [
  'spec.containers.resources.limits',
  'spec.containers.resources.requests',
  'spec.initContainers.resources.requests',
  'spec.overhead',
] as const
const inTemplate = OF_TEMPLATES.map((field) => `spec.template.${field}`)

/** The fields with quantities, without the positions in lists. A field that is read and has no row fails. */
const FIELDS: { readonly [Kind in ObjectKind]?: readonly string[] } = {
  pod: [
    'spec.containers.resources.requests',
    'spec.initContainers.resources.requests',
    'spec.overhead',
    'spec.resources.requests',
    'status.allocatedResources',
    'status.containerStatuses.allocatedResources',
    'status.containerStatuses.resources.requests',
    'status.initContainerStatuses.allocatedResources',
    'status.initContainerStatuses.resources.requests',
    'status.resources.requests',
  ],
  node: ['status.allocatable', 'status.capacity'],
  nodeClaim: ['spec.resources.requests', 'status.allocatable', 'status.capacity'],
  nodePool: ['spec.limits', 'status.resources'],
  nodeOverlay: ['spec.capacity'],
  capacityBuffer: ['spec.limits'],
  persistentVolumeClaim: ['spec.resources.requests'],
  persistentVolume: ['spec.capacity'],
  podTemplate: OF_TEMPLATES.map((field) => `template.${field}`),
  daemonSet: inTemplate,
  deployment: inTemplate,
  statefulSet: inTemplate,
  replicaSet: inTemplate,
  replicationController: inTemplate,
}

type Field = { readonly kind: ObjectKind; readonly json: object; readonly path: Path }

const fields: readonly Field[] = FULL_OBJECTS.flatMap(({ kind, json }) =>
  pathsOf(json)
    .filter((path) => typeof at(json, path) === 'string' && isQuantity(kind, json, path))
    .map((path) => ({ kind, json, path })),
)

function isQuantity(kind: ObjectKind, json: object, path: Path): boolean {
  const read = objectFromKube(kind, withMember(json, path, 'lots'))
  return JSON.stringify(read).includes('quantity \\"lots\\"')
}

function nameOf({ path }: Field): string {
  return path
    .slice(0, -1)
    .filter((step) => !/^\d+$/.test(String(step)))
    .join('.')
}

describe('a quantity', () => {
  it('is in these fields', () => {
    const found = Map.groupBy(fields, ({ kind }) => kind)
    const names = Object.fromEntries([...found].map(([kind, own]) => [kind, [...new Set(own.map(nameOf))].sort()]))
    expect(names).toEqual(FIELDS)
  })

  it.each(UNREADABLE)('%j is refused with its object, its field, the value and the rule, and never left out without a word', (value) => {
    const silent = fields.flatMap((field) => {
      const { kind, json, path } = field
      const read = objectFromKube(kind, withMember(json, path, value))
      const told = read.ok ? JSON.stringify(read.value) : JSON.stringify([read.error.message, read.error.path])
      const names = [`[\\"${path.at(-1)}\\"]`.replaceAll('\\', ''), JSON.stringify(value).slice(1, -1)]
      const plain = told.replaceAll('\\', '')
      const rule = /quantities must match|unable to parse/.test(plain)
      const isTold = rule && names.every((each) => plain.includes(each)) && (!read.ok || 'unreadableLimits' in read.value)
      return isTold ? [] : [`${kind} ${nameOf(field)}: ${plain.slice(0, 200)}`]
    })
    expect(silent).toEqual([])
  })

  it.each(READABLE)('%j is read', (value) => {
    const refused = fields.filter(({ kind, json, path }) => {
      const read = objectFromKube(kind, withMember(json, path, value))
      return !read.ok || 'unreadableLimits' in read.value
    })
    expect(refused.map(nameOf)).toEqual([])
  })
})

it('a NodePool with limits that cannot be read is read, and each of these limits is 0', () => {
  const { json } = FULL_OBJECTS.find(({ kind }) => kind === 'nodePool') ?? expect.fail('no NodePool')
  const limits = { cpu: '1e1.5', memory: '--5', 'example.com/disk': '1Gib', nodes: '3' }
  expect(objectFromKube('nodePool', withMember(json, ['spec', 'limits'], limits))).toMatchObject({
    ok: true,
    value: {
      limits: { cpu: 0, memory: 0, 'example.com/disk': 0, nodes: 3 },
      unreadableLimits: [
        expect.stringMatching(/^spec\.limits\["cpu"\]: quantity "1e1\.5": /),
        expect.stringMatching(/^spec\.limits\["memory"\]: quantity "--5": /),
        expect.stringMatching(/^spec\.limits\["example\.com\/disk"\]: quantity "1Gib": /),
      ],
    },
  })
})
