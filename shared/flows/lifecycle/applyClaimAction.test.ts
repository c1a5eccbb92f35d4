import { expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaim({ stage: 'initialized' })

/** Runs a claim whose machine does not exist any more. `deleted`: the answer of the API server to the deletion. Default: that of the world. */
async function run(deleted?: 'not found') {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  world.objects.put('nodeClaim', CLAIM)
  world.objects.put('node', node({ conditions: [condition('Ready', { status: 'Unknown' })] }))
  let deletions = 0
  const deleteClaim: typeof world.ports.api.deleteClaim = async (...given) => {
    deletions++
    return deleted === 'not found' ? undefined : world.ports.api.deleteClaim(...given)
  }
  const deps = { ...world.ports, settings: settings(), api: { ...world.ports.api, deleteClaim } }
  const outcome = await stepClaim(deps, { claim: CLAIM.name, because: 'requeue', isFollowed: true, attempt: 3 }, NEVER)
  return { outcome, deletions, added: world.work.map((each) => ('attempt' in each ? `${each.key} ${each.attempt}` : each.key)) }
}

it('a claim whose machine is gone is deleted once, and its pods are planned at once', async () => {
  const { deletions, added } = await run()
  expect(deletions).toBe(1)
  expect(added).toContain('decide')
})

it('a claim that the API server shows and does not find is tried again later and later, and asks for no decision', async () => {
  expect(await run('not found')).toEqual({ outcome: 'requeued', deletions: 2, added: ['claim 4'] })
})
