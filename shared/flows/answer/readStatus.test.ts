import { describe, expect, it } from 'vitest'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName, nodeClassName, nodePoolName, vmSizeName } from '../../model/ids.ts'
import { LEDGER_SCHEMA } from '../../model/ledger.ts'
import { durationMs, epochMs, later } from '../../model/units.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { type ClusterStatus, readStatus } from './readStatus.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')

const PARTS = ['epoch', 'missing', 'latest', 'refusedOfferings', 'demotedSizes'] as const

function scene() {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(1_800_000_000_000)), cluster: CLUSTER })
  return { world, read: (): Promise<ClusterStatus> => readStatus({ ...world.ports, settings: settings() }, NEVER) }
}

describe('readStatus', () => {
  it('says of a new cluster that nothing was decided', async () => {
    expect(await scene().read()).toMatchObject({ problems: [], epoch: 0, decisions: 0, openIntents: [], latest: [] })
  })

  it('shows moves under way, and those whose nodes rest', async () => {
    const { world, read } = scene()
    const move = disruptionCommand([nodeClaim()])
    const now = world.clock.now()
    const rest = {
      claims: [nodeClaimName('a')],
      pools: [nodePoolName('default')],
      failures: 1,
      failedAt: now,
      until: later(now, durationMs(1)),
    }
    const over = { ...rest, until: now }
    await world.ports.ledger.save({ ...emptyLedger(CLUSTER), commands: [move], backOffs: [over, rest] }, undefined, NEVER)
    expect(await read()).toMatchObject({ moves: [move], restingMoves: [rest] })
  })

  it('shows what Azure refused and is not asked for now', async () => {
    const { world, read } = scene()
    const now = world.clock.now()
    const scope = { kind: 'capacityType', capacityType: 'spot' } as const
    const block = { scope, until: later(now, durationMs(1)), code: 'AZURE.QUOTA.SPOT', message: 'full' } as const
    await world.ports.offerings.mark([block], now, NEVER)
    expect(await read()).toMatchObject({ refusedOfferings: [block] })
    await world.clock.advance(1)
    expect(await read()).toMatchObject({ refusedOfferings: [] })
  })

  it('shows sizes that are demoted now, and why', async () => {
    const { world, read } = scene()
    const now = world.clock.now()
    const size = vmSizeName('Standard_D2s_v5')
    const machine = { kind: 'evicted', cluster: CLUSTER, nodeClass: nodeClassName('default'), size, launchedAt: now, at: now } as const
    const reports = ['a', 'b'].map((claim) => ({ ...machine, claim: nodeClaimName(claim), isProven: true as const }))
    await world.ports.offerings.report(reports, now, NEVER)
    const until = later(now, durationMs(3_600_000))
    expect(await read()).toMatchObject({ demotedSizes: [{ size, capacityType: 'spot', because: 'evicted', until }] })
    await world.clock.advance(3_600_000)
    expect(await read()).toMatchObject({ demotedSizes: [] })
  })

  it('says what is wrong with a ledger that cannot be read, instead of an epoch', async () => {
    const { world, read } = scene()
    await world.ports.ledger.save({ ...emptyLedger(CLUSTER), schema: LEDGER_SCHEMA + 1, epoch: 7 }, undefined, NEVER)
    const status = await read()
    expect(status.problems).toMatchObject([{ code: 'STORE.NEWER_SCHEMA', object: 'ledger' }])
    expect(status).not.toHaveProperty('epoch')
    expect(status).not.toHaveProperty('decisions')
    expect(status).not.toHaveProperty('openIntents')
  })

  it.each<[string, keyof ClusterStatus]>([
    ['ledger.load', 'epoch'],
    ['log.snapshotRequest', 'missing'],
    ['decisions.latest', 'latest'],
    ['offerings.unavailable', 'refusedOfferings'],
    ['offerings.reports', 'demotedSizes'],
  ])('shows the rest when a part cannot be read: %s', async (operation, part) => {
    const { world, read } = scene()
    await world.ports.ledger.save(emptyLedger(CLUSTER), undefined, NEVER)
    await world.ports.log.requestSnapshot('a hole', NEVER)
    world.failCall(operation, 1)
    const { problems, ...status } = await read()
    expect(problems).toMatchObject([{ code: 'STORE.UNAVAILABLE' }])
    const shown = PARTS.filter((name) => status[name] !== undefined)
    expect(shown).toEqual(PARTS.filter((name) => name !== part))
  })
})
