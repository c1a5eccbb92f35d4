import { describe, expect, it } from 'vitest'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { pod } from '../../test/builders/pod.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../adapters/memory/virtualClock.ts'
import { clusterId } from '../model/ids.ts'
import { epochMs } from '../model/units.ts'
import { disruptClaim } from './disruptClaim.ts'

const NEVER = new AbortController().signal

/** An empty node of one claim, and a decision to take it away made on a picture that does not show it at all. */
function emptyNode() {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(1_800_000_000_000)), cluster: clusterId('test') })
  const claim = world.objects.put('nodeClaim', nodeClaim({ name: 'default-a' }))
  world.objects.put('node', node({ claim: 'default-a' }))
  const take = (): Promise<void> =>
    disruptClaim(
      { ...world.ports, settings: settings() },
      { kind: 'deleteClaim', claim: claim.name, uid: claim.meta.uid, because: 'Empty' },
      NEVER,
    )
  const said = (): readonly string[] => world.telemetry.lines.filter((line) => line.level === 'info').map((line) => line.message)
  return { world, claim, take, said }
}

describe('disruptClaim', () => {
  it('ends the claim of an empty node', async () => {
    const { world, claim, take, said } = emptyNode()
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeDefined()
    expect(said()).toEqual(['nodeclaim default-a is taken away: Empty'])
  })

  it('leaves a claim alone that is being ended already', async () => {
    const { world, claim, take, said } = emptyNode()
    world.objects.delete('nodeClaim', claim.name)
    const before = world.journal.tried()
    await take()
    expect(world.journal.tried()).toBe(before)
    expect(said()).toEqual([])
  })

  it('keeps a node that got a pod meanwhile, and opens it again', async () => {
    const { world, claim, take } = emptyNode()
    const [held] = world.objects.all('node')
    world.objects.put('pod', pod({ name: 'late', ...(held ? { nodeName: held.name } : {}), phase: 'Running' }))
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.all('node')[0]?.taints).toEqual(held?.taints)
  })

  it('opens the node again when nobody can say what runs on it', async () => {
    const { world, claim, take } = emptyNode()
    const [held] = world.objects.all('node')
    world.failCall('api.listPodsOn', 1)
    await expect(take()).rejects.toThrow('api.listPodsOn')
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.all('node')[0]?.taints).toEqual(held?.taints)
  })
})
