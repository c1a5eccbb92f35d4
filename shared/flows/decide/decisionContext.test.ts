import { describe, expect, it } from 'vitest'
import { HOUR, hence, NOW } from '../../../test/builders/clock.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { emptyLedger } from '../ledger/intents.ts'
import { createClusterState } from '../state/clusterState.ts'
import { takeDecisionContext } from './decisionContext.ts'

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
