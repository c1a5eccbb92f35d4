/** Objects that planning fails with: the decision about all other objects is that of a cluster without them. */
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../shared/base/json.ts'
import { isSame } from '../../shared/base/values.ts'
import { decide } from '../../shared/engine/loadedCluster.ts'
import { OBJECT_KINDS, type ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { largeWaves } from '../generators/largeWaves.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { wideSnapshot } from '../generators/wideSnapshot.ts'
import { shuffled } from '../scenarios/shuffle.ts'
import { casesOf } from './cases.ts'

const CASES = casesOf(40)
const MOST = 3

type Poison = { readonly kind: ObjectKind; readonly at: number; readonly field: string | undefined }

/** The names by which an object is told. All other fields, or one of them, fail when they are read. */
const TOLD: ReadonlySet<string | symbol> = new Set(['key', 'name', 'uid'])

function poisoned<Value extends object>(value: Value, field: string | undefined): Value {
  return new Proxy(value, {
    get(target, member, receiver): unknown {
      if (field === undefined ? !TOLD.has(member) : member === field) throw new Error(`no planning with ${String(member)}`)
      return Reflect.get(target, member, receiver)
    },
  })
}

function pick(random: Random, { objects }: ClusterSnapshot): readonly Poison[] {
  const all = OBJECT_KINDS.flatMap((kind) => objects[kind].map((value, at) => ({ kind, at, fields: Object.keys(value) })))
  const kinds = [...new Set(all.map(({ kind }) => kind))]
  return Array.from({ length: 1 + random.int(MOST) }, () => {
    const kind = random.pick(kinds)
    const { at, fields } = random.pick(all.filter((each) => each.kind === kind))
    const field = random.chance(0.5) ? undefined : random.pick(fields.filter((each) => !TOLD.has(each)))
    return { kind, at, field }
  })
}

/** The snapshot with its poison, or without the objects that have it. */
function changed(given: ClusterSnapshot, poison: readonly Poison[], isThere: boolean): ClusterSnapshot {
  const lists = OBJECT_KINDS.map((kind) => {
    const own = given.objects[kind].flatMap((value: object, at) => {
      const found = poison.find((each) => each.kind === kind && each.at === at)
      if (found === undefined) return [value]
      return isThere ? [poisoned(value, found.field)] : []
    })
    return [kind, own] as const
  })
  return { ...given, objects: { ...given.objects, ...Object.fromEntries(lists) } }
}

function told({ leftOut = [] }: Decision): readonly string[] {
  return leftOut.map(({ kind, name }) => `${kind} ${name}`).sort()
}

function nameOf(given: ClusterSnapshot, { kind, at }: Poison): string {
  const value = given.objects[kind][at]
  return `${kind} ${value === undefined ? '' : 'key' in value ? value.key : value.name}`
}

/** What becomes of the waiting pods. */
function placesIn({ actions, reasons }: Decision) {
  const creates = actions.flatMap((action) => (action.kind === 'createClaim' ? [[action.draft, action.pods]] : []))
  return { creates, refused: reasons.filter(({ subject, code }) => subject.kind === 'pod' && code !== 'INTERNAL.LEFT_OUT') }
}

/** Kinds without which the machines of the cluster are as they are. */
const APART: ReadonlySet<ObjectKind> = new Set(['nodePool', 'nodeClass', 'daemonSet', 'persistentVolumeClaim', 'namespace', 'nodeOverlay'])

function isApart(given: ClusterSnapshot, { kind, at }: Poison): boolean {
  return kind === 'pod' ? given.objects.pod[at]?.nodeName === undefined : APART.has(kind)
}

/** Decisions about the large waves take a hundred times as long as the others. */
const WORLDS = {
  random: { build: randomSnapshot, cases: CASES },
  wide: { build: wideSnapshot, cases: CASES },
  waves: { build: largeWaves, cases: Math.ceil(CASES / 15) },
}

describe.each(Object.entries(WORLDS))('one to three objects of a %s cluster that planning fails with', (_, { build, cases }) => {
  it('are left out and named, and no others; the others are decided about as in a cluster without these', () => {
    let failures = 0
    let compared = 0
    let others = 0
    for (let seed = 1; seed <= cases; seed++) {
      const random = createRandom(seed * 101)
      const given = build(seed)
      const poison = pick(random, given)
      const bad = changed(given, poison, true)
      const decision = decide(bad)
      const names = new Set(poison.map((each) => nameOf(given, each)))
      // What fails only together with other objects may show as a failure of these.
      const found = told(decision)
      expect(found.length, `seed ${seed}: ${found.join()}, not ${[...names].join()}`).toBeLessThanOrEqual(2 * names.size)
      others += found.filter((name) => !names.has(name)).length
      if (decision.leftOut === undefined) continue
      failures++
      if (!isSame(told(decision), [...names].sort()) || !poison.every((each) => isApart(given, each))) continue
      compared++
      expect(placesIn(decision), `seed ${seed}`).toEqual(placesIn(decide(changed(given, poison, false))))
    }
    expect(failures).toBeGreaterThan(cases / 4)
    expect(others).toBeLessThan(failures / 2)
    // No pod of the large waves is pending.
    if (build !== largeWaves) expect(compared).toBeGreaterThan(cases / 20)
  }, 120_000)
})

describe('a size that planning fails with', () => {
  it('is left out, and pods get other sizes', () => {
    const given = snapshot({ objects: { pod: pods(3) } })
    const sizes = [...given.instanceTypes].map(
      ([nodeClass, types]) => [nodeClass, types.map((type, at) => (at === 2 ? poisoned(type, 'offerings') : type))] as const,
    )
    const decision = decide({ ...given, instanceTypes: new Map(sizes) })
    expect(told(decision)).toEqual(['instanceType default/Standard_D8as_v6'])
    expect(placesIn(decision)).toMatchObject({ creates: [expect.anything()], refused: [] })
  })
})

describe('a running pod that planning fails with', () => {
  const claims = ['default-bad', 'default-good']
  const objects = (pod: readonly Pod[]) => ({
    nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }] } })],
    node: claims.map((claim) => node({ claim })),
    nodeClaim: claims.map((name) => nodeClaim({ name })),
    pod,
  })
  const running = pod({ name: 'runs', nodeName: nodeNameOf('default-bad') })
  const goneOf = ({ actions }: Decision) => actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : []))

  it('keeps its node, which only looks empty; another empty node goes', () => {
    const decision = decide(snapshot({ objects: objects([poisoned(running, 'requests')]) }))
    expect(told(decision)).toEqual(['pod default/runs'])
    expect(goneOf(decision)).toEqual(['default-good'])
  })

  it('keeps all nodes if its node cannot be told, and waiting pods get machines', () => {
    const decision = decide(snapshot({ objects: objects([poisoned(running, 'nodeName'), ...pods(1, { cpus: 12 })]) }))
    expect(goneOf(decision)).toEqual([])
    expect(decision.actions.filter(({ kind }) => kind === 'createClaim')).toHaveLength(1)
  })

  it('is told by an Event and a reason', () => {
    const decision = decide(snapshot({ objects: { pod: [poisoned(pod({ name: 'bad' }), 'requests'), pod({ name: 'good' })] } }))
    expect(decision.reasons).toContainEqual({
      code: 'INTERNAL.LEFT_OUT',
      subject: { kind: 'pod', name: 'default/bad' },
      message: expect.stringMatching(
        /^joiner left it out of its decision, since planning fails with it: no planning with requests; to do: /,
      ),
    })
    expect(decision.actions).toContainEqual({
      kind: 'publish',
      event: expect.objectContaining({ reason: 'FailedScheduling', uid: 'uid-default-bad', subject: { kind: 'pod', name: 'default/bad' } }),
    })
  })
})

describe('a decision without some objects', () => {
  it('is the same whatever the order of the objects', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const given = randomSnapshot(seed)
      const bad = changed(given, pick(createRandom(seed * 101), given), true)
      expect(canonicalJson(decide(shuffled(bad, seed))), `seed ${seed}`).toBe(canonicalJson(decide(bad)))
    }
  })
})
