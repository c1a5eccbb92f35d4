import { describe, expect, it } from 'vitest'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { worldOf } from './givenWorld.ts'
import { nextWorld } from './nextWorld.ts'
import type { Given, Want } from './scenario.ts'
import { verify } from './verify.ts'

const CLUSTER: Given = {
  pools: { default: { labels: 'team=a', taints: 'soft' } },
  nodes: { n1: { room: { cpu: 1 }, taints: 'soft' } },
  pods: {
    p: { count: 2, asks: { cpu: 1 }, select: 'arch=amd64', tolerates: 'soft' },
    big: { asks: { cpu: 512 }, tolerates: 'soft' },
  },
}

const RIGHT: Want = {
  claims: [{ pods: 1, pool: 'default', type: 'small', zone: 'z1 z2 z3', labels: 'team=a', taints: 'soft', requests: { cpu: 1, pods: 1 } }],
  nodes: 2,
  on: { n1: 1 },
  unplaced: { big: 'SCHEDULING.RESOURCES' },
  skew: { 'hostname p': [1, 1] },
  price: 0.4,
  says: 'short by',
}

/** One wrong field in the wanted result, and the message of the verification. */
const WRONG: { readonly [sentence: string]: { readonly want: Want; readonly says: string } } = {
  'another number of machines': { want: { ...RIGHT, claims: 2 }, says: '2 new machines, was 1' },
  'another pod on the machine': { want: { ...RIGHT, claims: [{ pods: 'p' }] }, says: 'with pods' },
  'another size': { want: { ...RIGHT, claims: [{ type: 'arm' }] }, says: 'with type "arm", was "small"' },
  'other sizes': { want: { ...RIGHT, claims: [{ types: 'small' }] }, says: 'with types' },
  'more sizes': { want: { ...RIGHT, claims: [{ typesAtLeast: 9 }] }, says: '9 types at least' },
  'sizes of another name': { want: { ...RIGHT, claims: [{ typesLike: 'small' }] }, says: 'with small only' },
  'another zone': { want: { ...RIGHT, every: { zone: 'z1' } }, says: 'with zones "z1"' },
  'another label': { want: { ...RIGHT, every: { labels: 'team=b' } }, says: 'label team "b", was "a"' },
  'no such label': { want: { ...RIGHT, every: { without: 'team' } }, says: 'label team "none"' },
  'a label it has not': { want: { ...RIGHT, every: { has: 'other' } }, says: 'some label other' },
  'no taint': { want: { ...RIGHT, every: { taints: '' } }, says: 'with taints' },
  'other requests': { want: { ...RIGHT, every: { requests: { cpu: 1 } } }, says: 'with requests' },
  'another requirement': { want: { ...RIGHT, every: { needs: 'arch=arm64' } }, says: 'with requirement' },
  'an annotation': { want: { ...RIGHT, every: { annotations: { a: 'b' } } }, says: 'annotation a' },
  'fewer machines in use': { want: { ...RIGHT, nodes: 1 }, says: 'pods on 1 machines, was 2' },
  'nobody on the node': { want: { ...RIGHT, on: { n1: '' } }, says: 'on n1: , was p-' },
  'nobody refused': { want: { ...RIGHT, unplaced: {} }, says: 'nobody else unplaced, was big SCHEDULING.RESOURCES' },
  'refused for another reason': { want: { ...RIGHT, unplaced: { big: 'POOL.LIMIT' } }, says: 'unplaced for POOL.LIMIT' },
  'somebody else refused': { want: { ...RIGHT, unplaced: { ...RIGHT.unplaced, p: 'POOL.LIMIT' } }, says: '2 of p unplaced, was 0' },
  'another spread': { want: { ...RIGHT, skew: { 'hostname p': [2] } }, says: 'hostname p spread 2, was 1,1' },
  'less in one place': { want: { ...RIGHT, fullest: { 'arch p': 1 } }, says: 'arch p at most 1 in one, was 2' },
  'all on one machine': { want: { ...RIGHT, together: ['p'] }, says: 'together: p' },
  'another price': { want: { ...RIGHT, price: 0.5 }, says: 'price 0.5, was 0.4' },
  'a lower price': { want: { ...RIGHT, priceAtMost: 0.3 }, says: 'price at most 0.3' },
  'other words': { want: { ...RIGHT, says: 'nonsense' }, says: "somebody is told 'nonsense'" },
}

describe('verification of scenarios', () => {
  const world = worldOf(CLUSTER)
  const decision = decideProvisioning(world.snapshot)

  it('finds nothing where the answer is as wanted', () => expect(verify(world, decision, RIGHT)).toEqual([]))

  for (const [sentence, { want, says }] of Object.entries(WRONG)) {
    it(`sees that ${sentence} was wanted`, () => expect(verify(world, decision, want).join('\n')).toContain(says))
  }

  it('finds one machine for each that is wanted, in whatever order', () => {
    const both = worldOf({ pods: { p: { select: 'zone=z1' }, q: { select: 'zone=z2' } } })
    const answer = decideProvisioning(both.snapshot)
    expect(verify(both, answer, { claims: [{ zone: 'z2' }, { pods: 1 }] })).toEqual([])
    expect(verify(both, answer, { claims: [{ zone: 'z2' }, { zone: 'z2' }] })).toHaveLength(1)
  })
})

describe('the world after a decision', () => {
  const world = worldOf({ pools: { default: { needs: 'zone=z2' } }, pods: { p: {} } })
  const decision = decideProvisioning(world.snapshot)

  it('has the machine, with the pod on it', () => {
    const { objects } = nextWorld(world, decision, { want: {} }).snapshot
    expect(objects.node.map((node) => node.meta.labels['topology.kubernetes.io/zone'])).toEqual(['z2'])
    expect(objects.pod.map((pod) => pod.nodeName)).toEqual(objects.node.map((node) => node.name))
  })

  it('has only what came so far', () => {
    const { objects, drafts } = nextWorld(world, decision, { stage: 'draft', want: {} }).snapshot
    expect([objects.node.length, objects.nodeClaim.length, drafts.length, objects.pod[0]?.nodeName]).toEqual([0, 0, 1, undefined])
  })

  it('lacks what is gone', () => {
    const { objects } = nextWorld(world, decision, { gone: 'nodes', want: {} }).snapshot
    expect([objects.node.length, objects.nodeClaim.length, objects.pod.length]).toEqual([0, 0, 0])
  })
})
