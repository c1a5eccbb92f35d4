import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import type { Change } from '../../model/change.ts'
import type { Reason } from '../../model/decision.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { createClusterState } from '../state/clusterState.ts'
import { blockedEvents } from './applyDecision.ts'

function cluster(names: readonly string[]) {
  const state = createClusterState()
  const objects = names.flatMap((name) => {
    const [claim, own] = [nodeClaim({ name, stage: 'initialized' }), node({ claim: name })]
    return [
      { kind: 'nodeClaim', key: claim.name, object: claim },
      { kind: 'node', key: own.name, object: own },
    ] as const
  })
  const changes: readonly Change[] = objects.map((each, at) => ({ seq: at + 1, at: NOW, op: 'put', ...each }))
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes } })
  return state
}

const reason = (name: string, code: ProblemCode): Reason => ({ code, subject: { kind: 'nodeClaim', name }, message: 'because' })

describe('a node that no move takes', () => {
  it.each([
    ['DISRUPTION.DO_NOT_DISRUPT', 'DisruptionBlocked'],
    ['DISRUPTION.PDB', 'DisruptionBlocked'],
    ['DISRUPTION.NO_ROOM', 'Unconsolidatable'],
    ['DISRUPTION.NO_PRICE', 'Unconsolidatable'],
    ['DISRUPTION.SPOT', 'Unconsolidatable'],
  ] as const)('CA-12 CA-13 CA-14 CR-02 CE-04 CE-05 CE-06 DD-05 says so on node and claim, under Karpenter’s name: %s', (code, name) => {
    const events = blockedEvents([reason('default-a', code)], cluster(['default-a']))
    expect(events.map(({ subject, reason: said, message, key }) => [subject.kind, subject.name, said, message, key])).toEqual([
      ['nodeClaim', 'default-a', name, 'because', code],
      ['node', 'joiner-default-a', name, 'because', code],
    ])
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(2)
  })

  it('CE-01 says nothing of what passes by itself or is normal, and nothing where it is gone', () => {
    const state = cluster(['default-a'])
    const silent = (['DISRUPTION.QUIET', 'DISRUPTION.NO_SAVING', 'DISRUPTION.POLICY'] as const).map((code) => reason('default-a', code))
    expect(blockedEvents([...silent, reason('default-b', 'DISRUPTION.PDB')], state)).toEqual([])
  })

  it('says so on the claim alone where the node is not known', () => {
    const state = cluster(['default-a'])
    state.apply({
      term: 1,
      receivedAt: NOW,
      body: { kind: 'changes', changes: [{ kind: 'node', key: nodeNameOf('default-a'), seq: 3, at: NOW, op: 'delete' }] },
    })
    expect(blockedEvents([reason('default-a', 'DISRUPTION.PDB')], state).map(({ subject }) => subject)).toEqual([
      { kind: 'nodeClaim', name: 'default-a' },
    ])
  })

  it('is one of few that are told', () => {
    const names = Array.from({ length: 40 }, (_, at) => `default-${at}`)
    const events = blockedEvents(
      names.map((name) => reason(name, 'DISRUPTION.NO_ROOM')),
      cluster(names),
    )
    expect(events).toHaveLength(50)
  })
})
