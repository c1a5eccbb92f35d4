import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import type { ClaimMessage } from '../../model/message.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { createLaunchLocks } from '../deps/launchLocks.ts'
import { claimMessage } from '../messages/claimMessage.ts'
import { lockAnnotations } from './launches.ts'
import { leaveLaunch, lockLaunch } from './launchLock.ts'
import { observeClaim } from './observeClaim.ts'

const NEVER = new AbortController().signal

/** A claim that a process made with its launch lock, and the message for its launch. */
async function madeClaim() {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const made: NodeClaim = world.objects.put(
    'nodeClaim',
    nodeClaim({ stage: 'created', meta: { createdAt: NOW, annotations: lockAnnotations(NOW, 1) } }),
  )
  const launchLocks = createLaunchLocks()
  launchLocks.begin(made.name, NOW)
  const [first, other] = [
    { ...world.ports, settings: settings(), launchLocks },
    { ...world.start().ports, settings: settings() },
  ]
  const message = claimMessage(first, made, { known: { launch: { claim: made, nodeClass: nodeClass(), nodeOverlays: [] } } })
  const lockElsewhere = async (left: ClaimMessage) => {
    const seen = await observeClaim(other, left.claim, NEVER)
    if (typeof seen !== 'object') throw new Error('no claim of ours')
    return lockLaunch(other, { ...seen, claim: left.known?.launch?.claim ?? seen.claim }, NEVER)
  }
  return { world, first, message, lockElsewhere }
}

describe('a launch that a process leaves to another one', () => {
  it('begins there at once: the lock that came with the claim is removed, and the message knows the claim without it', async () => {
    const { first, message, lockElsewhere } = await madeClaim()
    expect(await lockElsewhere(message), 'as long as the lock holds').toMatchObject({ kind: 'wait' })
    const left = await leaveLaunch(first, message, NEVER)
    expect(await lockElsewhere(left)).toMatchObject({ kind: 'locked', since: 0 })
  })

  it('keeps its lock once it has begun here', async () => {
    const { first, message, lockElsewhere } = await madeClaim()
    first.launchLocks.take(message.claim, NOW)
    const left = await leaveLaunch(first, message, NEVER)
    expect(left).toEqual(message)
    expect(await lockElsewhere(left)).toMatchObject({ kind: 'wait' })
  })

  it('is read anew if somebody changed the claim', async () => {
    const { world, first, message } = await madeClaim()
    const [claim] = world.objects.all('nodeClaim')
    if (claim !== undefined) world.objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, labels: { ...claim.meta.labels, a: 'b' } } })
    const { known, ...left } = await leaveLaunch(first, message, NEVER)
    expect([known, left.claim]).toEqual([undefined, message.claim])
  })

  it('of a message without a claim of this process is left as it is', async () => {
    const { first, message } = await madeClaim()
    const { known: _, ...plain } = message
    expect(await leaveLaunch(first, plain, NEVER)).toEqual(plain)
  })
})
