import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import { clusterId, nodeClaimName, uid } from '../../model/ids.ts'
import { ANNOTATION, type Meta, TAINT_KEY } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { formatTimestamp } from '../../model/time.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { CALLS_AT_ONCE } from '../deps/clusterDeps.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { createClusterState } from '../state/clusterState.ts'
import { endForcefully, endMachines, removeReplacement } from './endMachines.ts'

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

const COMING = nodeClaim({ name: 'default-new', status: { conditions: [condition('Launched')] } })

/** Removes the replacement. Returns whether it is being deleted, and how many messages about it were sent. */
async function removed(existing: NodeClaim | undefined, of = COMING.meta.uid) {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(1_800_000_000_000)), cluster: clusterId('test') })
  if (existing !== undefined) world.objects.put('nodeClaim', existing)
  const deps = { ...world.ports, settings: settings() }
  let deletions = 0
  const deleteClaim: typeof deps.api.deleteClaim = (...input) => {
    deletions++
    return deps.api.deleteClaim(...input)
  }
  const action = { kind: 'removeReplacement', claim: nodeClaimName('default-new'), uid: of, command: '7-0' } as const
  await removeReplacement({ ...deps, api: { ...deps.api, deleteClaim } }, action, NEVER)
  return { deletions, said: world.telemetry.lines.length }
}

describe('a replacement of a failed command', () => {
  it('is deleted while it is not initialized', async () => {
    expect(await removed(COMING)).toEqual({ deletions: 1, said: 1 })
  })

  it.each([
    ['it is gone', undefined, COMING.meta.uid],
    ['another claim has its name', COMING, uid('other')],
    ['it is being deleted already', { ...COMING, meta: { ...COMING.meta, deletedAt: epochMs(1) } }, COMING.meta.uid],
    [
      'it was initialized meanwhile',
      nodeClaim({ name: 'default-new', status: { conditions: [condition('Launched'), condition('Initialized')] } }),
      COMING.meta.uid,
    ],
  ])('is left alone if %s', async (_sentence, existing, of) => {
    expect(await removed(existing, of)).toEqual({ deletions: 0, said: 0 })
  })
})

const START = epochMs(1_800_000_000_000)
const at = (ms: number): string => formatTimestamp(epochMs(START + ms))

function world(head: Partial<Meta> = {}) {
  const memory = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test') })
  const claim = memory.objects.put('nodeClaim', nodeClaim({ meta: head, spec: { terminationGracePeriod: durationMs(3_600_000) } }))
  const deps = { ...memory.ports, settings: settings() }
  const { signal } = new AbortController()
  const of = { claim: claim.name, uid: claim.meta.uid, pods: 2 }
  const expire = (uid = claim.meta.uid): Promise<void> => endForcefully(deps, { kind: 'expireClaim', ...of, uid }, signal)
  const repair = (): Promise<void> => endForcefully(deps, { kind: 'repairClaim', ...of, condition: 'Ready=False' }, signal)
  const seen = () => memory.objects.get('nodeClaim', claim.name)
  const deadline = () => seen()?.meta.annotations[ANNOTATION.terminationTimestamp]
  return { memory, claim, expire, repair, deadline, isEnding: () => seen()?.meta.deletedAt !== undefined }
}

describe('a claim at its age', () => {
  it('EX-01 EX-03 ends the claim although pods run on its node, has it followed, and says so', async () => {
    const { memory, claim, expire, isEnding } = world()
    memory.objects.put('node', node())
    memory.objects.put('pod', pod({ nodeName: node().name }))
    await expire()
    expect(isEnding()).toBe(true)
    expect(memory.work).toMatchObject([{ key: 'claim', claim: claim.name, isFollowed: true }])
    expect(memory.telemetry.lines).toMatchObject([
      { message: 'nodeclaim default-aaaaa is taken away: Expired', fields: { because: 'Expired' } },
    ])
    const fields = { cluster: 'test', nodePool: 'default', capacityType: 'on-demand', reason: 'expired', terminationMode: 'eventual' }
    expect(memory.telemetry.measures).toEqual([
      { name: 'karpenter_nodeclaims_disrupted_total', value: 1, fields },
      { name: 'karpenter_pods_disruption_initiated_total', value: 2, fields: { cluster: 'test', reason: 'expired' } },
    ])
  })

  it('leaves another claim of the same name alone', async () => {
    const { memory, expire, isEnding } = world()
    await expire(uid('earlier'))
    expect(isEnding()).toBe(false)
    expect(memory.work).toEqual([])
  })

  it('EX-09 does nothing a second time, nor for a claim that is gone', async () => {
    const { memory, claim, expire } = world()
    await expire()
    const before = [memory.journal.tried(), memory.telemetry.measures.length]
    await expire()
    memory.objects.remove('nodeClaim', claim.name)
    await expire()
    expect([memory.journal.tried(), memory.telemetry.measures.length]).toEqual(before)
  })
})

describe('a claim whose machine is broken', () => {
  it('HR-05, HR-06: ends, with its deadline at this moment whatever its grace period, and says so', async () => {
    const { memory, repair, isEnding, deadline } = world()
    await repair()
    expect(isEnding()).toBe(true)
    expect(deadline()).toBe(at(0))
    expect(memory.work).toHaveLength(1)
    expect(memory.telemetry.lines).toMatchObject([{ message: 'nodeclaim default-aaaaa is taken away: Ready=False' }])
    expect(memory.telemetry.measures).toMatchObject([
      { name: 'karpenter_nodeclaims_disrupted_total', fields: { reason: 'unhealthy' } },
      { name: 'karpenter_pods_disruption_initiated_total', value: 2, fields: { cluster: 'test', reason: 'unhealthy' } },
      {
        name: 'karpenter_nodeclaims_unhealthy_disrupted_total',
        fields: { cluster: 'test', condition: 'Ready=False' },
      },
    ])
  })

  it.each([
    ['HR-07, SV-12: keeps a deadline that is over', -60_000, -60_000],
    ['SV-12: brings a later deadline forward', 60_000, 0],
  ])('%s', async (_sentence, before, after) => {
    const { repair, deadline, isEnding } = world({ annotations: { [ANNOTATION.terminationTimestamp]: at(before) } })
    await repair()
    expect(deadline()).toBe(at(after))
    expect(isEnding()).toBe(true)
  })

  it('gets a deadline once where it drains already, and is not counted again', async () => {
    const { memory, repair, deadline } = world({ deletedAt: START })
    await repair()
    expect(deadline()).toBe(at(0))
    expect(memory.work).toHaveLength(1)
    const before = memory.journal.tried()
    await repair()
    expect(memory.journal.tried()).toBe(before)
    expect(memory.telemetry.measures).toEqual([])
  })
})
