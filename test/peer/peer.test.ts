import { describe, expect, it } from 'vitest'
import type { RequirementSpec } from '../../shared/model/requirement.ts'
import type { Requirement, Requirements } from '../../shared/model/requirements.ts'
import { firstFitOracle } from '../oracle/firstFitOracle.ts'
import type { OracleAnswer } from '../oracle/oracleAnswer.ts'
import type { PeerAnswer } from './peerAnswer.ts'
import { HAS_PEER_SCENARIOS, type PeerScenario, peerScenarios } from './peerScenarios.ts'

const TIES = 'open claims with equally many pods come in another order: the peer sorts them with an unstable sort'

/** Where the oracle, left to itself, answers differently, and why; both sides are right. */
const DIFFERENT: { readonly [scenario: string]: string } = {
  'f04-pools-0105': TIES,
  'f04-pools-0119': TIES,
  'f10-containers-0105': TIES,
  'f10-containers-0110': TIES,
  'f10-containers-0114': TIES,
  'f11-mixture-0105': TIES,
  'f11-mixture-0115': TIES,
  'f12-gpu-arm-0110': TIES,
}

const scenarios = HAS_PEER_SCENARIOS ? peerScenarios() : []

describe.skipIf(!HAS_PEER_SCENARIOS)(
  `the oracle and the peer${HAS_PEER_SCENARIOS ? '' : ' (skipped: ../shared/data/peer-scheduling is not there)'}`,
  () => {
    it('place and refuse the same pods in the same places at the same price, but for the listed ties', () => {
      const different = scenarios.filter((each) => !isDeepEqual(oracleOf(each), peerOf(each.answer))).map(({ name }) => name)
      expect(different).toEqual(Object.keys(DIFFERENT))
      const tied = scenarios.filter(({ features }) => features.includes('claimOrderTies')).map(({ name }) => name)
      expect(different.filter((name) => !tied.includes(name))).toEqual([])
    })

    it('refuse the same pods in every scenario', () => {
      for (const scenario of scenarios) {
        expect([...answerTo(scenario).unplaced.keys()].sort(), scenario.name).toEqual([...scenario.answer.unschedulable.keys()].sort())
      }
    })

    it('agree in every detail once ties fall as the peer let them', () => {
      for (const scenario of scenarios) expect(oracleOf(scenario, true), scenario.name).toEqual(peerOf(scenario.answer))
    })
  },
)

/** What both can say, in one form. */
type Comparable = {
  readonly unplaced: readonly string[]
  readonly targets: readonly unknown[]
  readonly claims: readonly unknown[]
  readonly price: number
}

function answerTo({ snapshot, answer }: PeerScenario, followsTies = false): OracleAnswer {
  if (!followsTies) return firstFitOracle(snapshot, { quirks: 'upstream' })
  const mates = new Map(answer.claims.flatMap(({ pods }) => pods.map((pod) => [pod, pods[0]] as const)))
  return firstFitOracle(snapshot, { quirks: 'upstream', prefersClaim: (pod, first) => mates.get(pod) === first })
}

function oracleOf(scenario: PeerScenario, followsTies = false): Comparable {
  const { unplaced, targets, claims, price } = answerTo(scenario, followsTies)
  return {
    unplaced: [...unplaced.keys()].sort(),
    targets: [...targets].sort(byName),
    claims: claims
      .map(({ pool, pods, requirements, requests, instanceTypes, cheapest }) => ({
        nodePool: pool,
        pods,
        requirements: printed(requirements),
        requests,
        instanceTypes,
        cheapest,
      }))
      .sort(byFirstPod),
    price,
  }
}

function peerOf({ unschedulable, existing, claims, price }: PeerAnswer): Comparable {
  return { unplaced: [...unschedulable.keys()].sort(), targets: [...existing].sort(byName), claims: [...claims].sort(byFirstPod), price }
}

/** As the peer writes requirements: with bounds, exclusions are lost. */
function printed(requirements: Requirements): readonly RequirementSpec[] {
  return [...requirements.values()].sort((first, second) => (first.key < second.key ? -1 : 1)).flatMap(printedOne)
}

function printedOne({ key, complement, values, gte, lte, minValues }: Requirement): readonly RequirementSpec[] {
  const counted = minValues === undefined ? {} : { minValues }
  const bounds = [...(gte === undefined ? [] : [['Gte', gte] as const]), ...(lte === undefined ? [] : [['Lte', lte] as const])]
  if (bounds.length > 0) return bounds.map(([operator, bound]) => ({ key, operator, values: [String(bound)], ...counted }))
  const operator = complement ? (values.length > 0 ? 'NotIn' : 'Exists') : values.length > 0 ? 'In' : 'DoesNotExist'
  return [{ key, operator, values, ...counted }]
}

function byName([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number {
  return first < second ? -1 : 1
}

function byFirstPod(first: { readonly pods: readonly string[] }, second: { readonly pods: readonly string[] }): number {
  return (first.pods[0] ?? '') < (second.pods[0] ?? '') ? -1 : 1
}

function isDeepEqual(first: Comparable, second: Comparable): boolean {
  try {
    expect(first).toEqual(second)
    return true
  } catch {
    return false
  }
}
