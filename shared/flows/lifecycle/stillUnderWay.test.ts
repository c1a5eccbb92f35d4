import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { notedPort } from '../../../test/builders/notedPort.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeName } from '../../model/ids.ts'
import type { Instance } from '../../model/instance.ts'
import { ANNOTATION, FINALIZER } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { problem } from '../../model/problem.ts'
import { formatTimestamp } from '../../model/time.ts'
import { epochMs } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { createSeenClaims } from './observeKnown.ts'
import { stepClaim } from './stepClaim.ts'
import { MAX_ATTEMPTS, nextRequeueOf, stillUnderWay } from './stillUnderWay.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const NAME = nodeClaim().name

type Around = {
  readonly pods?: readonly Pod[]
  readonly machine?: Instance
  /** The nodes in the cluster state. Undefined: there is no state yet. */
  readonly nodes?: readonly Node[]
  readonly request?: Partial<ClaimRequest>
}

/** Asks whether the claim, as last seen, still waits. Returns the calls that were made and the time of the next run. */
async function ask(claim: NodeClaim, { pods = [], machine, nodes, request = {} }: Around) {
  const { ports, objects } = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  for (const each of pods) objects.put('pod', each)
  const calls: string[] = []
  const readClusterState = async () => ({ objects: () => snapshot({ objects: { node: nodes ?? [] } }).objects })
  const deps = {
    ...{ ...ports, settings: settings(), ...(nodes === undefined ? {} : { readClusterState }) },
    ...{ api: notedPort(calls, 'api', ports.api), cloud: notedPort(calls, 'cloud', { ...ports.cloud, get: async () => machine }) },
  }
  const run: ClaimRequest = { claim: NAME, because: 'requeue', isFollowed: true, attempt: 1, ...request }
  const still = await stillUnderWay(deps, run, claim, NEVER)
  return { calls, next: still && { wakeAt: still.step.wakeAt, dueAt: still.step.dueAt } }
}

const HOLDS = `1 pod is waiting to be evicted; annotation ${ANNOTATION.doNotDisrupt} holds pod default/pod`

