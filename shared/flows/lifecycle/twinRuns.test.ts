import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { DISRUPTED_TAINT } from '../../engine/pod/podPredicates.ts'
import { clusterId, nodeClaimName, objectKey, uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { formatTimestamp } from '../../model/time.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { interrupt } from './interrupt.ts'
import { createSeenClaims } from './observeKnown.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaimName('default-aaaaa')
const MESSAGE = { claim: CLAIM, because: 'news', isFollowed: false, attempt: 0 } as const

const MACHINE = providerIdOf(CLAIM).toLowerCase().replace('azure://', '')
const INTERRUPTION = { claim: CLAIM, saidBy: 'azure', resourceId: MACHINE, when: 'announced', eventId: 'e', reason: 'Preempt' } as const

const CLOSED = {
  taints: [DISRUPTED_TAINT],
  meta: { labels: { [LABEL.excludeFromLoadBalancers]: 'karpenter' }, deletedAt: ago(MINUTE) },
}

const budgetOf = (disruptionsAllowed: number): PodDisruptionBudget => ({
  ...{ key: objectKey('default', 'web'), uid: uid('web'), selector: { matchLabels: {}, matchExpressions: [] }, conditions: [] },
  ...{ disruptionsAllowed, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
})

/** The call before which the runs wait for each other. Undefined: they do not wait. */
const MEETINGS = [undefined, 'getClaim', 'listPodsOn', 'evict', 'deletePod', 'patchClaimStatus', 'publish', 'deleteClaim'] as const
type Call = Exclude<(typeof MEETINGS)[number], undefined>

type Given = {
  readonly pods: readonly PodShape[]
  readonly allowed?: number
  readonly endsIn?: number
  /** An earlier run tainted the node, so that no write of the node orders the runs. */
  readonly isClosed?: true
  /** Set: the claim is not deleted, and has not been launched for hours. */
  readonly stage?: 'created'
}
type Runners = { readonly work: readonly ('run' | 'interruption')[]; readonly processes: number; readonly meet?: Call }

/** A claim that ends, with several runs and interruptions at the same time. */
async function run({ pods, allowed, endsIn, isClosed, stage }: Given, { work, processes, meet }: Runners) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), podExitMs: MINUTE })
  const { objects } = world
  const stages = ['Launched', 'Registered', 'Initialized'].map((type) => condition(type))
  const annotations = endsIn === undefined ? {} : { [ANNOTATION.terminationTimestamp]: formatTimestamp(hence(endsIn)) }
  const began = isClosed ? [condition('Drained', { status: 'Unknown', reason: 'Draining', lastTransitionAt: ago(10 * SECOND) })] : []
  const ending = nodeClaim({ meta: { deletedAt: ago(MINUTE), annotations }, status: { conditions: [...stages, ...began] } })
  const stuck = condition('Launched', { status: 'Unknown', reason: 'LaunchFailed', message: 'Azure has none' })
  objects.put(
    'nodeClaim',
    stage === undefined ? ending : nodeClaim({ stage, meta: { createdAt: ago(HOUR) }, status: { conditions: [stuck] } }),
  )
  if (stage === undefined) objects.put('node', node(isClosed ? CLOSED : {}))
  for (const [index, shape] of pods.entries())
    objects.put('pod', pod({ name: `p${index}`, phase: 'Running', ...shape, nodeName: node().name }))
  if (allowed !== undefined) objects.put('podDisruptionBudget', budgetOf(allowed))
  const guest = meeting(work.length)
  const hosts = Array.from({ length: processes }, () => ({ ports: world.start().ports, seen: createSeenClaims() }))
  await Promise.all(
    work.map(async (what, index) => {
      const { ports, seen } = hosts[index % processes] ?? expect.fail('no host')
      const { wait, leave } = guest()
      const api = meet === undefined ? ports.api : before(ports.api, meet, wait)
      const deps = { ...ports, api, settings: settings() }
      await (what === 'run' ? stepClaim(deps, MESSAGE, NEVER, seen) : interrupt(deps, INTERRUPTION, NEVER)).finally(leave)
    }),
  )
  return {
    pods: objects.all('pod').map(({ key, deletedAt }) => [key, deletedAt !== undefined]),
    budget: objects.all('podDisruptionBudget').map(({ disruptionsAllowed }) => disruptionsAllowed),
    events: objects.events.map(({ event, count }) => `${event.reason} ${event.subject.name} x${count}`).sort(),
    told: objects.events.flatMap(({ event: { subject, message } }) => `${subject.name} ${message}`.split(/[^a-z0-9]+/)).sort(),
    conditions: objects.get('nodeClaim', CLAIM)?.status.conditions.map(({ type, status, message }) => `${type}=${status} ${message}`),
    taints: objects.get('node', node().name)?.taints.map(({ key }) => key),
    ended: world.telemetry.measures.flatMap(({ name, fields }) =>
      name === 'karpenter_nodeclaims_disrupted_total' ? [fields['reason']] : [],
    ),
    drained: world.telemetry.measures.reduce((sum, { name, value }) => sum + (name === 'karpenter_pods_drained_total' ? value : 0), 0),
  }
}

