import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { notedPort } from '../../../test/builders/notedPort.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { ingestEvents } from '../state/ingestEvents.ts'
import { reconcile } from './reconcile.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)

describe('the storage calls of a decision', () => {
  /** Two processes over one world, which note their calls to storage. */
  function processes() {
    const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), instanceTypes: catalog() })
    world.objects.put('nodeClass', nodeClass())
    world.objects.put('nodePool', nodePool())
    const shim = createMemoryShim(world, 1)
    const calls: string[] = []
    function start() {
      const { ports } = world.start()
      const log = notedPort(calls, 'log', ports.log)
      const ledger = notedPort(calls, 'ledger', ports.ledger)
      const lease = notedPort(calls, 'lease', ports.lease)
      const decisions = notedPort(calls, 'decisions', ports.decisions)
      const deps = { ...ports, log, ledger, lease, decisions, settings: settings() }
      const reader = createClusterReader(deps.log)
      return {
        /** Takes what the shim would post now, and decides. */
        async serve(record: LogRecord | undefined): Promise<readonly string[]> {
          if (record === undefined) expect.fail('nothing has changed')
          await ingestEvents({ ...deps, reader }, deps.cluster, { ...record, unreadable: [] }, NEVER)
          calls.length = 0
          expect(await reconcile(deps, { reader }, [{ because: 'changes', eventAt: world.clock.now() }], NEVER)).toBe('decided')
          return [...calls]
        },
      }
    }
    function arrive(name: string): LogRecord | undefined {
      const now = world.clock.now()
      world.objects.put('pod', pod({ name, cpus: 3, unschedulableSince: now, createdAt: now }))
      return shim.changes()
    }
    return { world, start, arrive, whole: shim.snapshot }
  }

  it('read nothing of the log in the process that appended the post', async () => {
    const { world, start, arrive, whole } = processes()
    const process = start()
    await process.serve(whole())
    await process.serve(arrive('first'))
    const calls = await process.serve(arrive('second'))
    expect(calls).toEqual(['lease.acquire', 'ledger.load', 'ledger.save', 'ledger.save', 'decisions.save'])
    expect(world.objects.all('nodeClaim')).toHaveLength(2)
  })

  it('read the log after another process has decided, so that no machine comes twice', async () => {
    const { world, start, arrive, whole } = processes()
    const [one, other] = [start(), start()]
    await one.serve(whole())
    await one.serve(arrive('first'))
    await other.serve(arrive('second'))
    expect(await one.serve(arrive('third'))).toContain('log.read')
    expect(world.objects.all('nodeClaim')).toHaveLength(3)
  })
})
