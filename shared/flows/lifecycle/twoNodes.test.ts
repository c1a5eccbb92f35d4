import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, type NodeName, nodeName } from '../../model/ids.ts'
import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import { stepClaim } from './stepClaim.ts'

const TWIN = nodeName('twin')
const JOINING = {
  initialized: false,
  taints: [{ key: TAINT_KEY.unregistered, effect: 'NoExecute' }],
  meta: { labels: { [LABEL.registered]: '' } },
} as const

function world() {
  const clock = createVirtualClock(NOW)
  const memory = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
  const { objects } = memory
  objects.put('nodePool', nodePool())
  objects.put('nodeClass', nodeClass())
  const claim = objects.put('nodeClaim', nodeClaim({ stage: 'launched', meta: { createdAt: NOW } }))
  objects.put('node', node(JOINING))
  objects.put('node', node({ ...JOINING, name: TWIN, providerId: providerIdOf(claim.name) }))
  const deps = { ...memory.ports, settings: settings() }
  const run = async (otherNodes?: readonly NodeName[]): Promise<string | undefined> => {
    const message = { claim: claim.name, because: 'news', isFollowed: false, attempt: 0 } as const
    const known = otherNodes === undefined ? {} : { known: { otherNodes } }
    await stepClaim(deps, { ...message, ...known }, new AbortController().signal)
    return objects.get('nodeClaim', claim.name)?.status.conditions.find(({ type }) => type === 'Registered')?.reason
  }
  return { memory, run }
}

describe('a machine with two nodes', () => {
  it('is not registered, says so until one of them is gone, and is told about once', async () => {
    const { memory, run } = world()
    expect(await run([TWIN])).toBe('MultipleNodesFound')
    expect(await run([TWIN])).toBe('MultipleNodesFound')
    // A run that does not get the name of the other node cannot know that the node is gone.
    expect(await run()).toBe('MultipleNodesFound')
    const told = memory.journal.entries.filter(({ operation }) => operation === 'api.publish')
    expect(told).toHaveLength(1)
    memory.objects.remove('node', TWIN)
    expect(await run([])).toBe('Registered')
  })

  it('is registered with its own node where the other one is another machine by now', async () => {
    const { memory, run } = world()
    memory.objects.put('node', node({ ...JOINING, name: TWIN, providerId: providerIdOf('default-bbbbb') }))
    expect(await run([TWIN])).toBe('Registered')
  })
})
