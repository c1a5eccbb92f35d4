import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodePoolName, vmSizeName, zoneName } from '../../model/ids.ts'
import type { Intent } from '../../model/ledger.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { DecideRequest } from '../../model/work.ts'
import { createClusterState } from '../state/clusterState.ts'
import { emptyLedger, resolveIntents } from './nextLedger.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const TIMEOUT = settings().launchTimeout
const claim = nodeClaim({ stage: 'created' })

type Given = {
  /** How long ago the claim was created. Absent: it was not created. */
  readonly made?: number
  readonly decided?: number
  readonly isWatched?: boolean
  readonly isThere?: boolean | 'nobody can say'
  readonly because?: DecideRequest['because']
}

async function settled({ made, decided = 60 * SECOND, isWatched = false, isThere = false, because = 'changes' }: Given) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  if (isThere === true) world.objects.put('nodeClaim', claim)
  const state = createClusterState()
  const put = { seq: 1, at: NOW, op: 'put', kind: 'nodeClaim', key: claim.name, object: claim } as const
  if (isWatched) state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [put] } })
  let runs = 0
  const getClaim: typeof world.ports.api.getClaim = (name, signal) => {
    runs++
    if (isThere === 'nobody can say') return Promise.reject(new Fault('get', problem('KUBE.FAILED', 'the server answered 403')))
    return world.ports.api.getClaim(name, signal)
  }
  const draft = { name: claim.name, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: claim.spec }
  const choice = { size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' } as const
  const intent: Intent = {
    action: { kind: 'createClaim', draft, pods: [], choice, alternatives: 1 },
    decision: 1,
    decidedAt: ago(decided),
    ...(made === undefined ? {} : { createdAt: ago(made) }),
  }
  const before = { ...emptyLedger(CLUSTER), intents: [intent] }
  const request: DecideRequest = { because, eventAt: NOW }
  const deps = { ...world.ports, settings: settings(), api: { ...world.ports.api, getClaim } }
  const after = await resolveIntents(deps, state, before, [request], NEVER)
  return { world, runs, stands: after.intents.length === 1, isSame: after === before }
}

describe('an intent', () => {
  it.each<[sentence: string, given: Given, stands: boolean, runs: number]>([
    ['CL-20 that was never carried out stands', {}, true, 0],
    ['whose claim the watch shows is done', { made: SECOND, isWatched: true, isThere: true }, false, 0],
    ['whose claim was just made is believed', { made: 10 * SECOND - 1 }, true, 0],
    ['whose claim the watch should show by now is looked for', { made: 10 * SECOND, isThere: true }, true, 1],
    ['CL-20 whose claim is gone is dropped', { made: 10 * SECOND }, false, 1],
    ['whose claim may have been ended is looked for at once', { made: SECOND, because: 'capacity' }, false, 1],
    ['whose claim may have been interrupted is looked for at once', { made: SECOND, because: 'interruption' }, false, 1],
    ['that nobody can ask about stands while its machine may come', { made: TIMEOUT - 1, isThere: 'nobody can say' }, true, 1],
    ['that nobody can ask about is given up after that', { made: TIMEOUT, isThere: 'nobody can say' }, false, 1],
  ])('%s', async (_sentence, given, stands, runs) => {
    const got = await settled(given)
    expect([got.stands, got.runs]).toEqual([stands, runs])
    // A ledger without a change is not written.
    expect(got.isSame).toBe(stands)
  })

  it('that nobody can ask about is told of, by its claim, and on its pool once it is given up', async () => {
    const open = await settled({ made: TIMEOUT - 1, isThere: 'nobody can say' })
    expect(open.world.telemetry.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('nodeclaim default-aaaaa') }])
    expect(open.world.objects.events).toEqual([])
    const over = await settled({ made: TIMEOUT, isThere: 'nobody can say' })
    expect(over.world.telemetry.lines).toMatchObject([
      { level: 'error', fields: { claim: 'default-aaaaa', nodePool: 'default', code: 'KUBE.FAILED' } },
    ])
    expect(over.world.objects.events.map(({ event }) => event)).toMatchObject([
      {
        subject: { kind: 'nodePool', name: 'default' },
        type: 'Warning',
        reason: 'NodeClaimRefused',
        message: 'nodeclaim default-aaaaa could not be made: the server answered 403; given up, its pods are planned again',
      },
    ])
  })
})
