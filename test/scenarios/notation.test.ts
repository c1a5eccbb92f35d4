import { describe, expect, it } from 'vitest'
import { NotationError } from './notation.ts'
import { problemsOf } from './problemsOf.ts'
import type { Scenario } from './scenario.ts'

/** What nobody wrote by a type, such as parts that are spread from elsewhere. */
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
})
