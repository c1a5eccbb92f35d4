import { describe, expect, it } from 'vitest'
import type { MoveScenario } from './disruption/moveScenario.ts'
import { problemsOfMoves } from './disruption/verifyMoves.ts'
import { worldOf } from './givenWorld.ts'
import { NotationError } from './notation.ts'
import { problemsOf } from './problemsOf.ts'
import type { Scenario } from './scenario.ts'

/** A scenario from parts that the types do not check, for example from spread objects. */
const scenario = (parts: object): Scenario => ({ given: {}, want: {}, ...parts }) as Scenario
const pods = (pod: object) => ({ given: { pods: { p: pod } } })

describe('the notation of the scenarios refuses', () => {
  it.each<[string, object]>([
    ['a word of a scenario', { wants: {} }],
    ['a word of what is given', { given: { pod: {} } }],
    ['a word of a pod', pods({ ask: { cpu: 1 } })],
    ['a word of a pod that comes later', { then: [{ given: { pods: { q: { need: 'zone in z1' } } }, want: {} }] }],
    ['a word of a spread', pods({ spread: [{ over: 'zone', skw: 1 }] })],
    ['a word of a pool', { given: { pools: { default: { need: 'zone in z1' } } } }],
    ['a word of a node', { given: { nodes: { n: { rooms: {} } } } }],
    ['a word of what is wanted', { want: { claim: 1 } }],
    ['a word of a wanted machine', { want: { claims: [{ pod: 1 }] } }],
    ['a word of a neighbour', pods({ near: [{ term: 'app=db over zone', namespace: 'a' }] })],
    ['a word of one to keep away from', pods({ apart: [{ of: 'app=db over zone' }] })],
    ['a word of a start', pods({ start: [{ sidecars: { cpu: 1 } }] })],
    ['a setting', { given: { settings: { place: 'price' } } }],
    ['a word of a daemon', { given: { daemons: { d: { ask: {} } } } }],
    ['a word of a pod of a workload', { given: { workloads: { w: { kind: 'Deployment', pod: { ask: {} } } } } }],
    ...(['budgets', 'volumeClaims', 'volumes', 'classes', 'workloads', 'overlays', 'buffers', 'promised'] as const).map(
      (kind): [string, object] => [`a word of ${kind}`, { given: { [kind]: { one: { words: 1 } } } }],
    ),
    ['an operator', pods({ needs: 'zone inside z1' })],
    ['a value of what is only there', pods({ needs: 'zone exists z1' })],
    ['a comparison with nothing', pods({ needs: 'cpus >' })],
    ['a least number that is none', pods({ needs: 'zone exists min many' })],
    ['a label without a value', { given: { pools: { default: { labels: 'team' } } } }],
    ['an effect of a taint', { given: { pools: { default: { taints: 'team=a:NoSchedul' } } } }],
    ['an effect of a toleration', pods({ tolerates: 'team:Never' })],
    ['a port', pods({ ports: 'http' })],
    ['a protocol', pods({ ports: '80/HTTP' })],
    ['an amount', pods({ asks: { cpu: 'much' } })],
    ['neighbours without a domain', pods({ near: 'app=db' })],
  ])('%s that there is not', (_what, parts) => {
    expect(() => problemsOf(scenario(parts), 'price')).toThrow(NotationError)
  })

  it('a word of a world that no scenario is about', () => {
    expect(() => worldOf(scenario({ given: { pod: {} } }).given)).toThrow("given has no word 'pod'")
  })

  it.each<[string, object, string]>([
    ['a word of a scenario about moves', { wants: {} }, "scenario has no word 'wants'"],
    ['a word of what is given there', { given: { polices: {} } }, "given has no word 'polices'"],
    ['a word of a policy', { given: { policies: { default: { consolidate: '0s' } } } }, "policies.default has no word 'consolidate'"],
    ['a word of a budget', { given: { policies: { default: { budgets: [{ node: '1' }] } } } }, "budgets has no word 'node'"],
    ['a word of a move that is wanted', { want: { stay: {} } }, "want has no word 'stay'"],
    ['a reason to go', { want: { goes: { Empty: '', Drift: '' } } }, "want.goes has no word 'Drift'"],
  ])('%s that there is not', (_what, parts, says) => {
    expect(() => problemsOfMoves({ given: {}, want: {}, ...parts } as MoveScenario)).toThrow(says)
  })
})
