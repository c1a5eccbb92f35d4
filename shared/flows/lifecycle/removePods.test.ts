import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err, ok } from '../../base/result.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { clusterId, uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { PodAction } from './applyClaimAction.ts'
import { createEvictionBackOff, removePods } from './removePods.ts'

const NEVER = new AbortController().signal
const claim = nodeClaim({ meta: { deletedAt: ago(MINUTE) } })
const here = (name: string): Pod => pod({ name, nodeName: 'joiner-default-aaaaa', phase: 'Running' })
const [held, free] = [here('held'), here('free')]

const evict = (each: Pod): PodAction => ({ kind: 'evictPod', pod: each })
const refuses = (retryAfterMs = 100): ReturnType<ClusterApi['evict']> =>
  Promise.resolve(err(problem('KUBE.EVICTION_BLOCKED', 'no', { retryAfterMs, fields: { budget: 'default/web' } })))
const HELD = { pod: held.key, by: 'poddisruptionbudget default/web' }

/** A node with two pods. `answer` answers the eviction of one of them. Each removal returns the calls to the API server. */
function drain(answer: ClusterApi['evict']) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  for (const each of [held, free]) world.objects.put('pod', each)
  const { api } = world.ports
  let asked: string[] = []
  const deps: ClusterDeps = {
    ...world.ports,
    settings: settings(),
    api: {
      ...api,
      evict: (each, signal) => {
        asked.push(`evict ${each.key}`)
        return each.uid === held.uid ? answer(each, signal) : api.evict(each, signal)
      },
      deletePod: (each, seconds, signal) => {
        asked.push(`delete ${each.key} within ${seconds} s`)
        return api.deletePod(each, seconds, signal)
      },
    },
  }
  const backOff = createEvictionBackOff()
  const remove = async (now: EpochMs, ...actions: readonly PodAction[]) => {
    asked = []
    const observation: ClaimObservation = {
      ...{ now, settings: settings(), claim, nodeClass: undefined, nodes: [], pods: [] },
      ...{ instance: 'unseen', instanceTypes: [], unavailable: [] },
    }
    const removed = await removePods(deps, observation, { actions, backOff }, NEVER)
    return { ...removed, asked }
  }
  return { backOff, remove, messages: () => world.objects.events.map(({ event }) => event.message) }
}

describe('a pod whose eviction was refused', () => {
  it('is not asked before its pause is over, is still told as held, and keeps no other on the node', async () => {
    const { remove } = drain(() => refuses(5_000))
    expect(await remove(NOW, evict(held))).toEqual({
      asked: ['evict default/held'],
      changed: false,
      held: [HELD],
      wakeAt: hence(5 * SECOND),
    })
    const early = await remove(hence(SECOND), evict(held), evict(free))
    expect(early).toEqual({ asked: ['evict default/free'], changed: true, held: [HELD], wakeAt: hence(2 * SECOND) })
    expect(await remove(hence(4_500), evict(held))).toEqual({ asked: [], changed: false, held: [HELD], wakeAt: hence(5 * SECOND) })
    expect((await remove(hence(5_000), evict(held))).asked).toEqual(['evict default/held'])
  })

  it('is looked at again as soon as the first of the held ones may be asked', async () => {
    const { remove } = drain(() => refuses())
    const seen: (number | undefined)[] = []
    for (let now: EpochMs = NOW, n = 0; n < 9; n++) {
      const { wakeAt } = await remove(now, evict(held))
      seen.push(wakeAt && wakeAt - now)
      now = wakeAt ?? now
    }
    expect(seen).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
  })

  it('is deleted by its deadline all the same', async () => {
    const { remove, backOff } = drain(() => refuses(30_000))
    await remove(NOW, evict(held))
    const { asked, changed } = await remove(hence(SECOND), { kind: 'deletePod', pod: held, gracePeriodSeconds: 3 })
    expect([asked, changed]).toEqual([['delete default/held within 3 s'], true])
    expect(backOff.restingAt(held, hence(SECOND))).toBeUndefined()
  })

  it('is forgotten once it goes, or has gone', async () => {
    const answers: readonly ('evicted' | 'gone')[] = ['evicted', 'gone']
    for (const answer of answers) {
      let isHeld = true
      const { remove, backOff } = drain(() => (isHeld ? refuses(300) : Promise.resolve(ok(answer))))
      for (let n = 0; n < 4; n++) await remove(hence(n * SECOND), evict(held))
      isHeld = false
      await remove(hence(4 * SECOND), evict(held))
      expect(backOff.refused(held, undefined, hence(5 * SECOND)).dueAt).toBe(hence(5_100))
    }
  })
})

