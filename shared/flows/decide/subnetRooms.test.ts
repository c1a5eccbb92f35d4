import { describe, expect, it } from 'vitest'
import { ago, hence, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClassName, nodePoolName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { SubnetState } from '../../ports/cloudProvider.ts'
import { subnetRoomsOf } from './subnetRooms.ts'

const [A, B, C] = [nodeClassName('a'), nodeClassName('b'), nodeClassName('c')]

function claimOf(name: string, nodeClass: string, launchedAt?: number): NodeClaim {
  const made = nodeClaim({ name, stage: 'created', meta: { createdAt: ago(600_000) } })
  const { nodeClassRef } = made.spec
  const conditions = launchedAt === undefined ? [] : [condition('Launched', { lastTransitionAt: hence(launchedAt) })]
  return {
    ...made,
    spec: { ...made.spec, nodeClassRef: { ...nodeClassRef, name: nodeClassName(nodeClass) } },
    status: { ...made.status, conditions },
  }
}

const room = (subnet: string, machines: number): SubnetState => ({ room: { subnet, machines, at: NOW } })

describe('the room of a subnet', () => {
  it('is what Azure said, without machines that came since, also of other classes in the subnet', () => {
    const states = new Map([
      [A, room('one', 5)],
      [B, room('one', 5)],
      [C, room('two', 2)],
    ])
    const claims = [
      claimOf('before', 'a', -1),
      claimOf('at-once', 'a', 0),
      claimOf('since', 'b', 1_000),
      claimOf('coming', 'a'),
      claimOf('elsewhere', 'c', 1_000),
      claimOf('of-nobody', 'd', 1_000),
    ]
    const rooms = subnetRoomsOf(states, {
      claims,
      drafts: [{ ...claimOf('draft', 'b'), nodePool: nodePoolName('default'), labels: {}, annotations: {} }],
    })
    expect([...rooms]).toEqual([
      [A, { subnet: 'one', machines: 1 }],
      [B, { subnet: 'one', machines: 1 }],
      [C, { subnet: 'two', machines: 1 }],
    ])
  })

  it('is never less than none, and is not known where Azure does not say it', () => {
    const claims = ['x', 'y', 'z'].map((name) => claimOf(name, 'a'))
    const states = new Map<typeof A, SubnetState>([
      [A, room('one', 2)],
      [B, {}],
    ])
    expect([...subnetRoomsOf(states, { claims, drafts: [] })]).toEqual([[A, { subnet: 'one', machines: 0 }]])
  })
})