function draining({ ms = MINUTE as number, message = '3 pods are waiting to be evicted', deadline = 0 } = {}): NodeClaim {
  const drained = condition('Drained', { status: 'Unknown', reason: 'Draining', message, lastTransitionAt: ago(ms) })
  const annotations = deadline === 0 ? {} : { [ANNOTATION.terminationTimestamp]: formatTimestamp(hence(deadline)) }
  return nodeClaim({
    meta: { deletedAt: ago(ms), annotations },
    status: { conditions: [...['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => condition(type)), drained] },
  })
}

const here = (shape: Partial<Pod> & { readonly name?: string } = {}) => pod({ phase: 'Running', ...shape, nodeName: nodeNameOf(NAME) })
const leaving = here({ deletedAt: hence(10 * SECOND) })
const kept = here({ annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })

describe('a claim whose pods were asked to leave', () => {
  it('costs one list of pods a run while they leave', async () => {
    expect(await ask(draining(), { pods: [leaving] })).toEqual({ calls: ['api.listPodsOn'], next: { wakeAt: hence(3 * SECOND) } })
  })

  it('costs no more while somebody keeps them, as the claim says', async () => {
    expect(await ask(draining({ message: HOLDS }), { pods: [kept] })).toEqual({
      calls: ['api.listPodsOn'],
      next: { wakeAt: hence(3 * SECOND) },
    })
  })

  it('is looked at when its deadline asks for a pod', async () => {
    const slow = { ...kept, terminationGracePeriodSeconds: 20 }
    const { next } = await ask(draining({ message: HOLDS, deadline: MINUTE }), { pods: [slow] })
    expect(next?.dueAt).toBe(hence(40 * SECOND + 1))
  })

  it.each<[string, NodeClaim, Around]>([
    ['one of them was not asked yet', draining(), { pods: [leaving, here({ name: 'late' })] }],
    ['one may be kept no longer', draining({ message: HOLDS }), { pods: [here()] }],
    ['the claim does not say who keeps them', draining(), { pods: [kept] }],
    ['one would outlast the deadline', draining({ deadline: 5 * SECOND }), { pods: [leaving] }],
    ['all have left', draining(), { pods: [] }],
  ])('is looked at as any other where %s', async (_sentence, claim, around) => {
    expect(await ask(claim, around)).toEqual({ calls: ['api.listPodsOn'], next: undefined })
  })

  it.each<[string, NodeClaim, Partial<ClaimRequest>]>([
    ['somebody asks who knows of something new', draining(), { because: 'news' }],
    ['this process begins to follow it', draining(), { because: 'news', attempt: 0 }],
    ['every fourth requeue', draining(), { attempt: 4 }],
    ['the resync asks', draining(), { because: 'resync', attempt: MAX_ATTEMPTS }],
    ['another node of its machine was seen', draining(), { known: { otherNodes: [nodeName('other')] } }],
    ['its node cannot count as drained yet', draining({ ms: 4 * SECOND }), {}],
  ])('is looked at as any other, and nothing is asked before: %s', async (_sentence, claim, request) => {
    expect(await ask(claim, { pods: [leaving], request })).toEqual({ calls: [], next: undefined })
  })
})

const joining = (ms: number) =>
  nodeClaim({
    stage: 'launched',
    meta: { createdAt: ago(ms) },
    status: {
      conditions: [
        condition('Launched', { lastTransitionAt: ago(ms) }),
        condition('Registered', { status: 'Unknown', reason: 'NodeNotFound', lastTransitionAt: ago(ms) }),
      ],
    },
  })
const starting = instance({ state: { kind: 'creating' } })
const refusal = { problem: problem('AZURE.FORBIDDEN', 'no'), unavailable: [], then: 'stop' } as const
const failed = instance({ state: { kind: 'failed', refusal } })

describe('a claim whose machine starts', () => {
  it('costs one question to Azure a run, while no node of it is seen', async () => {
    const nodes = [node({ claim: 'other' })]
    expect(await ask(joining(10 * SECOND), { machine: starting, nodes })).toEqual({
      calls: ['cloud.get'],
      next: { wakeAt: hence(2 * SECOND) },
    })
  })

  it('costs nothing while its node has just joined and is not to be registered yet', async () => {
    const nodes = [node({ initialized: false, ready: false, meta: { createdAt: ago(4 * SECOND) } })]
    expect(await ask(joining(MINUTE), { machine: starting, nodes })).toEqual({ calls: [], next: { wakeAt: hence(6 * SECOND) } })
  })

  it.each<[string, NodeClaim, Around, readonly string[]]>([
    ['Azure gave its machine up', joining(SECOND), { machine: failed, nodes: [] }, ['cloud.get']],
    ['its machine is gone', joining(SECOND), { nodes: [] }, ['cloud.get']],
    ['its node is seen', joining(SECOND), { machine: starting, nodes: [node()] }, []],
    ['nobody follows the cluster yet', joining(SECOND), { machine: starting }, []],
    ['it took too long to join', joining(16 * MINUTE), { machine: starting, nodes: [] }, []],
  ])('is looked at as any other where %s', async (_sentence, claim, around, calls) => {
    expect(await ask(claim, around)).toEqual({ calls, next: undefined })
  })
})

describe('a claim whose node is registered', () => {
  const registered = nodeClaim({ stage: 'registered' })
  const busy = (shape: NodeShape) => ({ nodes: [node({ ...shape, initialized: false })] })
  const NETWORK = { key: 'node.cilium.io/agent-not-ready', effect: 'NoSchedule' as const }

  it.each<[string, Around]>([
    ['is not ready', busy({ ready: false })],
    ['has a taint of its start', busy({ taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] })],
  ])('has no requeues any more while the node %s: the watch reports the rest', async (_sentence, around) => {
    expect(await ask(registered, around)).toEqual({ calls: [], next: { wakeAt: undefined, dueAt: undefined } })
  })

  it.each<[string, Around]>([
    ['the node can run pods', busy({})],
    ["only a taint that may be its pool's own is left", busy({ taints: [NETWORK] })],
    ['the node is not seen', { nodes: [] }],
    ['nobody follows the cluster yet', {}],
    ['the resync asks', { ...busy({ ready: false }), request: { because: 'resync', attempt: MAX_ATTEMPTS } }],
  ])('is looked at as any other where %s', async (_sentence, around) => {
    expect(await ask(registered, around)).toEqual({ calls: [], next: undefined })
  })

  it('is looked at as any other where neither it nor a node that starts has a provider id', async () => {
    const { providerId: _, ...status } = registered.status
    const nodes = [node({ name: 'aks-system-vmss000000', initialized: false, ready: false })]
    expect(await ask({ ...registered, status }, { nodes })).toEqual({ calls: [], next: undefined })
  })
})

const FIRST = { attempt: 0, pace: 'deleting' } as const
const LATE = { attempt: 50, pace: 'deleting' } as const
const START = epochMs(1_000_000)

/** The times, in seconds after the start, of the runs of a claim whose steps do nothing and ask for another run at once. */
function runs(step: { readonly dueAt?: number } = {}, pace: 'coming' | 'deleting' = 'deleting'): readonly number[] {
  const at: number[] = [0]
  let now = START
  for (let attempt = 0; attempt < 100; attempt++) {
    const dueAt = step.dueAt === undefined || START + step.dueAt <= now ? {} : { dueAt: epochMs(START + step.dueAt) }
    const next = nextRequeueOf({ actions: [], reasons: [], wakeAt: now, ...dueAt }, { attempt, pace }, now)
    if (next === undefined) break
    now = next.at
    at.push(Math.round((now - START) / 1_000))
    if (!next.follow) break
  }
  return at
}

describe('requeues after runs that find nothing to do', () => {
  it('come later and later, and end when the resync comes as often', () => {
    expect(runs()).toEqual([0, 1, 2, 4, 6, 8, 11, 15, 20, 26, 33, 43, 54, 69, 87, 110, 138])
    expect(runs()).toHaveLength(MAX_ATTEMPTS)
  })

  it('are few for a claim that comes, since the watch reports its node', () => {
    expect(runs({}, 'coming')).toEqual([0, 4, 8, 16, 24])
  })

  it('wait for as long as the step knows that nothing can be found, and no longer than the resync', () => {
    const step = (seconds: number) => ({ actions: [], reasons: [], wakeAt: epochMs(START + seconds * 1_000) })
    expect(nextRequeueOf(step(20), FIRST, START)).toEqual({ at: START + 20_000, follow: true })
    expect(nextRequeueOf(step(60), FIRST, START)).toBeUndefined()
    expect(nextRequeueOf({ actions: [], reasons: [] }, FIRST, START)).toBeUndefined()
  })

  it('come at a known time, whatever their pace, and after their end once for it', () => {
    expect(runs({ dueAt: 17_000 })).toEqual([0, 1, 2, 4, 6, 8, 11, 15, 17, 23, 30, 40, 51, 66, 84, 107, 135])
    const due = { actions: [], reasons: [], wakeAt: START, dueAt: epochMs(START + 9_000) }
    expect(nextRequeueOf(due, LATE, START)).toEqual({ at: START + 9_000, follow: false })
    expect(nextRequeueOf({ ...due, dueAt: epochMs(START + 31_000) }, LATE, START)).toBeUndefined()
  })
})

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
