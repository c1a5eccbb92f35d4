import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Condition } from '../../model/condition.ts'
import { clusterId, nodeClaimName, objectKey, uid } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { Fault, problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { createSeenClaims } from './observeKnown.ts'
import { stepClaim } from './stepClaim.ts'
import { setDeadline } from './stillUnderWay.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaimName('default-aaaaa')
const APP = objectKey('default', 'app')

const budget = (name: string, disruptionsAllowed: number): PodDisruptionBudget => ({
  ...{ key: objectKey('default', name), uid: uid(name), selector: { matchLabels: {}, matchExpressions: [] }, conditions: [] },
  ...{ disruptionsAllowed, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
})

type Drained = {
  readonly pods?: readonly PodShape[]
  readonly budgets?: readonly PodDisruptionBudget[]
  readonly conditions?: readonly Condition[]
  readonly api?: Partial<ClusterApi>
}

/** A claim that is being deleted, whose drain began ten seconds ago, with these pods on its node. Its pods take a minute to terminate. */
function drain({ pods = [{}], budgets = [], conditions = [], api = {} }: Drained = {}) {
  const clock = createVirtualClock(NOW)
  const { objects, ports, telemetry } = createMemoryWorld({ clock, cluster: clusterId('test'), podExitMs: MINUTE })
  const drained = condition('Drained', { status: 'Unknown', reason: 'Draining', lastTransitionAt: ago(10 * SECOND) })
  const stages = ['Launched', 'Registered', 'Initialized'].map((type) => condition(type))
  objects.put('nodeClaim', nodeClaim({ meta: { deletedAt: ago(MINUTE) }, status: { conditions: [...stages, ...conditions, drained] } }))
  objects.put('node', node())
  for (const shape of pods) objects.put('pod', pod({ name: 'app', phase: 'Running', ...shape, nodeName: node().name }))
  for (const each of budgets) objects.put('podDisruptionBudget', each)
  const asked: string[] = []
  const deps = {
    ...{ ...ports, settings: settings() },
    api: {
      ...ports.api,
      ...api,
      deletePod: (each: Pod, seconds: number, signal: typeof NEVER) => {
        asked.push(`${each.key} within ${seconds} s`)
        return ports.api.deletePod(each, seconds, signal)
      },
    },
  }
  const seen = createSeenClaims()
  const message = { claim: CLAIM, because: 'news', isFollowed: false, attempt: 0 } as const
  return {
    objects,
    /** Pods that were deleted by a deadline. */
    deleted: asked,
    run: () => stepClaim(deps, message, NEVER, seen),
    wait: (ms: number) => clock.advance(ms),
    endBy: (deadline: EpochMs) => setDeadline(deps, objects.get('nodeClaim', CLAIM) ?? expect.fail('no claim'), deadline, NEVER),
    events: () => objects.events.map(({ event }) => event.reason),
    codes: () => counted('karpenter_pods_eviction_requests_total', 'code'),
    reasons: () => summed(counted('karpenter_pods_drained_total', 'reason')),
    isGoing: () => objects.get('pod', APP)?.deletedAt !== undefined,
  }

  function counted(name: string, by: string): readonly string[] {
    return telemetry.measures.flatMap((each) => (each.name === name ? [`${each.value} ${each.fields[by]}`] : []))
  }
}

/** `['1 a', '1 a']` is `['2 a']`. */
function summed(counts: readonly string[]): readonly string[] {
  const each = Map.groupBy(counts, (text) => text.slice(text.indexOf(' ') + 1))
  return [...each].map(([of, own]) => `${own.reduce((sum, text) => sum + Number.parseInt(text, 10), 0)} ${of}`)
}

const message = (claim: NodeClaim | undefined): string | undefined =>
  claim?.status.conditions.find(({ type }) => type === 'Drained')?.message

describe('an eviction', () => {
  it.each([
    ['EV-01: of a pod that is gone is no failure', (pods: ReturnType<typeof drain>['objects']) => void pods.remove('pod', APP)],
    [
      'EV-02 NT-21: of a pod whose name another has is no failure, and the other stays',
      ({ put }: ReturnType<typeof drain>['objects']) => void put('pod', pod({ name: 'app', uid: uid('next'), phase: 'Running' })),
    ],
  ])('%s', async (_sentence, meanwhile) => {
    const { objects, run, events, codes, reasons, isGoing } = drain({
      api: {
        listPodsOn: async () => [pod({ name: 'app', phase: 'Running', nodeName: node().name })],
      },
    })
    meanwhile(objects)
    await run()
    expect([isGoing(), events(), codes(), reasons()]).toEqual([false, [], ['1 404'], []])
  })

  it('EV-03: of a pod without a budget is told and counted', async () => {
    const { run, events, codes, isGoing } = drain()
    await run()
    expect([isGoing(), events(), codes()]).toEqual([true, ['Evicted'], ['1 200']])
  })

  it('EV-04: is let go by a budget that has room', async () => {
    const { run, events, isGoing } = drain({ budgets: [budget('web', 1)] })
    await run()
    expect([isGoing(), events()]).toEqual([true, ['Evicted']])
  })

  it('EV-05: that a budget blocks is told, counted, and asked for again once it may be', async () => {
    const { objects, run, wait, events, codes, isGoing } = drain({ budgets: [budget('web', 0)] })
    await run()
    expect([isGoing(), events(), codes()]).toEqual([false, ['FailedDraining', 'FailedDraining'], ['1 429']])
    objects.put('podDisruptionBudget', budget('web', 1))
    await run()
    expect(codes()).toHaveLength(1)
    await wait(100)
    await run()
    expect([isGoing(), codes()]).toEqual([true, ['1 429', '1 200']])
  })

  it('EV-06: of a pod with two budgets is told in other words, counted, and asked for again', async () => {
    const { objects, run, wait, events, codes } = drain({ budgets: [budget('web', 1), budget('all', 1)] })
    await run()
    expect(events()).toEqual(['FailedDraining', 'FailedDraining'])
    expect(message(objects.get('nodeClaim', CLAIM))).toContain('more than one PodDisruptionBudget')
    await wait(100)
    await run()
    expect(codes()).toEqual(['1 500', '1 500'])
  })

  it('that the API server fails is counted by its status', async () => {
    const fields = { status: 503 }
    const { run, codes } = drain({ api: { evict: () => Promise.reject(new Fault('evict', problem('KUBE.FAILED', 'busy', { fields }))) } })
    await run()
    expect(codes()).toEqual(['1 503'])
  })
})

const because = (status: Condition['status']) => condition('DisruptionReason', { status, reason: 'Drifted' })

describe('pods that are drained', () => {
  it.each([
    ['EV-08: as ended by force where no move took their node', [], '2 Forceful Termination'],
    ['EV-09: by the reason of the move that took their node', [because('True')], '2 Drifted'],
    ['as ended by force where that move came to nothing', [because('False')], '2 Forceful Termination'],
  ])('are counted %s', async (_sentence, conditions, want) => {
    const { run, reasons } = drain({ pods: [{}, { name: 'other' }], conditions })
    await run()
    await run()
    expect(reasons()).toEqual([want])
  })

  it('are counted where a deadline deletes them', async () => {
    const { run, reasons, endBy } = drain({ pods: [{ terminationGracePeriodSeconds: 60 }], budgets: [budget('web', 0)] })
    await endBy(hence(10 * SECOND))
    await run()
    expect(reasons()).toEqual(['1 Forceful Termination'])
  })
})

describe('the deadline of a drain', () => {
  const slow = { pods: [{ terminationGracePeriodSeconds: 60 }], budgets: [budget('web', 0)] }

  it('EV-10: deletes a pod whatever its budget says', async () => {
    const { run, endBy, deleted, codes } = drain(slow)
    await endBy(hence(20 * SECOND))
    await run()
    expect([deleted, codes()]).toEqual([['default/app within 20 s'], []])
  })

  it('EV-11: that comes later than the first eviction deletes the pod, though it may not be asked to leave yet', async () => {
    const { run, endBy, deleted, codes, events } = drain(slow)
    await run()
    await endBy(hence(20 * SECOND))
    await run()
    expect([deleted, codes()]).toEqual([['default/app within 20 s'], ['1 429']])
    expect(events()).toContain('Disrupted')
  })

  it('EV-12: stays where somebody asks for a later one', async () => {
    const { run, endBy, deleted } = drain(slow)
    await endBy(hence(20 * SECOND))
    await endBy(hence(10 * MINUTE))
    await run()
    expect(deleted).toEqual(['default/app within 20 s'])
  })

  it('EV-13: of a pod that has gone meanwhile is met, and nothing waits for it', async () => {
    let kept = [pod({ name: 'app', phase: 'Running', terminationGracePeriodSeconds: 60, nodeName: node().name })]
    const { objects, run, endBy, deleted } = drain({ pods: [], api: { listPodsOn: async () => kept } })
    await endBy(hence(20 * SECOND))
    await run()
    expect(deleted).toHaveLength(1)
    kept = []
    await run()
    expect(objects.get('nodeClaim', CLAIM)?.status.conditions).toContainEqual(expect.objectContaining({ type: 'Drained', status: 'True' }))
  })

  it('EV-14: that is over leaves a pod one second, and never none', async () => {
    for (const ms of [0, -60_000, 500]) {
      const { run, endBy, deleted } = drain(slow)
      await endBy(hence(ms))
      await run()
      expect(deleted).toEqual(['default/app within 1 s'])
    }
  })
})
