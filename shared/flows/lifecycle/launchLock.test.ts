import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { createLaunchLocks } from '../deps/launchLocks.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { leaveLaunch, lockLaunch } from './launchClaim.ts'
import { observeClaim } from './observeClaim.ts'
import { lockAnnotations } from './tryCandidates.ts'

const NEVER = new AbortController().signal

/** A claim that a process made with its launch lock, and the request for its launch. */
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
  const request = claimRequest(made, { known: { launch: { claim: made, nodeClass: nodeClass(), nodeOverlays: [] } } })
  const lockElsewhere = async () => {
    const seen = await observeClaim(other, made.name, NEVER)
    if (typeof seen !== 'object') throw new Error('no claim of ours')
    return lockLaunch(other, seen, NEVER)
  }
  return { world, first, request, lockElsewhere }
}

describe('a launch that a process leaves to another one', () => {
  it('begins there at once: the lock that came with the claim is removed', async () => {
    const { first, request, lockElsewhere } = await madeClaim()
    expect(await lockElsewhere(), 'as long as the lock holds').toMatchObject({ kind: 'wait' })
    await leaveLaunch(first, request, NEVER)
    expect(await lockElsewhere()).toMatchObject({ kind: 'locked', since: 0 })
  })

  it('keeps its lock once it has begun here', async () => {
    const { first, request, lockElsewhere } = await madeClaim()
    first.launchLocks.take(request.claim, NOW)
    await leaveLaunch(first, request, NEVER)
    expect(await lockElsewhere()).toMatchObject({ kind: 'wait' })
  })

  it('keeps its lock if this process does not know the claim', async () => {
    const { first, request, lockElsewhere } = await madeClaim()
    const { known: _, ...plain } = request
    await leaveLaunch(first, plain, NEVER)
    expect(await lockElsewhere()).toMatchObject({ kind: 'wait' })
  })
})
