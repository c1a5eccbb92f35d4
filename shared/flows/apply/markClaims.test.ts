import { describe, expect, it } from 'vitest'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim, type MemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { DurationOrNever } from '../../model/nodePool.ts'
import type { Pod } from '../../model/pod.ts'
import { durationMs, type EpochMs, epochMs } from '../../model/units.ts'
import { reconcile } from '../decide/reconcile.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { type ClusterState, createClusterState } from '../state/clusterState.ts'
import { withPodEvent } from '../state/podEnds.ts'
import { markClaims } from './markClaims.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const CLAIM = 'default-aaaaa'
const MINUTE = 60_000

type Scene = { readonly world: MemoryWorld; run(): Promise<void>; lookAgainAsNewProcess(): Promise<void> }

/** A node that will be empty, a pool with a `consolidateAfter` of a minute, and a process that decides when told to. */
function scene(consolidateAfter: DurationOrNever = durationMs(MINUTE), runs: Partial<Pod> = {}): Scene {
  const clock = createVirtualClock(START)
  const world = createMemoryWorld({ clock, cluster: clusterId('test') })
  const shim: MemoryShim = createMemoryShim(world, 1)
  world.objects.put('nodePool', nodePool({ disruption: { consolidateAfter, budgets: [{ nodes: '100%' }] } }))
  world.objects.put('nodeClaim', nodeClaim({ name: CLAIM, meta: { createdAt: START } }))
  world.objects.put('node', node({ claim: CLAIM }))
  world.objects.put('pod', pod({ name: 'web', nodeName: nodeNameOf(CLAIM), phase: 'Running', ...runs }))
  const starts = { taken: false }
  let session = newSession()

  function newSession(): Parameters<typeof reconcile>[1] {
    return { reader: createClusterReader(world.ports.log) }
  }
  async function run(): Promise<void> {
    const record = starts.taken ? shim.changes() : shim.snapshot()
    starts.taken = true
    if (record) await world.ports.log.append(record, NEVER)
    await reconcile({ ...world.ports, settings: settings() }, session, [], NEVER)
  }
  return {
    world,
    run,
    async lookAgainAsNewProcess() {
      session = newSession()
      await run()
    },
  }
}

function isEnding({ world }: Scene): boolean {
  return world.objects.get('nodeClaim', CLAIM)?.meta.deletedAt !== undefined
}

function lastPodEventAt({ world }: Scene): EpochMs | undefined {
  return world.objects.get('nodeClaim', CLAIM)?.status.lastPodEventAt
}