describe('a pod that the API server fails to evict', () => {
  it('rests as well, as long as the server asks for, and is said once, by what failed', async () => {
    const busy = problem('KUBE.FAILED', 'the API server answered 503: busy', { retryAfterMs: 4_000 })
    const { remove, messages } = drain(() => Promise.reject(new Fault('evict', busy)))
    expect(await remove(NOW, evict(held))).toMatchObject({ changed: false, held: [], wakeAt: hence(4 * SECOND) })
    expect(await remove(hence(SECOND), evict(held))).toEqual({ asked: [], changed: false, held: [], wakeAt: hence(4 * SECOND) })
    expect(messages()).toEqual(['pod default/held cannot be taken from the node: the API server answered 503: busy'])
  })
})

const app = pod({ name: 'app', nodeName: 'node' })
const HELD_APP = { pod: app.key, by: 'poddisruptionbudget default/web' }

/** The pauses of a pod whose eviction is tried as soon as allowed and always refused. */
function pauses(times: number, retryAfterMs?: number): readonly number[] {
  const backOff = createEvictionBackOff()
  let now: EpochMs = NOW
  return Array.from({ length: times }, () => {
    const { dueAt } = backOff.refused(app, HELD_APP, now, retryAfterMs)
    const pause = dueAt - now
    now = dueAt
    return pause
  })
}

describe('a pod whose eviction is refused', () => {
  it('is asked again after 100 ms, and each time after twice as long, up to ten seconds', () => {
    expect(pauses(10)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000])
  })

  it('is not asked sooner than the API server said, which may be later than its own pause or sooner', () => {
    expect(pauses(5, 700)).toEqual([700, 700, 700, 800, 1_600])
    expect(pauses(2, 30_000)).toEqual([30_000, 30_000])
  })

  it('rests until then, and who holds it is known meanwhile', () => {
    const backOff = createEvictionBackOff()
    backOff.refused(app, HELD_APP, NOW, 1_000)
    expect(backOff.restingAt(app, hence(999))).toMatchObject({ held: HELD_APP, dueAt: hence(SECOND) })
    expect(backOff.restingAt(app, hence(1_000))).toBeUndefined()
  })

  it('keeps no other pod waiting, nor the next of its name', () => {
    const backOff = createEvictionBackOff()
    backOff.refused(app, HELD_APP, NOW, 1_000)
    expect(backOff.restingAt(pod({ name: 'other', nodeName: 'node' }), NOW)).toBeUndefined()
    expect(backOff.restingAt({ ...app, uid: uid('another') }, NOW)).toBeUndefined()
  })

  it('begins anew once it was let go', () => {
    const backOff = createEvictionBackOff()
    for (let n = 0; n < 8; n++) backOff.refused(app, HELD_APP, NOW)
    backOff.forget(app)
    expect(backOff.restingAt(app, NOW)).toBeUndefined()
    expect(backOff.refused(app, HELD_APP, NOW).dueAt).toBe(hence(100))
  })

  it('is asked at once where more pods rest than are kept in mind', () => {
    const backOff = createEvictionBackOff()
    const nth = (n: number) => ({ ...app, uid: uid(`pod-${n}`) })
    for (let n = 0; n <= 10_000; n++) backOff.refused(nth(n), undefined, NOW, 1_000)
    expect([0, 1, 10_000].map((n) => backOff.restingAt(nth(n), NOW)?.dueAt)).toEqual([undefined, hence(SECOND), hence(SECOND)])
  })
})
