import { expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { joinNodes } from '../../adapters/memory/joinNodes.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { durationMs } from '../../model/units.ts'
import { type ClusterDeps, FLOW_LIMITS } from '../deps/clusterDeps.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal

it('a launch that was only slow, beside one that took it for dead, makes a machine whose token is good', async () => {
  const made = nodeClaim({ name: 'default-a', stage: 'created' })
  const clock = createVirtualClock(made.meta.createdAt)
  const cluster = clusterId('test')
  const world = createMemoryWorld({ clock, cluster, instanceTypes: catalog() })
  world.objects.put('nodeClass', nodeClass())
  const { name } = world.objects.put('nodeClaim', made)
  const step = (deps: ClusterDeps): Promise<unknown> =>
    stepClaim(deps, { claim: name, because: 'news', isFollowed: false, attempt: 0 }, NEVER)
  const limits = { ...FLOW_LIMITS, launchLock: durationMs(1) }
  const slow: ClusterDeps = { ...world.start().ports, settings: settings() }
  const impatient: ClusterDeps = { ...world.start().ports, settings: settings(), limits }

  const isMade = Promise.withResolvers<void>()
  const hasToken = Promise.withResolvers<void>()
  /** The second process makes its token before it sees a machine, and asks for its machine after the machine of the slow process exists. */
  const second: ClusterDeps['cloud']['launch'] = async (request, signal) => {
    const token = await request.bootstrapToken()
    hasToken.resolve()
    await isMade.promise
    return impatient.cloud.launch({ ...request, bootstrapToken: async () => token }, signal)
  }
  let other: Promise<unknown> | undefined
  const first: ClusterDeps['cloud']['launch'] = async (request, signal) => {
    const token = await request.bootstrapToken()
    await clock.advance(1)
    other ??= step({ ...impatient, cloud: { ...impatient.cloud, launch: second } })
    await hasToken.promise
    const launched = await slow.cloud.launch({ ...request, bootstrapToken: async () => token }, signal)
    isMade.resolve()
    return launched
  }
  await step({ ...slow, cloud: { ...slow.cloud, launch: first } })
  await other
  await clock.advance(60_000)
  expect(joinNodes(world)).toEqual([`joiner-${name}`])
})
