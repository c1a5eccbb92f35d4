import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import type { Change } from '../../model/change.ts'
import type { Nominate } from '../../model/decision.ts'
import { nodeClaimName } from '../../model/ids.ts'
import { createClusterState } from '../state/clusterState.ts'
import { nominationEvents } from './carryOutIntents.ts'

const CLAIM = nodeClaimName('default-aaaaa')

function eventsFor(pods: readonly ReturnType<typeof pod>[], stage: 'launched' | 'registered') {
  const claim = nodeClaim({ stage })
  const state = createClusterState()
  const changes: readonly Change[] = [
    { seq: 1, at: NOW, op: 'put', kind: 'nodeClaim', key: claim.name, object: claim },
    ...pods.map((object, at) => ({ seq: at + 2, at: NOW, op: 'put', kind: 'pod', key: object.key, object }) as const),
  ]
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes } })
  const nominate: Nominate = { kind: 'nominate', claim: CLAIM, pods: pods.map(({ key, uid }) => ({ key, uid })) }
  return nominationEvents([nominate], state)
}

describe('a pod that a claim is meant for', () => {
  it('EVT-01 is told which, and the node where there is one', () => {
    const waiting = pod()
    expect(eventsFor([waiting], 'launched')).toEqual([
      {
        subject: { kind: 'pod', name: 'default/pod' },
        uid: waiting.uid,
        type: 'Normal',
        reason: 'Nominated',
        message: 'Pod should schedule on: nodeclaim/default-aaaaa',
        key: CLAIM,
      },
    ])
    const [known] = eventsFor([waiting], 'registered')
    expect(known?.message).toBe('Pod should schedule on: nodeclaim/default-aaaaa, node/joiner-default-aaaaa')
  })

  it('and that still runs where it has to leave is told nothing', () => {
    expect(
      eventsFor([pod({ name: 'runs', nodeName: 'n' }), pod({ name: 'waits' })], 'launched').map(({ subject }) => subject.name),
    ).toEqual(['default/waits'])
  })

  it('EVT-05 and that waits with many others may be told nothing: ten of a decision are', () => {
    const many = Array.from({ length: 11 }, (_, number) => pod({ name: `waits-${number}` }))
    expect(eventsFor(many, 'launched').map(({ subject }) => subject.name)).toEqual(many.slice(0, 10).map(({ key }) => key))
  })
})
