import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import type { Node } from '../../model/node.ts'
import { observeEnded } from './observeClaim.ts'

const NEVER = new AbortController().signal
const ENDING = nodeClaim({
  meta: { deletedAt: ago(MINUTE) },
  status: { conditions: [condition('Launched'), condition('Registered'), condition('Drained'), condition('InstanceTerminating')] },
})

/** The observation of the claim as last seen, where `machine` is what Azure returns. `known`: the node as last seen. */
function observed(machine: Instance | undefined, known?: Node) {
  const { objects, ports } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  objects.put('node', node())
  const getNode = known === undefined ? ports.api.getNode : () => expect.fail('the node is known')
  const api = { ...ports.api, getNode, getClaim: () => expect.fail('the claim is known') }
  const deps = { ...ports, settings: settings(), api, cloud: { ...ports.cloud, get: async () => machine } }
  return observeEnded(deps, ENDING, { node: known, otherNodes: undefined }, NEVER)
}

describe('a claim whose machine was asked to end', () => {
  it('is not read again once the machine is gone: its node alone is', async () => {
    expect(await observed(undefined)).toMatchObject({ claim: ENDING, instance: undefined, nodes: [{ name: node().name }] })
  })

  it('needs no read of a node that this process has seen', async () => {
    const seen = node()
    const nodes = [{ ...seen, meta: { ...seen.meta, resourceVersion: '' } }]
    expect(await observed(undefined, seen)).toMatchObject({ claim: ENDING, instance: undefined, nodes })
  })

  it.each(['running', 'deleting'] as const)('is to be read while the machine is %s', async (kind) => {
    expect(await observed(instance({ state: { kind } }))).toBeUndefined()
    expect(await observed(instance({ state: { kind } }), node())).toBeUndefined()
  })
})
