import { describe, expect, it } from 'vitest'
import { apart, selecting } from '../../../bench/scheduling/workloads/shapes.ts'
import { catalog } from '../../../test/builders/catalog.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pods } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { reconcile } from './reconcile.ts'

const NEVER = new AbortController().signal
const WAITING = 20
/** Steps for a few of the pods. */
const FEW_STEPS = 5_000

/** Pods that need a machine each, and steps for a few of them. Each run has a new process. */
function scene() {
  const world = createMemoryWorld({
    clock: createVirtualClock(epochMs(1_800_000_000_000)),
    cluster: clusterId('test'),
    instanceTypes: catalog(),
  })
  const { ports, objects, work, clock } = world
  objects.put('nodeClass', nodeClass())
  objects.put('nodePool', nodePool())
  for (const pod of pods(WAITING, { labels: { app: 'apart' }, podAntiAffinity: apart(selecting({ app: 'apart' })) }))
    objects.put('pod', { ...pod, unschedulableSince: clock.now() })
  const shim = createMemoryShim(world, 1)
  const deps = { ...ports, settings: settings({ maxSteps: FEW_STEPS }) }
  return {
    work,
    begin: async () => ports.log.append(shim.snapshot(), NEVER),
    async run() {
      const record = shim.changes()
      if (record) await ports.log.append(record, NEVER)
      await reconcile(deps, { reader: createClusterReader(ports.log) }, [], NEVER)
      const loaded = await ports.ledger.load(NEVER)
      return { made: objects.all('nodeClaim').length, cursor: loaded.ok ? loaded.value?.value.provisioningCursor : undefined }
    },
  }
}

describe('a decision whose steps do not suffice for all pods', () => {
  it('is followed at once by a decision that goes on with the other pods, also in another process', async () => {
    const { begin, run, work } = scene()
    await begin()
    const first = await run()
    expect(first.made).toBeGreaterThan(0)
    expect(first.made).toBeLessThan(WAITING)
    expect(first.cursor).toBeDefined()
    expect(work).toContainEqual({ key: 'decide', at: expect.any(Number) })
    let last = first
    for (let runs = 1; last.cursor !== undefined; runs++) {
      expect(runs).toBeLessThan(WAITING)
      last = await run()
    }
    expect(last.made).toBe(WAITING)
  })
})
