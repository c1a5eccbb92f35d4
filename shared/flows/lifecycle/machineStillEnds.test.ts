import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { notedPort } from '../../../test/builders/notedPort.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import { FINALIZER } from '../../model/labels.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { createSeenClaims } from './observeKnown.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal
const ENDING = nodeClaim({
  meta: { deletedAt: ago(MINUTE), finalizers: [FINALIZER] },
  status: { conditions: [condition('Launched'), condition('InstanceTerminating')] },
})

/** The calls and the outcome of one run of a claim that the process last saw as `seenAs`, while its machine is in a state in Azure. */
async function run(seenAs: typeof ENDING | undefined, machine: Instance['state'] | undefined) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  world.objects.put('nodeClaim', ENDING)
  const calls: string[] = []
  const cloud = { ...world.ports.cloud, get: async () => machine && { ...instance(), state: machine } }
  const deps: ClusterDeps = {
    ...world.ports,
    settings: settings(),
    api: notedPort(calls, 'api', world.ports.api),
    cloud: notedPort(calls, 'cloud', cloud),
  }
  const seen = createSeenClaims()
  if (seenAs !== undefined) seen.note(seenAs)
  const message = { claim: ENDING.name, because: 'news', isFollowed: true, attempt: 0 } as const
  const outcome = await stepClaim(deps, message, NEVER, seen)
  return { calls, outcome, isThere: world.objects.get('nodeClaim', ENDING.name) !== undefined }
}

describe('a claim whose machine Azure ends', () => {
  it('costs one question to Azure a run, and nothing of the API server', async () => {
    expect(await run(ENDING, { kind: 'deleting' })).toEqual({ calls: ['cloud.get'], outcome: 'requeued', isThere: true })
  })

  it.each<[string, typeof ENDING | undefined, Instance['state'] | undefined]>([
    ['that another process has seen', undefined, { kind: 'deleting' }],
    ['that was not asked to end yet', nodeClaim({ ...ENDING, status: { conditions: [condition('Launched')] } }), { kind: 'deleting' }],
    ['whose machine runs on', ENDING, { kind: 'running' }],
  ])('is looked at live: one %s', async (_sentence, seenAs, machine) => {
    expect((await run(seenAs, machine)).calls).toContain('api.getClaim')
  })

  it('is gone with its finalizer: what this process wrote last is what its last write is guarded by', async () => {
    const { calls, outcome, isThere } = await run(ENDING, undefined)
    expect([outcome, isThere]).toEqual(['settled', false])
    expect(calls).not.toContain('api.getClaim')
  })
})
