import { describe, expect, it } from 'vitest'
import { fleet } from '../../../bench/disruption/fleet.ts'
import { ago, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { pod } from '../../../test/builders/pod.ts'
import type { Condition } from '../../model/condition.ts'
import { CREATION_PAUSED } from '../../model/nodePool.ts'
import { decide } from '../loadedCluster.ts'

/** The decision about 20 half-full nodes, one of them empty, whose pool has these conditions. */
function decided(...conditions: readonly Condition[]) {
  const { objects, ...context } = fleet({ nodes: 20, fill: 0.5, isSpread: false })
  const [first] = objects.node
  const nodePool = objects.nodePool.map((pool) => {
    const status = { ...pool.status, nodeClassObservedGeneration: 1, conditions: [...pool.status.conditions, ...conditions] }
    return { ...pool, status }
  })
  const pod = objects.pod.filter(({ nodeName }) => nodeName !== first?.name)
  const { actions, reasons } = decide({ ...context, objects: { ...objects, nodePool, pod } })
  const gone = actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.because] : []))
  const frozen = reasons.filter(({ code, message }) => code === 'DISRUPTION.FROZEN' && message.includes('do not join'))
  return {
    empty: gone.filter((reason) => reason === 'Empty').length,
    busy: gone.filter((reason) => reason !== 'Empty').length,
    frozen: frozen.length,
  }
}

it('nodes with pods stay while a decision buys for a waiting pod, and say so', () => {
  const { objects, ...context } = fleet({ nodes: 5, fill: 0.5, isSpread: false })
  const { actions, reasons } = decide({ ...context, objects: { ...objects, pod: [...objects.pod, pod({ name: 'large', cpus: 15 })] } })
  expect(actions.map(({ kind }) => kind)).toContain('createClaim')
  expect(reasons.filter(({ code }) => code === 'DISRUPTION.PENDING').map(({ subject }) => subject.name)).toEqual(
    objects.nodeClaim.map(({ name }) => name),
  )
})

describe('a pool whose new machines do not join', () => {
  const message = 'the last nodes did not join; lately nodeclaim default-x (uid): no'
  const since = { lastTransitionAt: ago(SECOND), reason: 'NodesDoNotJoin', message }

  it('keeps its machines with pods, and gives up the empty ones', () => {
    expect(decided(condition(CREATION_PAUSED, since))).toEqual({ empty: 1, busy: 0, frozen: 19 })
  })

  it('lets them go when machines are made again, to see whether they join', () => {
    const { empty, busy, frozen } = decided(condition(CREATION_PAUSED, { ...since, status: 'False', reason: 'TryingAgain' }))
    expect([empty, busy > 0, frozen]).toEqual([1, true, 0])
  })
})
