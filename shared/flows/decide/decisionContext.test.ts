import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createRecordedTelemetry } from '../../adapters/memory/telemetry.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { decide } from '../../engine/loadedCluster.ts'
import { clusterId, nodeClassName, nodePoolName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { SubnetState } from '../../ports/cloudProvider.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { createClusterState } from '../state/clusterState.ts'
import { createDecisionCheck, subnetRoomsOf, takeDecisionContext } from './decisionContext.ts'

const NEVER = new AbortController().signal

/** When decisions of the cluster ask for spot again after so many refusals in a row, of an hour at first. Beside it the end of the block. */
async function asksAgain(name: string, refusals: number) {
  const cluster = clusterId(name)
  const { ports } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster })
  let now: EpochMs = NOW
  for (let refusal = 0; refusal < refusals; refusal++) {
    const until = epochMs(now + HOUR)
    const scope = { kind: 'capacityType', capacityType: 'spot' } as const
    const [block] = await ports.offerings.mark([{ scope, until, code: 'AZURE.QUOTA.SPOT', message: 'full' }], now, NEVER)
    now = block?.until ?? now
  }
  const context = await takeDecisionContext(
    { ...ports, settings: settings() },
    createClusterState(),
    emptyLedger(cluster),
    epochMs(now - 1),
    NEVER,
  )
  return { wait: context.unavailable[0]?.until, block: now }
}

describe('the clusters of a region that wait for an offering', () => {
  it('ask again at the end of the block after the first refusal', async () =>
    expect(await asksAgain('one', 1)).toEqual({ wait: hence(HOUR), block: hence(HOUR) }))

  it('do not ask all at once after further refusals', async () => {
    const [one, other] = [await asksAgain('one', 2), await asksAgain('other', 2)]
    expect(one.block).toBe(hence(3 * HOUR))
    expect(one.wait).toBeGreaterThan(one.block)
    expect(other.wait).toBeGreaterThan(other.block)
    expect(one.wait).not.toBe(other.wait)
  })
})

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

const SNAPSHOT = snapshot({ objects: { pod: [pod()] } })
const RIGHT = decide(SNAPSHOT)

function checked(every: number) {
  const telemetry = createRecordedTelemetry()
  const check = createDecisionCheck(every)
  const played = { asked: 0, forgotten: 0 }
  const reader = {
    catchUp: () => Promise.reject(new Error('not called')),
    compactIfDue: () => Promise.reject(new Error('not called')),
    known: () => undefined,
    receive: () => undefined,
    hasSeen: () => undefined,
    size: () => 0,
    forget: () => void played.forgotten++,
  }
  return {
    played,
    lines: () => telemetry.lines.map(({ level, message }) => `${level}: ${message}`),
    decided(decision = RIGHT) {
      check.note(decision, () => {
        played.asked++
        return SNAPSHOT
      })
      check.run({ cluster: clusterId('test'), telemetry }, reader)
    },
  }
}

describe('the check of decisions', () => {
  it('compares each so many decisions one, and says that it is the same', () => {
    const { played, decided, lines } = checked(3)
    for (let decision = 0; decision < 7; decision++) decided()
    expect(played).toEqual({ asked: 2, forgotten: 0 })
    expect(lines()).toEqual(Array.from({ length: 2 }, () => 'info: a decision was made again from scratch: the same'))
  })

  it('says loudly that a decision differs, and lets go what made it', () => {
    const { played, decided, lines } = checked(1)
    decided({ ...RIGHT, actions: [] })
    expect(played).toEqual({ asked: 1, forgotten: 1 })
    expect(lines()).toEqual([expect.stringMatching(/^error: a decision of the loaded cluster differs/)])
  })

  it('costs nothing where it is not asked for', () => {
    const { played, decided, lines } = checked(0)
    decided({ actions: [], reasons: [] })
    expect([played, lines()]).toEqual([{ asked: 0, forgotten: 0 }, []])
  })
})
