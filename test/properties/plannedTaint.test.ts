import { describe, expect, it } from 'vitest'
import { decide } from '../../shared/engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Action, Decision } from '../../shared/model/decision.ts'
import { durationMs } from '../../shared/model/units.ts'
import { createRandom } from '../agreement/random.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(120)
const MOST = 3

/** A random cluster whose machines are quiet, with budgets that some moves use up. One in four clusters has waiting pods. */
function cluster(seed: number): ClusterSnapshot {
  const random = createRandom(seed * 37)
  const { objects, settings, ...rest } = randomSnapshot(seed)
  const pod = seed % 4 === 0 ? objects.pod : objects.pod.filter(({ nodeName }) => nodeName !== undefined)
  const nodePool = objects.nodePool.map((pool) => ({
    ...pool,
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized' as const,
      consolidateAfter: durationMs(0),
      budgets: [{ nodes: random.pick(['0', '1', '1', '2']) }],
    },
  }))
  // A node that is not ready uses up the budget of its pool.
  const pools = new Set<string | undefined>()
  const node = objects.node.map((each) => {
    const pool = each.meta.labels['karpenter.sh/nodepool']
    const isFirst = !pools.has(pool)
    pools.add(pool)
    return isFirst ? { ...each, conditions: each.conditions.filter(({ type }) => type !== 'Ready') } : each
  })
  return { ...rest, settings: { ...settings, mostPlannedTaints: MOST }, objects: { ...objects, pod, node, nodePool } }
}

/** The cluster with the taint on some nodes, of any age, also on nodes that no claim made. */
function tainted({ objects, ...rest }: ClusterSnapshot, seed: number): ClusterSnapshot {
  const random = createRandom(seed * 41)
  const node = objects.node.map((each) => {
    const value = random.pick(['', 'soon', `${Math.floor(rest.takenAt / 1_000) - random.int(7_200)}`])
    const taint = { key: 'joiner.dev/disruption-planned', value, effect: 'PreferNoSchedule' } as const
    return random.chance(0.5) ? { ...each, taints: [...each.taints, taint] } : each
  })
  return { ...rest, objects: { ...objects, node } }
}

function withoutTaints({ actions, ...rest }: Decision) {
  return { ...rest, actions: actions.filter(({ kind }) => kind !== 'taintPlanned') }
}

function namedBy({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'taintPlanned' && action.plannedAt !== undefined ? [action.node] : []))
}

function machineOf({ objects }: ClusterSnapshot, name: string): { readonly claim: string; readonly node: string } {
  const id = objects.node.find((each) => each.name === name)?.providerId
  return { claim: objects.nodeClaim.find(({ status }) => status.providerId === id)?.name ?? '', node: name }
}

function goesBy(action: Action): readonly string[] {
  if (action.kind === 'startCommand') return action.command.candidates.map(({ claim }) => claim)
  return action.kind === 'deleteClaim' ? [action.claim] : []
}

describe(`in ${CASES} random clusters`, () => {
  it('the taint of planned nodes changes nothing that is decided, whatever nodes have it', () => {
    for (const seed of seedsOf(CASES)) {
      const given = cluster(seed)
      const { settings, ...rest } = given
      const { mostPlannedTaints: _, ...others } = settings
      const plain = withoutTaints(decide({ ...rest, settings: others }))
      expect(withoutTaints(decide(given)), `seed ${seed}, with the setting`).toEqual(plain)
      expect(withoutTaints(decide(tainted(given, seed))), `seed ${seed}, with taints`).toEqual(plain)
    }
  }, 120_000)

  it('nodes get it that only a budget holds, and no more than the setting says', () => {
    const HELD = new Set(['DISRUPTION.BUDGET', 'DISRUPTION.WINDOW'])
    let named = 0
    for (const seed of seedsOf(CASES)) {
      const given = cluster(seed)
      const decision = decide(given)
      const going = new Set(decision.actions.flatMap(goesBy))
      const codes = new Map(decision.reasons.map(({ subject, code }) => [subject.name, code]))
      const names = namedBy(decision)
      named += names.length
      expect(names.length, `seed ${seed}`).toBeLessThanOrEqual(MOST)
      for (const { claim, node } of names.map((name) => machineOf(given, name))) {
        expect(going.has(claim), `seed ${seed}: ${node} goes now`).toBe(false)
        expect(HELD.has(codes.get(claim) ?? ''), `seed ${seed}: ${node} is held by ${codes.get(claim)}`).toBe(true)
      }
    }
    expect(named).toBeGreaterThan(CASES / 40)
  }, 120_000)
})
