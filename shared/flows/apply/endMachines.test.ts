import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import { clusterId } from '../../model/ids.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { CALLS_AT_ONCE } from '../deps/clusterDeps.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { createClusterState } from '../state/clusterState.ts'
import { endMachines } from './endMachines.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')

/** Deletes so many claims in one decision. */
function deleteMany(count: number) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  const actions = Array.from({ length: count }, (_, at): DeleteClaim => {
    const { name, meta } = world.objects.put('nodeClaim', nodeClaim({ name: `default-${at}` }))
    world.objects.put('node', node({ claim: name }))
    return { kind: 'deleteClaim', claim: name, uid: meta.uid, because: 'Underutilized', pods: [] }
  })
  const committed = {
    ledger: emptyLedger(CLUSTER),
    etag: undefined,
    snapshot: snapshot(),
    decided: { actions, reasons: [] },
    decideMs: 0,
    caughtUp: { state: createClusterState(), position: '', records: 0 },
  }
  const apply = (api: Partial<ClusterApi> = {}) =>
    endMachines({ ...world.ports, settings: settings(), api: { ...world.ports.api, ...api } }, committed, NEVER)
  return { world, apply }
}

describe('a decision that deletes many claims', () => {
  it('taints all nodes before it deletes the first claim', async () => {
    const { world, apply } = deleteMany(3 * CALLS_AT_ONCE)
    const open: number[] = []
    const api: Partial<ClusterApi> = {
      deleteClaim: (name, uid, signal) => {
        open.push(world.objects.all('node').filter(({ taints }) => !taints.some(({ key }) => key === TAINT_KEY.disrupted)).length)
        return world.ports.api.deleteClaim(name, uid, signal)
      },
    }
    expect((await apply(api)).isDone).toBe(true)
    expect(open).toEqual(Array.from({ length: 3 * CALLS_AT_ONCE }, () => 0))
  })

  it('deletes the others if the node of one cannot be tainted', async () => {
    const { world, apply } = deleteMany(3)
    world.failCall('api.patchNode', 1)
    expect((await apply()).isDone).toBe(false)
    const standing = world.objects.all('nodeClaim').filter(({ meta }) => meta.deletedAt === undefined)
    expect(standing.length).toBe(1)
    expect(world.objects.get('node', nodeNameOf(standing[0]?.name ?? ''))?.taints).toEqual([])
  })
})
