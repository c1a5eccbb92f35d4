import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { epochMs } from '../../model/units.ts'
import { explain } from '../answer/explain.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { reconcile } from './reconcile.ts'

const NEVER = new AbortController().signal

/** An empty node, and a pod that only the pool `other` can take. */
function scene(isPending: boolean) {
  const world = createMemoryWorld({
    clock: createVirtualClock(epochMs(1_800_000_000_000)),
    cluster: clusterId('test'),
    instanceTypes: catalog(),
  })
  const { ports, objects, work } = world
  objects.put('nodeClass', nodeClass())
  objects.put('nodePool', nodePool())
  objects.put('nodePool', nodePool({ name: 'other', template: { labels: { team: 'other' } } }))
  objects.put('node', node())
  objects.put('nodeClaim', nodeClaim())
  if (isPending) objects.put('pod', pod({ nodeSelector: { team: 'other' }, unschedulableSince: world.clock.now() }))
  const shim = createMemoryShim(world, 1)
  const session = { reader: createClusterReader(ports.log) }
  const deps = { ...ports, settings: settings() }
  return {
    work,
    /** Reconciles once and counts the claims that were made and the claims that are being deleted. */
    async run() {
      const record = shim.changes()
      if (record) await ports.log.append(record, NEVER)
      await reconcile(deps, session, [], NEVER)
      const claims = objects.all('nodeClaim')
      return {
        made: claims.filter(({ name }) => name !== nodeClaim().name).length,
        going: claims.filter(({ meta }) => meta.deletedAt !== undefined).length,
      }
    },
    /** Asks what the next decision does with the pod, and with the claim. */
    async explain() {
      for (const question of [
        { kind: 'pod', key: pod().key },
        { kind: 'nodeClaim', name: nodeClaim().name },
      ] as const)
        expect(await explain(deps, session.reader, question, NEVER)).toMatchObject({ ok: true })
    },
    begin: async () => ports.log.append(shim.snapshot(), NEVER),
  }
}

describe('the first run of a process at a cluster', () => {
  it('comes after questions that were answered before it', async () => {
    const { run, begin, explain: ask } = scene(true)
    await begin()
    await ask()
    expect(await run()).toEqual({ made: 1, going: 0 })
    await ask()
    expect(await run()).toEqual({ made: 1, going: 1 })
  })

  it('makes machines for pods that wait, and leaves the rest to a decision that it asks for at once', async () => {
    const { run, begin, work } = scene(true)
    await begin()
    expect(await run()).toEqual({ made: 1, going: 0 })
    expect(work).toContainEqual({ key: 'decide', at: expect.any(Number) })
    expect(await run()).toEqual({ made: 1, going: 1 })
  })

  it('leaves nothing to another run where no pod waits', async () => {
    const { run, begin } = scene(false)
    await begin()
    expect(await run()).toEqual({ made: 0, going: 1 })
  })
})
