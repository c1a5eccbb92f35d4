import { describe, expect, it } from 'vitest'
import type { Requirement, RequirementSpec, Requirements } from '../../shared/model/requirements.ts'
import { firstFitOracle } from '../oracle/firstFitOracle.ts'
import type { OracleAnswer, Quirks } from '../oracle/oracleAnswer.ts'
import type { PeerAnswer } from './peerAnswer.ts'
import { HAS_PEER_SCENARIOS, type PeerScenario, peerScenarios } from './peerScenarios.ts'
import { FEWER_VALUES, OTHERS_PLACED, TIED, titleOf } from './ties.ts'

const NO_LABEL = 'a label that no pool defines, and that a pod must not have, is no requirement of the claim'

/** Scenarios in which the oracle without the peer's quirks differs from the peer, and why the oracle is right. */
const PUT_RIGHT: { readonly [scenario: string]: string } = {
  'f02-selectors-0101': NO_LABEL,
  'f02-selectors-0119': NO_LABEL,
  'f02-selectors-0124': NO_LABEL,
  'f04-pools-0105': 'a limit on nodes counts the nodes asked for in the same pass',
  ...FEWER_VALUES,
  ...OTHERS_PLACED,
  'f11-mixture-0120': 'a pod that gave up a preference is still spread among those placed before',
}

const scenarios = HAS_PEER_SCENARIOS ? peerScenarios() : []

describe.skipIf(!HAS_PEER_SCENARIOS)(titleOf('the oracle'), () => {
  it('place and refuse the same pods in the same places at the same price, but for the listed ties', () => {
    const different = differing((each) => firstFitOracle(each.snapshot, { quirks: 'upstream' }))
    expect(different).toEqual(Object.keys(TIED))
    const tied = scenarios.filter(({ features }) => features.includes('claimOrderTies')).map(({ name }) => name)
    expect(different.filter((name) => !tied.includes(name))).toEqual([])
  })

  it('agree in every detail once ties fall as the peer let them', () => {
    for (const scenario of scenarios) {
      expect(comparable(followingTies(scenario, 'upstream')), scenario.name).toEqual(peerOf(scenario.answer))
    }
  })

  it('agree but for the listed scenarios with the oddities put right', () => {
    expect(differing((each) => followingTies(each, 'fixed'))).toEqual(Object.keys(PUT_RIGHT).sort())
  })

  it('place the same pods in every scenario but for the listed ones, whatever is put right and however ties fall', () => {
    const others = scenarios.filter((scenario) => {
      const { unplaced } = firstFitOracle(scenario.snapshot)
      return [...unplaced.keys()].sort().join() !== [...scenario.answer.unschedulable.keys()].sort().join()
    })
    expect(others.map(({ name }) => name)).toEqual(Object.keys(OTHERS_PLACED))
  })
})

/** The parts of an answer that the oracle and the peer share, in one form. */
type Comparable = {
  readonly unplaced: readonly string[]
  readonly targets: readonly unknown[]
  readonly claims: readonly unknown[]
  readonly price: number
}

function differing(answerTo: (scenario: PeerScenario) => OracleAnswer): readonly string[] {
  return scenarios.filter((each) => !isDeepEqual(comparable(answerTo(each)), peerOf(each.answer))).map(({ name }) => name)
}

function followingTies({ snapshot, answer }: PeerScenario, quirks: Quirks): OracleAnswer {
  const mates = new Map(answer.claims.flatMap(({ pods }) => pods.map((pod) => [pod, pods[0]] as const)))
  return firstFitOracle(snapshot, { quirks, prefersClaim: (pod, first) => mates.get(pod) === first })
}

function comparable({ unplaced, targets, claims, price }: OracleAnswer): Comparable {
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

/** Prints requirements as the peer writes them: a key with bounds loses its exclusions. */
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