describe('a node whose last pod leaves', () => {
  it('stays until its pool has seen it quiet for as long as it asks', async () => {
    const played = scene()
    await played.run()
    played.world.objects.remove('pod', 'default/web')
    const leftAt = played.world.clock.now()
    await played.run()
    expect(isEnding(played)).toBe(false)
    expect(lastPodEventAt(played)).toBe(leftAt)
    await played.world.clock.advance(MINUTE - 1)
    await played.run()
    expect(isEnding(played)).toBe(false)
    await played.world.clock.advance(1)
    await played.run()
    expect(isEnding(played)).toBe(true)
  })

  it('SV-09: is remembered by its claim, for a process that knows nothing of the pod', async () => {
    const played = scene()
    await played.run()
    played.world.objects.remove('pod', 'default/web')
    await played.run()
    await played.world.clock.advance(MINUTE / 2)
    await played.lookAgainAsNewProcess()
    expect(isEnding(played)).toBe(false)
  })

  it('goes at once where the pool does not wait, and nothing is written down', async () => {
    const played = scene(durationMs(0))
    await played.run()
    played.world.objects.remove('pod', 'default/web')
    await played.run()
    expect(isEnding(played)).toBe(true)
    expect(lastPodEventAt(played)).toBeUndefined()
  })

  it('counts a pod that ends as one that leaves', async () => {
    const played = scene()
    await played.run()
    played.world.objects.put('pod', pod({ name: 'web', nodeName: nodeNameOf(CLAIM), phase: 'Succeeded' }))
    await played.run()
    expect(lastPodEventAt(played)).toBe(START)
  })

  it('does not count a pod of a DaemonSet', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: pod().uid }
    const played = scene(durationMs(MINUTE), { owner, createdAt: START })
    await played.run()
    played.world.objects.remove('pod', 'default/web')
    await played.run()
    expect(lastPodEventAt(played)).toBeUndefined()
  })

  it.each([
    ['PE-02 does not count a pod of a node that is not there', 'gone'],
    ['PE-03 does not count a pod of a node without a claim', 'own'],
  ])('%s', async (_sentence, on) => {
    const played = scene(durationMs(MINUTE), { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })
    played.world.objects.put('node', node({ name: 'own', providerId: providerIdOf('own') }))
    played.world.objects.put('pod', pod({ name: 'other', nodeName: on, phase: 'Running' }))
    await played.run()
    played.world.objects.remove('pod', 'default/other')
    await played.run()
    expect(lastPodEventAt(played)).toBeUndefined()
  })

  it('writes once for pods that leave close to each other', async () => {
    const played = scene()
    const names = ['a', 'b', 'c']
    for (const name of names) played.world.objects.put('pod', pod({ name, nodeName: nodeNameOf(CLAIM), phase: 'Running' }))
    await played.run()
    for (const name of names) {
      played.world.objects.remove('pod', `default/${name}`)
      await played.world.clock.advance(3_000)
      await played.run()
    }
    const writes = played.world.journal.entries.filter((entry) => entry.operation === 'api.patchClaimStatus')
    // The claim was consolidatable at the first run, and is not any more.
    expect(writes).toHaveLength(2)
  })
})

describe('a claim as it stands', () => {
  const claimWith = (lastPodEventAt?: EpochMs) => nodeClaim({ name: CLAIM, status: lastPodEventAt === undefined ? {} : { lastPodEventAt } })
  const stateWith = (podLeftAt: EpochMs | undefined): ClusterState => ({ ...createClusterState(), podLeftAt: () => podLeftAt })

  it.each<[sentence: string, known: EpochMs | undefined, left: EpochMs | undefined, want: EpochMs | undefined]>([
    ['knows no departure where none was seen', undefined, undefined, undefined],
    ['has the departure that was seen', undefined, START, START],
    ['keeps what it knows where none was seen', START, undefined, START],
    ['keeps a later one', START, epochMs(START - 1), START],
    ['has a later one', START, epochMs(START + 1), epochMs(START + 1)],
  ])('%s', (_sentence, known, left, want) => {
    const claim = claimWith(known)
    const seen = withPodEvent(claim, stateWith(left), settings().machineNames)
    expect(seen).toEqual({ ...claim, status: { ...claim.status, ...(want === undefined ? {} : { lastPodEventAt: want }) } })
  })

  it('PE-04 PE-05 is written down when the departure is ten seconds newer than what it knows, and not while it ends', async () => {
    const written = async (known: EpochMs, more: Parameters<typeof nodeClaim>[0] = {}) => {
      const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test') })
      const claim = world.objects.put('nodeClaim', nodeClaim({ name: CLAIM, ...more, status: { lastPodEventAt: known } }))
      const pool = nodePool({ disruption: { consolidateAfter: durationMs(MINUTE) } })
      const state = createClusterState()
      const head = { at: START, op: 'put' } as const
      const changes = [
        { ...head, seq: 1, kind: 'nodeClaim', key: claim.name, object: claim },
        { ...head, seq: 2, kind: 'nodePool', key: pool.name, object: pool },
      ] as const
      state.apply({ term: 1, receivedAt: START, body: { kind: 'changes', changes } })
      expect(await markClaims({ ...world.ports, settings: settings() }, { ...state, podLeftAt: () => START }, [], NEVER)).toBe(true)
      return world.objects.get('nodeClaim', CLAIM)?.status.lastPodEventAt
    }
    expect(await written(epochMs(START - 10_000))).toBe(START)
    expect(await written(epochMs(START - 9_999))).toBe(START - 9_999)
    expect(await written(epochMs(START - 60_000), { meta: { deletedAt: START } })).toBe(START - 60_000)
  })
})
