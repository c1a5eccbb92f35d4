import { describe, expect, it } from 'vitest'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName, uid } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { epochMs } from '../../model/units.ts'
import { removeReplacement } from './endMachines.ts'

const NEVER = new AbortController().signal
const COMING = nodeClaim({ name: 'default-new', status: { conditions: [condition('Launched')] } })

/** Removes the replacement. Returns whether it is being deleted, and how many messages about it were sent. */
async function removed(existing: NodeClaim | undefined, of = COMING.meta.uid) {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(1_800_000_000_000)), cluster: clusterId('test') })
  if (existing !== undefined) world.objects.put('nodeClaim', existing)
  const deps = { ...world.ports, settings: settings() }
  let deletions = 0
  const deleteClaim: typeof deps.api.deleteClaim = (...input) => {
    deletions++
    return deps.api.deleteClaim(...input)
  }
  const action = { kind: 'removeReplacement', claim: nodeClaimName('default-new'), uid: of, command: '7-0' } as const
  await removeReplacement({ ...deps, api: { ...deps.api, deleteClaim } }, action, NEVER)
  return { deletions, said: world.telemetry.lines.length }
}

describe('a replacement of a failed command', () => {
  it('is deleted while it is not initialized', async () => {
    expect(await removed(COMING)).toEqual({ deletions: 1, said: 1 })
  })

  it.each([
    ['it is gone', undefined, COMING.meta.uid],
    ['another claim has its name', COMING, uid('other')],
    ['it is being deleted already', { ...COMING, meta: { ...COMING.meta, deletedAt: epochMs(1) } }, COMING.meta.uid],
    [
      'it was initialized meanwhile',
      nodeClaim({ name: 'default-new', status: { conditions: [condition('Launched'), condition('Initialized')] } }),
      COMING.meta.uid,
    ],
  ])('is left alone if %s', async (_sentence, existing, of) => {
    expect(await removed(existing, of)).toEqual({ deletions: 0, said: 0 })
  })
})