/** A barrier: no guest goes on until `many` guests have come or left. */
function meeting(many: number): () => { readonly wait: () => Promise<void>; readonly leave: () => void } {
  const all = Promise.withResolvers<void>()
  const here = new Set<object>()
  return () => {
    const self = {}
    const come = (): void => {
      if (here.add(self).size >= many) all.resolve()
    }
    const wait = (): Promise<void> => {
      come()
      return all.promise
    }
    return { wait, leave: come }
  }
}

function before(api: ClusterApi, call: Call, wait: () => Promise<void>): ClusterApi {
  return new Proxy(api, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver)
      if (name !== call || typeof method !== 'function') return method
      return async (...args: readonly unknown[]) => {
        await wait()
        return Reflect.apply(method, target, args)
      }
    },
  })
}

const MANY: readonly PodShape[] = Array.from({ length: 12 }, () => ({}))

const NODES: { readonly [sentence: string]: Given } = {
  'pods that nobody holds': { pods: [{}, {}, {}] },
  'pods of which a budget lets some go': { pods: [{}, {}, {}], allowed: 2 },
  'pods that a budget holds': { pods: [{}, {}], allowed: 0 },
  'pods that a deadline ends': { pods: [{ terminationGracePeriodSeconds: 60 }, {}], allowed: 0, endsIn: 20 * SECOND },
  'no pods': { pods: [] },
  'pods that come late': { pods: [{}, {}], isClosed: true },
  'late pods of which a budget lets one go': { pods: [{}, {}], allowed: 1, isClosed: true },
  'late pods that a deadline ends': { pods: [{ terminationGracePeriodSeconds: 60 }], endsIn: 20 * SECOND, isClosed: true },
}

describe('EV-07 runs of one claim at once do what one of them does', () => {
  for (const [sentence, given] of Object.entries(NODES)) {
    for (const processes of [1, 2]) {
      it.each(MEETINGS)(`with ${sentence}, in ${processes} process(es), which meet before %s`, async (meet) => {
        const alone = await run(given, { work: ['run'], processes: 1 })
        expect(await run(given, { work: ['run', 'run'], processes, ...(meet && { meet }) })).toEqual(alone)
      })
    }
  }
})

describe('more pods than have an Event each', () => {
  it.each(MEETINGS.flatMap((meet) => [1, 2].map((processes) => ({ processes, meet }))))(
    'are all told, and counted once by runs that evict the same pods, in $processes process(es), which meet before $meet',
    async ({ processes, meet }) => {
      const alone = await run({ pods: MANY }, { work: ['run'], processes: 1 })
      const both = await run({ pods: MANY }, { work: ['run', 'run'], processes, ...(meet && { meet }) })
      expect(alone.drained).toBe(MANY.length)
      expect(namesOf(MANY).filter((name) => !both.told.includes(name))).toEqual([])
      // A run that comes while the pods of another are being evicted evicts a part of them, and counts this part again.
      if (meet !== 'getClaim') expect(both).toEqual(alone)
      else expect(both.drained).toBeGreaterThanOrEqual(MANY.length)
    },
  )
})

describe('pods of a machine that Azure takes', () => {
  it.each(MEETINGS.flatMap((meet) => [[{}, {}, {}], MANY].map((pods) => ({ pods, meet }))))(
    'are told and counted once where that is heard twice and the claim is looked at, all of which meet before $meet',
    async ({ pods: given, meet }) => {
      const { pods, drained, events } = await run(
        { pods: given },
        { work: ['interruption', 'run', 'interruption'], processes: 2, ...(meet && { meet }) },
      )
      expect(pods.filter(([, isGoing]) => isGoing)).toHaveLength(given.length)
      expect(drained).toBe(given.length)
      const told = given.slice(0, 2).map((_, index) => `Evicted default/${namesOf(given)[index]} x1`)
      expect(events.filter((each) => each.startsWith('Evicted'))).toEqual(told)
    },
  )
})

/** The names of the pods, in order. */
function namesOf(pods: readonly PodShape[]): readonly string[] {
  return pods.map((_, index) => `p${index}`).sort()
}

describe('a claim that comes to nothing', () => {
  it.each(MEETINGS)('is counted once where it is looked at twice, both of which meet before %s', async (meet) => {
    for (const processes of [1, 2]) {
      const { ended } = await run({ pods: [], stage: 'created' }, { work: ['run', 'run'], processes, ...(meet && { meet }) })
      expect(ended).toEqual(['launch_timeout'])
    }
  })
})
