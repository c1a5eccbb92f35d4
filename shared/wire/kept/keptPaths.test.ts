import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OBJECT_KINDS, type ObjectKind } from '../../model/clusterObjects.ts'
import { isObject } from '../codec.ts'
import { objectFromKube } from '../kube/object.ts'
import { FULL_OBJECTS } from '../kube/testing/fullObjects.ts'
import { at, pathsOf, withMember } from '../testing/members.ts'
import type { Kept } from './kept.ts'
import { KEPT_PATHS } from './keptPaths.ts'
import { mayKeep, secretPathsIn } from './mayKeep.ts'
import { createPrune, isRules } from './prune.ts'
import { type AskedPath, pathOf, recorded } from './testing/askedPaths.ts'
import { SAMPLES } from './testing/samples.ts'
import { KEPT_LISTS } from './told.ts'

type Json = { readonly [member: string]: unknown }

/** The objects of a kind with every member, and each of them without one member. */
function variantsOf(kind: ObjectKind): readonly unknown[] {
  return samplesOf(kind).flatMap((json) => [json, ...pathsOf(json).map((path) => withMember(json, path, undefined))])
}

function samplesOf(kind: ObjectKind): readonly Json[] {
  return [...FULL_OBJECTS, ...SAMPLES].filter((each) => each.kind === kind).map(({ json }) => json)
}

/**
 * Members that no reader asks for any more, but those of the last release do. They stay in the lists for one release: an app that goes back to the
 * last release reads objects by the later lists that the shim has learned, and would take a missing member for its default.
 */
const FORMER: { readonly [Kind in ObjectKind]?: readonly AskedPath[] } = {}

function askedOf(kind: ObjectKind): readonly AskedPath[] {
  const asked = new Set<string>()
  for (const json of variantsOf(kind)) {
    const record = recorded(json)
    // To name the place of a failure, the whole object is searched.
    if (objectFromKube(kind, record.object).ok) for (const each of record.asked) asked.add(each)
  }
  return [...asked].map(pathOf)
}

/** The paths that a list names. */
function leavesOf(kept: Kept): readonly AskedPath[] {
  if (kept === true) return [[]]
  if (isRules(kept)) return kept.flatMap(({ keep }) => leavesOf(keep))
  const members = Object.entries(kept)
  return members.length === 0 ? [[]] : members.flatMap(([name, inner]) => leavesOf(inner).map((path) => [name, ...path]))
}

function isAsked(leaf: AskedPath, asked: readonly AskedPath[]): boolean {
  const fits = (name: string, other: string | undefined): boolean =>
    name === other || (name.endsWith('*') && other?.startsWith(name.slice(0, -1)) === true)
  return asked.some((path) => leaf.every((name, index) => fits(name, path[index])))
}

const pruners = new Map(OBJECT_KINDS.map((kind) => [kind, createPrune(KEPT_PATHS[kind])]))

/** The object as it is read whole and pruned. Undefined if it cannot be read: the API server serves no such object. */
function bothWays(kind: ObjectKind, json: unknown): { readonly whole: string; readonly pruned: string } | undefined {
  const whole = objectFromKube(kind, json)
  const pruned: unknown = JSON.parse(JSON.stringify(pruners.get(kind)?.(json)))
  return whole.ok ? { whole: JSON.stringify(whole), pruned: JSON.stringify(objectFromKube(kind, pruned)) } : undefined
}

describe.each(OBJECT_KINDS)('the kept paths of a %s', (kind) => {
  const asked = askedOf(kind)

  it('hold every member that a reader asks for', () => {
    expect(asked.filter((path) => !mayKeep(KEPT_PATHS[kind], path)).map((path) => path.join(' '))).toEqual([])
  })

  it('hold no member that no reader asks for', () => {
    const leaves = leavesOf(KEPT_PATHS[kind])
    const all = [...asked, ...(FORMER[kind] ?? [])]
    expect(leaves.filter((leaf) => !isAsked(leaf, all)).map((path) => path.join(' '))).toEqual([])
  })

  it('leave the object as it is read, with and without each member', () => {
    const other = variantsOf(kind).filter((json) => {
      const both = bothWays(kind, json)
      return both?.whole !== both?.pruned
    })
    expect(other).toEqual([])
  })

  it('leave any object as it is read, and none of its other members', () => {
    fc.assert(
      fc.property(fc.constantFrom(...samplesOf(kind)), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 }), (json, steps) => {
        const other = steps.reduce<unknown>((before, step) => changed(kind, before, step), json)
        const both = bothWays(kind, other)
        expect(both?.pruned).toEqual(both?.whole)
        expect(JSON.stringify(pruners.get(kind)?.(other))).not.toContain(SECRET)
      }),
      { numRuns: 300 },
    )
  })
})

const STRANGE = 'zStrange'
it('no list keeps what may be a secret', () => {
  expect(secretPathsIn(KEPT_PATHS)).toEqual([])
})

it('a list that keeps what may be a secret is found, however it says so', () => {
  const found = secretPathsIn({
    ...KEPT_PATHS,
    pod: { spec: { containers: true, 'init*': { '*': {} }, ephemeralContainers: [{ where: [], keep: { env: { name: true } } }] } },
    nodePool: { metadata: { annotations: true } },
  })
  const all = ['env', 'envFrom', 'command', 'args', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']
  expect(found).toEqual([
    ...['containers', 'initContainers'].flatMap((list) => all.map((member) => `pod spec.${list}.${member}`)),
    'pod spec.ephemeralContainers.env',
    'nodePool metadata.annotations.kubectl.kubernetes.io/last-applied-configuration',
  ])
})

/** A hash of the lists of each number. A shim follows the lists with the largest number that it was told. */
const HASHES: { readonly [number: number]: string } = { 1: 'eb709ce5d061', 2: 'eb845b8b9c57' }

const CHANGED = 'the lists changed since their release: raise their number, add its hash here, and keep what was kept, as FORMER says'

it('other lists have another number', () => {
  const text = JSON.stringify(KEPT_PATHS)
  expect(hash('sha256', text).slice(0, 12), CHANGED).toBe(HASHES[KEPT_LISTS.number])
})

const SECRET = 'a-secret'

/** Values that tests of the lists compare with, and some that no reader takes. */
const VALUES: readonly unknown[] = [
  '',
  null,
  0,
  7,
  true,
  false,
  'Always',
  'Running',
  'Pending',
  'False',
  'Ready',
  'PodScheduled',
  'PodResizePending',
  'Infeasible',
  'Unschedulable',
  'default-scheduler',
  'PreemptLowerPriority',
  'karpenter.sh/unregistered',
  {},
  [],
]

/** Removes a member, replaces it, or adds a member that no reader knows. */
function changed(kind: ObjectKind, json: unknown, [place, what]: readonly [number, number]): unknown {
  const paths = pathsOf(json)
  const path = paths[place % Math.max(1, paths.length)]
  if (path === undefined) return json
  const choice = what % (VALUES.length + 2)
  if (choice === VALUES.length) return withMember(json, path, undefined)
  if (choice < VALUES.length) return withMember(json, path, VALUES[choice])
  const held = at(json, path)
  const isStranger = isObject(held) && !mayKeep(KEPT_PATHS[kind], [...path.filter((step) => !/^\d+$/.test(step)), STRANGE])
  return isStranger ? withMember(json, path, { ...held, [STRANGE]: SECRET }) : json
}
