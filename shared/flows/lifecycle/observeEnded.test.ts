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
import { observeEnded } from './observeEnded.ts'

const NEVER = new AbortController().signal
const ENDING = nodeClaim({
  meta: { deletedAt: ago(MINUTE) },
  status: { conditions: [condition('Launched'), condition('Registered'), condition('Drained'), condition('InstanceTerminating')] },
})

/** The observation of the claim as last seen, where `machine` is what Azure returns. */
function observed(machine: Instance | undefined) {
  const { objects, ports } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  objects.put('node', node())
  const api = { ...ports.api, getClaim: () => expect.fail('the claim is known') }
  return observeEnded({ ...ports, settings: settings(), api, cloud: { ...ports.cloud, get: async () => machine } }, ENDING, NEVER)
}

describe('a claim whose machine was asked to end', () => {
  it('is not read again once the machine is gone: its node alone is', async () => {
    expect(await observed(undefined)).toMatchObject({ claim: ENDING, instance: undefined, nodes: [{ name: node().name }] })
  })

  it.each(['running', 'deleting'] as const)('is to be read while the machine is %s', async (kind) => {
    expect(await observed(instance({ state: { kind } }))).toBeUndefined()
  })
})
