/** An existing node, a NodePool and a single instance type refuse pods for a lack of room with the same kind of verdict. */
import { describe, expect, it } from 'vitest'
import { explained, STORAGE } from '../../../../test/scenarios/explained.ts'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import { worldOf } from '../../../../test/scenarios/givenWorld.ts'
import type { Given, NodeGiven, PodGiven } from '../../../../test/scenarios/scenario.ts'
import { explainNode } from '../explain/explainPod.ts'
import type { RoomVerdict } from './room.ts'

/** The lacks that one machine can have. `atOnce` is a lack of several instance types. */
type Lack = Exclude<RoomVerdict['kind'], 'atOnce'>

type Daemons = NonNullable<Given['daemons']>

type Lacking = { readonly daemons?: Daemons; readonly pod: PodGiven; readonly node?: NodeGiven }

/** DaemonSets that run on the instance type `small` only. */
const ON_SMALL = 'type=small'

/** How `small` and a node of it lack room. A verdict further up in this table is found first. */
const LACKS: { readonly [Kind in Lack]: Lacking } = {
  daemons: { daemons: { heavy: { select: ON_SMALL, asks: { memory: 5 } } }, pod: {} },
  amount: { pod: { asks: { cpu: 6 } } },
  disks: { pod: { mounts: 'one two' }, node: { attach: { 'disk.csi.azure.com': 1 } } },
  ports: { daemons: { proxy: { select: ON_SMALL, ports: '80' } }, pod: { ports: '80' } },
  daemonNeighbours: { daemons: { agent: { select: ON_SMALL, namespace: 'default' } }, pod: { apart: 'app=agent over hostname' } },
}

const SMALL = { ...size('small', { offerings: [sold(0.1, 'z1')] }), maxDataDisks: 1 }
const LARGE = { ...size('large', { cpus: 8, offerings: [sold(1, 'z1')] }), maxDataDisks: 8 }

function worldWith(lacks: readonly Lack[], more: Given & { readonly pod?: PodGiven }): Given {
  const { pod: own, ...rest } = more
  const lacking = lacks.map((lack) => LACKS[lack])
  const pod = lacking.reduce<PodGiven>((all, each) => ({ ...all, ...each.pod }), { ...own })
  const daemons = lacking.reduce<Daemons>((all, each) => ({ ...all, ...each.daemons }), {})
  return { ...STORAGE.twoDisks, daemons, pods: { p: pod }, ...rest }
}

/** What may refuse the pod `p`, and the kind of the verdict. Undefined if nothing refuses. */
const KIND_BY: { readonly [refuser: string]: (lacks: readonly Lack[]) => string | undefined } = {
  'an existing node': (lacks) => {
    const more = lacks.reduce<NodeGiven>((all, lack) => ({ ...all, ...LACKS[lack].node }), {})
    const nodes = { n1: { labels: 'type=small zone=z1', stage: 'registered', ...more } } as const
    const found = explained({ given: worldWith(lacks, { types: [SMALL], nodes }), want: {} })
    return found.kind === 'refused' ? found.machines[0]?.verdict.kind : found.kind
  },
  'a NodePool': (lacks) => {
    const found = explained({ given: worldWith(lacks, { types: [SMALL] }), want: {} })
    return found.kind === 'refused' ? found.pools[0]?.verdict.kind : found.kind
  },
  'an instance type that is cheaper than a new claim': (lacks) => {
    const found = explained({ given: worldWith(lacks, { types: [SMALL, LARGE] }), want: {} })
    return found.kind === 'onNewClaim' ? found.claim.cheaper[0]?.because.kind : found.kind
  },
  'an instance type that is cheaper than a node that is up': (lacks) => {
    const nodes = { n1: { labels: 'type=large zone=z1', room: { cpu: 7.9 } } } as const
    return cheaperThan(worldWith(lacks, { types: [SMALL, LARGE], nodes, pod: { on: 'n1' } }))
  },
  'an instance type that is cheaper than a claim without a node': (lacks) => {
    const bought = lacks.includes('amount') ? { cpu: 6 } : {}
    const nodes = { n1: { labels: 'type=large zone=z1', room: { cpu: 7.9 }, stage: 'launched', bought } } as const
    return cheaperThan(worldWith(lacks, { types: [SMALL, LARGE], nodes }))
  },
}

function cheaperThan(given: Given): string | undefined {
  const result = explainNode(worldOf(given).snapshot, 'n1')
  if (!result.ok) return result.error.message
  return result.value.kind === 'there' ? result.value.cheaper[0]?.because.kind : result.value.kind
}

const KINDS = Object.keys(LACKS) as Lack[]
const PAIRS = KINDS.flatMap((first, index) => KINDS.slice(index + 1).map((second) => [first, second] as const))

for (const [refuser, kindOf] of Object.entries(KIND_BY)) {
  describe(`${refuser} refuses`, () => {
    // No plan offers a node whose DaemonSets take more than it has.
    const isOffered = (lack: Lack): boolean => lack !== 'daemons' || refuser !== 'an existing node'
    for (const lack of KINDS.filter(isOffered)) it(`for ${lack}`, () => expect(kindOf([lack])).toBe(lack))
    for (const [first, second] of PAIRS.filter(([each]) => isOffered(each))) {
      it(`for ${first} before ${second}`, () => expect(kindOf([first, second])).toBe(first))
    }
  })
}

it('no existing node is offered whose DaemonSets take more than it has', () => {
  expect(KIND_BY['an existing node']?.(['daemons'])).toBeUndefined()
})

it('a NodePool names the last lack of instance types that lack different things', () => {
  const types = [SMALL, size('other', { offerings: [sold(0.1, 'z1')] })]
  const daemons = { proxy: { select: ON_SMALL, ports: '80' }, agent: { select: 'type=other', namespace: 'default' } } as const
  const found = explained({ given: { types, daemons, pods: { p: { ports: '80', apart: 'app=agent over hostname' } } }, want: {} })
  expect(found).toMatchObject({ kind: 'refused', pools: [{ verdict: { kind: 'daemonNeighbours', daemonSets: ['default/agent'] } }] })
})

it('a NodePool counts only instance types with room for its limits', () => {
  const types = [SMALL, LARGE]
  const given = { types, daemons: LACKS.ports.daemons ?? {}, pools: { default: { limits: { cpu: 4 } } }, pods: { p: LACKS.ports.pod } }
  const found = explained({ given, want: {} })
  expect(found).toMatchObject({ kind: 'refused', pools: [{ verdict: { kind: 'limit', resource: 'cpu', asked: 8000, had: 4000 } }] })
})
