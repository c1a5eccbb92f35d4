import { describe, expect, it } from 'vitest'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { pod } from '../../test/builders/pod.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../adapters/memory/virtualClock.ts'
import { clusterId, uid } from '../model/ids.ts'
import { epochMs } from '../model/units.ts'
import { expireClaim } from './expireClaim.ts'

function world() {
  const memory = createMemoryWorld({ clock: createVirtualClock(epochMs(1_800_000_000_000)), cluster: clusterId('test') })
  const claim = memory.objects.put('nodeClaim', nodeClaim())
  const expire = (id = claim.meta.uid): Promise<void> =>
    expireClaim(
      { ...memory.ports, settings: settings() },
      { kind: 'expireClaim', claim: claim.name, uid: id },
      new AbortController().signal,
    )
  return { memory, claim, expire, isEnding: () => memory.objects.get('nodeClaim', claim.name)?.meta.deletedAt !== undefined }
}

describe('expireClaim', () => {
  it('ends the claim although pods run on its node, has it followed, and says so', async () => {
    const { memory, claim, expire, isEnding } = world()
    memory.objects.put('node', node())
    memory.objects.put('pod', pod({ nodeName: node().name }))
    await expire()
    expect(isEnding()).toBe(true)
    expect(memory.queues.waiting()).toMatchObject([{ kind: 'nodeClaim', claim: claim.name, follow: true }])
    expect(memory.telemetry.lines).toMatchObject([
      { message: 'nodeclaim default-aaaaa is taken away: Expired', fields: { because: 'Expired' } },
    ])
  })

  it('leaves another claim of the same name alone', async () => {
    const { memory, expire, isEnding } = world()
    await expire(uid('earlier'))
    expect(isEnding()).toBe(false)
    expect(memory.queues.waiting()).toEqual([])
  })

  it('does nothing a second time, nor for a claim that is gone', async () => {
    const { memory, claim, expire } = world()
    await expire()
    const before = memory.journal.tried()
    await expire()
    memory.objects.remove('nodeClaim', claim.name)
    await expire()
    expect(memory.journal.tried()).toBe(before)
  })
})
