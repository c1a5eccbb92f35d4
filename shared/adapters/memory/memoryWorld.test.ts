import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { faultCodeOf, SIGNAL } from '../../../test/conformance/harness.ts'
import { clusterId, nodeClaimName, nodeName, nodePoolName, vmSizeName, zoneName } from '../../model/ids.ts'
import type { LaunchCandidate } from '../../model/instance.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import type { NodeClaim, NodeClaimDraft } from '../../model/nodeClaim.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import { joinNodes } from './joinNodes.ts'
import { createMemoryShim } from './memoryShim.ts'
import { createMemoryWorld, type MemoryPorts, type MemoryWorld, type MemoryWorldOptions } from './memoryWorld.ts'
import { createVirtualClock } from './virtualClock.ts'
import { type FailureMode, ProcessKilled } from './writeJournal.ts'

const CLAIM = nodeClaimName('default-aaaaa')
const cluster = clusterId('c1')

function world(options: Partial<MemoryWorldOptions> = {}): MemoryWorld {
  return createMemoryWorld({ clock: createVirtualClock(NOW), cluster, ...options })
}

function draft(): NodeClaimDraft {
  return { name: CLAIM, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: nodeClaim().spec }
}

const candidate: LaunchCandidate = {
  choice: { size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' },
  instanceType: instanceType(),
  labels: { size: 'chosen' },
}

async function launch(ports: MemoryPorts, tokenLifeMs = 60_000): Promise<NodeClaim> {
  const created = await ports.api.createClaim(draft(), undefined, SIGNAL)
  const claim = created.ok ? created.value : expect.fail('no claim')
  const bootstrapToken = () => ports.api.putBootstrapToken(CLAIM, epochMs(ports.clock.now() + tokenLifeMs), SIGNAL)
  await ports.cloud.launch({ claim, nodeClass: nodeClass(), candidate, bootstrapToken, within: durationMs(30_000) }, SIGNAL)
  return claim
}

const LAUNCH_WRITES = ['api.createClaim', 'api.putBootstrapToken', 'cloud.createInterface', 'cloud.createMachine']

describe('the journal', () => {
  it('names every write in order', async () => {
    const { ports, journal } = world()
    await launch(ports)
    await ports.api.getClaim(CLAIM, SIGNAL)
    expect(journal.entries.map((entry) => entry.operation)).toEqual(LAUNCH_WRITES)
    expect(journal.entries[0]).toEqual({ number: 1, operation: 'api.createClaim', object: 'nodeclaim/default-aaaaa', at: NOW, process: 1 })
  })

  it('leaves out what was refused', async () => {
    const { ports, journal } = world()
    await ports.ledger.save(
      { schema: 1, cluster, epoch: 1, decisions: 0, intents: [], nominations: [], commands: [], backOffs: [] },
      '"wrong"',
      SIGNAL,
    )
    expect(journal.entries).toEqual([])
    expect(journal.tried()).toBe(1)
  })
})

describe('a failure at the n-th write', () => {
  for (const [index] of LAUNCH_WRITES.entries()) {
    for (const when of ['before', 'after'] as const) {
      it(`kills the process ${when} write ${index + 1}, and every later call of it`, async () => {
        const { ports, journal, failAt } = world()
        failAt(index + 1, { when, how: 'kill' })
        await expect(launch(ports)).rejects.toBeInstanceOf(ProcessKilled)
        expect(journal.entries.map((entry) => entry.operation)).toEqual(LAUNCH_WRITES.slice(0, when === 'before' ? index : index + 1))
        await expect(ports.api.listClaims(SIGNAL)).rejects.toBeInstanceOf(ProcessKilled)
      })
    }
  }

  it('leaves the next process the world as it stood', async () => {
    const { ports, start, failAt, machines } = world()
    failAt(4)
    await expect(launch(ports)).rejects.toBeInstanceOf(ProcessKilled)
    const next = start()
    expect((await next.ports.cloud.listOrphanInterfaces(SIGNAL)).map((orphan) => orphan.claim)).toEqual([CLAIM])
    await launch(next.ports)
    expect(await next.ports.cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    expect(machines.all()).toHaveLength(1)
  })

  it('may be one call without an answer', async () => {
    const { ports, failAt } = world()
    failAt(1, { when: 'after', how: 'fault' })
    expect(await faultCodeOf(ports.api.createClaim(draft(), undefined, SIGNAL))).toBe('KUBE.FAILED')
    expect(await ports.api.listClaims(SIGNAL)).toHaveLength(1)
  })

  it('may be about the n-th call of one operation, reads too', async () => {
    const { ports, failCall } = world()
    const fault: FailureMode = { when: 'before', how: 'fault' }
    failCall('cloud.list', 2, fault)
    await ports.cloud.list(SIGNAL)
    expect(await faultCodeOf(ports.cloud.list(SIGNAL))).toBe('AZURE.FAILED')
    await ports.cloud.list(SIGNAL)
  })
})

describe('machines', () => {
  it('are refused as the script says, so many times', async () => {
    const { ports, machines } = world()
    machines.refuse({ capacityType: 'spot' }, { times: 1 })
    machines.refuse({ capacityType: 'on-demand' })
    const claim = nodeClaim({ stage: 'created' })
    const request = { claim, nodeClass: nodeClass(), candidate, bootstrapToken: async () => 'a.b', within: durationMs(30_000) }
    expect(await ports.cloud.launch(request, SIGNAL)).toMatchObject({
      ok: false,
      error: { then: 'next', problem: { code: 'AZURE.ALLOCATION.ZONE' } },
    })
    expect(await ports.cloud.launch(request, SIGNAL)).toMatchObject({ ok: true })
  })

  it('fail after they were taken', async () => {
    const { ports, machines, clock } = world({ bootMs: 5_000 })
    machines.refuse({}, { stage: 'boot' })
    await launch(ports)
    expect((await ports.cloud.get(CLAIM, SIGNAL))?.state.kind).toBe('creating')
    await clock.advance(5_000)
    expect((await ports.cloud.get(CLAIM, SIGNAL))?.state).toMatchObject({ kind: 'failed', refusal: { then: 'next' } })
  })

  it('get lost and leave their interface', async () => {
    const { ports, machines } = world()
    await launch(ports)
    machines.lose(CLAIM)
    expect(await ports.cloud.get(CLAIM, SIGNAL)).toBeUndefined()
    expect(await ports.cloud.listOrphanInterfaces(SIGNAL)).toHaveLength(1)
  })
})

describe('kubelets', () => {
  it('join once, when the machine runs, with what the launch chose', async () => {
    const all = world({ bootMs: 5_000 })
    await launch(all.ports)
    expect(joinNodes(all)).toEqual([])
    await all.clock.advance(5_000)
    expect(joinNodes(all)).toEqual(['joiner-default-aaaaa'])
    expect(joinNodes(all)).toEqual([])
    const node = await all.ports.api.getNode(nodeName('joiner-default-aaaaa'), SIGNAL)
    expect(node?.meta.labels['size']).toBe('chosen')
    expect(node?.taints.map((taint) => taint.key)).toEqual([TAINT_KEY.unregistered])
    expect(node?.allocatable['cpu']).toBe(3_900)
  })

  it('stay away without a good token', async () => {
    const all = world({ bootMs: 5_000 })
    await launch(all.ports, 4_000)
    await all.clock.advance(5_000)
    expect(joinNodes(all)).toEqual([])
  })
})

describe('pods', () => {
  it('take their time to go', async () => {
    const { ports, objects, clock } = world({ podExitMs: 2_000 })
    const running = objects.put('pod', pod({ name: 'a', nodeName: 'n' }))
    await ports.api.evict(running, SIGNAL)
    expect(objects.get('pod', running.key)?.deletedAt).toBe(NOW)
    await clock.advance(2_000)
    expect(objects.get('pod', running.key)).toBeUndefined()
  })
})

describe('the shim in memory', () => {
  it('tells everything, and then what changed', () => {
    const all = world()
    const shim = createMemoryShim(all, 7)
    all.objects.put('nodePool', nodePool())
    const waiting = all.objects.put('pod', pod())
    const first = shim.snapshot()
    expect(first).toMatchObject({ term: 7, body: { kind: 'snapshot', seq: 1, part: 0, parts: 1 } })
    expect(first.body.changes.map(({ kind, key, seq }) => [kind, key, seq])).toEqual([
      ['pod', 'default/pod', 1],
      ['nodePool', 'default', 1],
    ])
    expect(shim.changes()).toBeUndefined()
    all.objects.bind(waiting.key, nodeName('n'))
    all.objects.remove('pod', waiting.key)
    all.objects.put('nodePool', nodePool({ weight: 3 }))
    expect(shim.changes()?.body.changes.map(({ op, kind, seq }) => [op, kind, seq])).toEqual([
      ['delete', 'pod', 2],
      ['delete', 'pod', 3],
      ['put', 'nodePool', 4],
    ])
  })
})
