import { describe, expect, it } from 'vitest'
import { spreadOver } from '../../bench/scheduling/workloads/shapes.ts'
import { decide } from '../../shared/engine/loadedCluster.ts'
import { claimsMovedBy } from '../../shared/model/decision.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { settleByEngine } from './settled.ts'

const NODES = 50
const WORKLOADS = 10
/** The CPUs of a node hold five such pods. Each node has two. */
const CPUS = { node: 3.9, pod: 0.75 }
const LEAST = (NODES * 2) / 5
/** Decisions that remove nodes. Between them, decisions place the pods. */
const MOST_ROUNDS = 3

/** Pods that prefer to be spread over zones and nodes, on twice and a half as many nodes as they need. */
function halfEmpty() {
  const names = Array.from({ length: NODES }, (_, at) => ({ name: `default-n${at}`, zone: `eastus-${1 + (at % 3)}` }))
  const allocatable = resources(CPUS.node, 15.5, { pods: 110 })
  const podOf = (name: string, at: number) => {
    const labels = { app: `w${at % WORKLOADS}` }
    const prefers = [LABEL.zone, LABEL.hostname].map((key) =>
      spreadOver(key, { matchLabels: labels, matchExpressions: [] }, 'ScheduleAnyway'),
    )
    return pod({ name: `p${at}`, cpus: CPUS.pod, labels, nodeName: nodeNameOf(name), topologySpread: prefers })
  }
  return snapshot({
    types: [instanceType({ spotPrice: null })],
    objects: {
      node: names.map((each) => node({ claim: each.name, zone: each.zone, allocatable })),
      nodeClaim: names.map((each) => nodeClaim({ ...each, status: { allocatable } })),
      pod: names.flatMap(({ name }, at) => [podOf(name, 2 * at), podOf(name, 2 * at + 1)]),
      nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }] } })],
    },
  })
}

describe('F6: fifty nodes of which preferred spreads leave three fifths empty', () => {
  it('become as few as their pods need, within three decisions that remove nodes', () => {
    const { snapshot: settled, decisions, bought } = settleByEngine(halfEmpty())
    const rounds = decisions.filter(({ actions }) => actions.flatMap(claimsMovedBy).length > 0)
    expect(rounds.length).toBeLessThanOrEqual(MOST_ROUNDS)
    expect(settled.objects.node.length).toBe(LEAST)
    expect(bought).toEqual([])
  })

  it('each go or have a reason, in each decision', () => {
    const given = halfEmpty()
    const { actions, reasons } = decide(given)
    const gone = actions.flatMap(claimsMovedBy)
    const told = reasons.map(({ subject }) => subject.name)
    expect(new Set([...gone, ...told]).size).toBe(NODES)
    expect(gone.length).toBeGreaterThan(0)
  })
})
