/** Drifted machines in sequences of decisions, and with conditions that the scenarios do not have. */
import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { resources } from '../../../../test/builders/resources.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { BackOff, DisruptionCommand } from '../../../model/disruptionCommand.ts'
import { nodePoolName } from '../../../model/ids.ts'
import type { Budget } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'

/** Machines that are full, with a condition `Drifted` of this status. */
function full(count: number, status: 'True' | 'False', budgets: readonly Budget[]) {
  const names = Array.from({ length: count }, (_, at) => `default-${at}`)
  return {
    nodePool: [nodePool({ disruption: { budgets, consolidationPolicy: 'WhenEmpty' } })],
    node: names.map((claim) => node({ claim })),
    nodeClaim: names.map((name) => {
      const claim = nodeClaim({ name })
      return { ...claim, status: { ...claim.status, conditions: [...claim.status.conditions, condition('Drifted', { status })] } }
    }),
    pod: names.map((name) => pod({ name: `on-${name}`, cpus: 3.5, nodeName: nodeNameOf(name) })),
  }
}

type Objects = ReturnType<typeof full>

/** Names of the machines that one decision begins to replace. */
function replaced(objects: Objects, commands: readonly DisruptionCommand[] = [], backOffs: readonly BackOff[] = []): readonly string[] {
  const types = [instanceType({ spotPrice: null })]
  const { actions } = disruptionOf(snapshot({ objects, types, commands, backOffs }))
  return actions.flatMap((action) => (action.kind === 'startCommand' ? action.command.candidates.map(({ claim }) => claim) : []))
}

describe('drifted machines with pods', () => {
  it('DD-03 go as the budget allows, and moves under way count: three of ten at 30 %, and no more while they move', () => {
    const objects = full(10, 'True', [{ nodes: '30%' }])
    const first = replaced(objects)
    expect(first).toEqual(['default-0', 'default-1', 'default-2'])
    const moving = objects.nodeClaim.filter(({ name }) => first.includes(name))
    const commands = moving.map((claim, at) => disruptionCommand([claim], { id: `1-${at}`, replacements: [] }))
    expect(replaced(objects, commands)).toEqual([])
    expect(replaced(objects, commands.slice(1))).toEqual(['default-0'])
  })

  it('SV-14 wait where their move has failed three times, and the next one goes', () => {
    const objects = full(2, 'True', [{ nodes: '1' }])
    const [failed] = objects.nodeClaim
    const claims = failed === undefined ? [] : [failed.name]
    const backOff = (until: EpochMs): BackOff => ({ claims, pools: [nodePoolName('default')], failures: 3, failedAt: ago(MINUTE), until })
    expect(replaced(objects)).toEqual(['default-0'])
    expect(replaced(objects, [], [backOff(hence(MINUTE))])).toEqual(['default-1'])
    expect(replaced(objects, [], [backOff(NOW)])).toEqual(['default-0'])
  })

  /** A drifted node whose pods find the places of a plan in one order only, and other drifted nodes with a pod each. */
  function tightlyPacked(others: number) {
    const size = 'Standard_D8as_v6'
    const amounts = resources(8, 32, { pods: 110 })
    const nodes = ['tight', ...Array.from({ length: others }, (_, at) => `other-${at}`)].map((name) => {
      const claim = nodeClaim({ name, size, status: { capacity: amounts, allocatable: amounts } })
      const drifted = { ...claim, status: { ...claim.status, conditions: [...claim.status.conditions, condition('Drifted')] } }
      return { drifted, node: node({ claim: name, size, capacity: amounts, allocatable: amounts }) }
    })
    // Two machines of four cores have room for 2.4 + 1.2 and 1.8 + 1.8. The smaller ones may come first, and leave none for the largest.
    const tight = [2.4, 1.2, 1.8, 1.8].map((cpus, at) => pod({ name: `on-${at}`, cpus, nodeName: nodeNameOf('tight') }))
    const single = nodes.slice(1).map(({ node: { name } }, at) => pod({ name: `single-${at}`, cpus: 3.5, nodeName: name }))
    const objects = {
      nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy: 'WhenEmpty' } })],
      nodeClaim: nodes.map(({ drifted }) => drifted),
      node: nodes.map((each) => each.node),
      pod: [...tight, ...single],
    }
    const { actions, reasons } = disruptionOf(snapshot({ objects, types: [instanceType({ spotPrice: null })] }))
    const begun = actions.flatMap((action) => (action.kind === 'startCommand' ? action.command.candidates.map(({ claim }) => claim) : []))
    return { begun, held: reasons.map(({ code }) => code) }
  }

  it('go though their pods do not find the planned places in every order', () => {
    expect(tightlyPacked(0)).toEqual({ begun: ['tight'], held: [] })
  })

  it('stay while their pods do not find the planned places in every order, and pods of another node move', () => {
    expect(tightlyPacked(1)).toEqual({ begun: ['other-0'], held: ['DISRUPTION.NO_ROOM'] })
  })

  it('DD-07 are none where the condition says that they have not drifted', () => {
    expect(replaced(full(2, 'False', [{ nodes: '100%' }]))).toEqual([])
    expect(replaced(full(2, 'True', [{ nodes: '100%' }]))).toEqual(['default-0', 'default-1'])
  })
})
