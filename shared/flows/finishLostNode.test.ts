import { describe, expect, it } from 'vitest'
import { NOW } from '../../test/builders/clock.ts'
import { type NodeShape, node } from '../../test/builders/node.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../model/ids.ts'
import { Fault, problem } from '../model/problem.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal

/** A look at a claim that may not be there; whether its node stands after it. */
async function nodeStands(shape: NodeShape, ports: (deps: ClusterDeps) => Partial<ClusterDeps> = () => ({})): Promise<boolean> {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const { name } = world.objects.put('node', node(shape))
  const deps: ClusterDeps = { ...world.ports, settings: settings() }
  const message = {
    kind: 'nodeClaim',
    cluster: world.cluster,
    claim: nodeClaimName('default-aaaaa'),
    follow: false,
    sentAt: NOW,
    attempt: 0,
  } as const
  await stepClaim({ ...deps, ...ports(deps) }, message, NEVER).catch((cause: unknown) => {
    if (!(cause instanceof Fault)) throw cause
  })
  return world.objects.get('node', name) !== undefined
}

describe('a node whose claim is gone', () => {
  it('goes once its machine is gone and it is not ready', async () => {
    expect(await nodeStands({ ready: false })).toBe(false)
  })

  it('stays while it is ready, whatever Azure says of its machine', async () => {
    expect(await nodeStands({})).toBe(true)
  })

  it.each(['getClaim', 'getNode'] as const)('stays when %s answers with what cannot be understood', async (call) => {
    const unreadable = () => Promise.reject(new Fault(call, problem('INPUT.INVALID', 'spec: not an object')))
    expect(await nodeStands({ ready: false }, ({ api }) => ({ api: { ...api, [call]: unreadable } }))).toBe(true)
  })

  it('stays when Azure does not say whether its machine is there', async () => {
    const silent = () => Promise.reject(new Fault('get', problem('AZURE.FAILED', 'no answer')))
    expect(await nodeStands({ ready: false }, ({ cloud }) => ({ cloud: { ...cloud, get: silent } }))).toBe(true)
  })
})
