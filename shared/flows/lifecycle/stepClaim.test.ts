import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { ago, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err, ok } from '../../base/result.ts'
import { clusterId, type NodeClaimName, nodeClaimName, nodeClassName, objectKey, uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL, TAINT_KEY } from '../../model/labels.ts'
import { Fault, type ProblemCode, problem } from '../../model/problem.ts'
import { formatTimestamp } from '../../model/time.ts'
import { epochMs } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { stepClaim } from './stepClaim.ts'

const NEVER = new AbortController().signal
const CLAIM = nodeClaimName('default-aaaaa')
const NEWS: ClaimRequest = { claim: CLAIM, because: 'news', isFollowed: false, attempt: 0 }
const FOLLOWED: ClaimRequest = { ...NEWS, because: 'requeue', isFollowed: true }
const UNREGISTERED = {
  taints: [{ key: TAINT_KEY.unregistered, effect: 'NoExecute' }],
  meta: { labels: { [LABEL.registered]: '' } },
} as const

/** One claim that is being deleted, with its node and these pods on it. Its drain began ten seconds ago. */
function ending(pods: readonly string[] = []) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), instanceTypes: catalog() })
  world.objects.put(
    'nodeClaim',
    nodeClaim({
      meta: { deletedAt: ago(MINUTE), finalizers: ['karpenter.sh/termination'] },
      status: { conditions: draining(pods.length) },
    }),
  )
  world.objects.put('node', node())
  for (const name of pods) world.objects.put('pod', pod({ name, nodeName: node().name, phase: 'Running' }))
  let runs = 0
  const deps = (api: Partial<ClusterApi> = {}): ClusterDeps => ({
    ...world.ports,
    settings: settings(),
    api: {
      ...world.ports.api,
      getClaim: (name, signal) => {
        runs++
        return world.ports.api.getClaim(name, signal)
      },
      ...api,
    },
  })
  return { world, deps, runs: () => runs }
}

function draining(waiting: number) {
  const left = waiting === 1 ? '1 pod is waiting to be evicted' : `${waiting} pods are waiting to be evicted`
  const message = waiting === 0 ? 'waiting for late pods' : left
  const drained = condition('Drained', { status: 'Unknown', reason: 'Draining', message, lastTransitionAt: ago(10 * SECOND) })
  return [condition('Launched'), condition('Registered'), condition('Initialized'), drained]
}

type Requeue = { readonly isFollowed: boolean; readonly attempt: number }
function requeues({ work }: ReturnType<typeof ending>['world']): readonly Requeue[] {
  return work.flatMap((each) => (each.key === 'claim' ? [{ isFollowed: each.isFollowed, attempt: each.attempt }] : []))
}

const refused = (code: ProblemCode) => Promise.resolve(err(problem(code, 'patch node: no')))

describe('a run whose writes another writer is always faster than', () => {
  it.each([
    ['news is left to the winner', NEWS, []],
    ['a claim that is followed is requeued, later each time', { ...FOLLOWED, attempt: 4 }, [{ isFollowed: true, attempt: 5 }]],
  ] as const)('tries twice; %s', async (_sentence, message, want) => {
    const { world, deps } = ending(['app'])
    let tries = 0
    const conflict = () => {
      tries++
      return refused('KUBE.CONFLICT')
    }
    await stepClaim(deps({ patchNode: conflict, patchClaim: conflict, patchClaimStatus: conflict }), message, NEVER)
    expect(tries).toBe(2)
    expect(requeues(world)).toEqual(want)
  })
})

describe('a run whose write is refused', () => {
  it('says why on the claim, and is requeued', async () => {
    const { world, deps, runs } = ending(['app'])
    await stepClaim(deps({ patchNode: () => refused('KUBE.INVALID') }), FOLLOWED, NEVER)
    expect(runs()).toBe(1)
    expect(world.objects.events.map(({ event }) => [event.type, event.reason, event.message])).toEqual([
      ['Warning', 'StepRefused', 'a step of nodeclaim default-aaaaa was refused: patch node: no'],
    ])
    expect(world.telemetry.lines.filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'warn', fields: { code: 'KUBE.INVALID' } },
    ])
    expect(requeues(world)).toEqual([{ isFollowed: true, attempt: 1 }])
  })
})

describe('a run that did something', () => {
  it('follows the claim, also when only news was the reason', async () => {
    const { world, deps } = ending(['app'])
    expect(await stepClaim(deps(), NEWS, NEVER)).toBe('requeued')
    expect(requeues(world)).toEqual([{ isFollowed: true, attempt: 1 }])
  })

  it('begins with the shortest pause', async () => {
    const { world, deps } = ending(['app'])
    await stepClaim(deps(), { ...FOLLOWED, attempt: 7 }, NEVER)
    expect(requeues(world)).toEqual([{ isFollowed: true, attempt: 1 }])
  })
})

describe('a run that did nothing', () => {
  const nothing = { patchNode: () => expect.fail('nothing is left to write') }

  /** A claim whose node is tainted and whose only pod is held. */
  async function held() {
    const all = ending(['app'])
    const [app] = all.world.objects.all('pod')
    if (app === undefined) expect.fail('no pod')
    all.world.objects.put('pod', { ...app, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })
    await stepClaim(all.deps(), NEWS, NEVER)
    await all.world.clock.advance(MINUTE)
    all.world.work.splice(0)
    return all
  }

  it('follows the claim no further when news was the reason', async () => {
    const { world, deps } = await held()
    for (let n = 0; n < 40; n++) expect(await stepClaim(deps(nothing), NEWS, NEVER)).toBe('left')
    expect(requeues(world)).toEqual([])
  })

  it('is requeued if the claim is followed', async () => {
    const { world, deps } = await held()
    expect(await stepClaim(deps(nothing), { ...FOLLOWED, attempt: 3 }, NEVER)).toBe('requeued')
    expect(requeues(world)).toEqual([{ isFollowed: true, attempt: 4 }])
  })
})

describe('pods of a node that ends', () => {
  it('go though one of them cannot, and that one is named', async () => {
    const { world, deps } = ending(['a', 'b', 'c'])
    const { api } = world.ports
    await stepClaim(
      deps({
        evict: (each, signal) => {
          if (each.key === 'default/b') throw new Fault('evict', problem('KUBE.FAILED', 'the API server answered 403: not this one'))
          return api.evict(each, signal)
        },
      }),
      FOLLOWED,
      NEVER,
    )
    expect(world.objects.all('pod').flatMap(({ key, deletedAt }) => (deletedAt === undefined ? [key] : []))).toEqual(['default/b'])
    expect(world.objects.events.map(({ event }) => event.message)).toEqual([
      'pod default/b cannot be taken from the node: the API server answered 403: not this one',
      'evicted: nodeclaim default-aaaaa ends',
      'evicted: nodeclaim default-aaaaa ends',
    ])
  })

  it('are told why they go, once, and what they are granted before a deadline', async () => {
    const { world, deps } = ending(['a', 'b'])
    const claim = world.objects.get('nodeClaim', CLAIM)
    if (claim === undefined) expect.fail('no claim')
    const because = condition('DisruptionReason', { status: 'True', reason: 'Drifted' })
    const annotations = { [ANNOTATION.terminationTimestamp]: formatTimestamp(epochMs(NOW + 20_000)) }
    const { conditions } = claim.status
    world.objects.put('nodeClaim', {
      ...claim,
      status: { ...claim.status, conditions: [...conditions, because] },
      meta: { ...claim.meta, annotations },
    })
    const slow = world.objects.get('pod', 'default/b')
    if (slow === undefined) expect.fail('no pod')
    world.objects.put('pod', { ...slow, terminationGracePeriodSeconds: 60 })
    await stepClaim(deps({ evict: async ({ key }) => (key === 'default/a' ? ok('evicted') : ok('gone')) }), NEWS, NEVER)
    const told = () =>
      world.objects.events.flatMap(({ event }) =>
        event.subject.kind === 'pod' ? [`${event.subject.name} ${event.reason}: ${event.message}`] : [],
      )
    const lines = [
      'default/a Evicted: evicted: nodeclaim default-aaaaa ends (Drifted)',
      'default/b Disrupted: deleted with a grace period of 20 s of its 60 s, whatever holds it: nodeclaim default-aaaaa ends (Drifted) by its deadline',
    ]
    expect(told().sort()).toEqual(lines)
    world.objects.remove('pod', 'default/b')
    await stepClaim(deps({ evict: async () => ok('gone') }), NEWS, NEVER)
    expect(told().sort()).toEqual(lines)
  })

  it('are asked for again when the API server said, while none goes', async () => {
    const { world, deps } = ending(['a', 'b'])
    const busy = { retryAfterMs: 17_000 }
    await stepClaim(deps({ evict: async () => err(problem('KUBE.EVICTION_BLOCKED', 'no', busy)) }), NEWS, NEVER)
    expect(world.work).toMatchObject([{ key: 'claim', at: NOW + 17_000 }])
    const other = ending(['a', 'b'])
    await stepClaim(
      other.deps({ evict: async ({ key }) => (key === 'default/a' ? ok('evicted') : err(problem('KUBE.EVICTION_BLOCKED', 'no', busy))) }),
      NEWS,
      NEVER,
    )
    expect(other.world.work).toMatchObject([{ key: 'claim', at: NOW + 1_000 }])
  })

  it('are not gone before the API server says so of now: what it has in memory may be old', async () => {
    const { world, deps } = ending(['late'])
    await stepClaim(
      deps({ listPodsOn: (name, signal, asOf) => (asOf === 'recent' ? Promise.resolve([]) : world.ports.api.listPodsOn(name, signal)) }),
      NEWS,
      NEVER,
    )
    expect(world.journal.entries.map(({ operation }) => operation)).not.toContain('cloud.terminate')
    expect(world.objects.get('nodeClaim', CLAIM)?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Drained', status: 'Unknown' }),
    )
  })
})

describe('what cannot be understood', () => {
  const unreadable = () =>
    Promise.reject(new Fault('read nodeclaim', problem('INPUT.INVALID', 'spec.requirements[0].operator: Near is none')))

  it.each([
    ['a claim', { getClaim: unreadable }],
    ['its node', { getNode: unreadable }],
    ['its pods', { listPodsOn: unreadable }],
  ] as const)('ends nothing: %s', async (_sentence, api) => {
    const { world, deps } = ending(['app'])
    await expect(stepClaim(deps(api), FOLLOWED, NEVER)).rejects.toThrow('Near is none')
    expect(world.journal.entries).toEqual([])
  })
})

describe('Azure that lets the app do nothing', () => {
  const refuse = () => Promise.reject(new Fault('get a token', problem('AZURE.FORBIDDEN', 'the identity gives no token')))

  it.each([
    ['a machine is to be made', nodeClaim({ stage: 'created', meta: { createdAt: ago(SECOND) } }), 'Launched'],
    ['a machine is to end', nodeClaim({ stage: 'launched', meta: { deletedAt: ago(SECOND) } }), 'InstanceTerminating'],
  ])('is told on the claim, once, and the resync looks again: %s', async (_sentence, claim, stage) => {
    const { world, deps } = ending()
    world.objects.remove('node', node().name)
    world.objects.put('nodeClass', nodeClass())
    world.objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, finalizers: ['karpenter.sh/termination'] } })
    const forbidden = { ...deps(), cloud: { ...world.ports.cloud, get: refuse, launch: refuse, terminate: refuse } }
    expect(await stepClaim(forbidden, FOLLOWED, NEVER)).toBe('left')
    for (let run = 0; run < 3; run++) await stepClaim(forbidden, FOLLOWED, NEVER)
    const said = world.objects.get('nodeClaim', CLAIM)?.status.conditions.find(({ type }) => type === stage)
    expect(said).toMatchObject({ status: 'Unknown', reason: 'AzureForbidden', message: 'the identity gives no token' })
    expect(world.journal.entries.filter(({ operation }) => operation === 'api.patchClaimStatus')).toHaveLength(1)
    expect(world.telemetry.events.map(({ name }) => name)).toContain('nodeclaim.failed')
  })

  it('is in the log where the claim cannot be written either', async () => {
    const { world, deps } = ending()
    const none = () => Promise.reject(new Fault('read nodeclaim', problem('AZURE.FORBIDDEN', 'no token for the cluster')))
    expect(await stepClaim(deps({ getClaim: none }), FOLLOWED, NEVER)).toBe('left')
    expect(world.telemetry.lines.map(({ message }) => message)).toContain(
      `an event about the failed step of nodeclaim ${CLAIM} was not done: no token for the cluster`,
    )
  })
})

describe('a claim that takes too long', () => {
  it.each<[sentence: string, shape: NodeClaimShape, reason: string]>([
    ['LV-01 to register', { stage: 'launched', meta: { createdAt: ago(20 * MINUTE) } }, 'registration_timeout'],
    ['LV-04 to be launched', { stage: 'created', meta: { createdAt: ago(6 * MINUTE) } }, 'launch_timeout'],
  ])('%s is ended, and counted as such once', async (_sentence, shape, reason) => {
    const { world, deps } = ending()
    world.objects.remove('node', node().name)
    world.objects.put('nodeClass', nodeClass())
    world.objects.put('nodeClaim', nodeClaim(shape))
    const starting = { ...deps(), cloud: { ...world.ports.cloud, get: () => Promise.resolve(instance()) } }
    for (let run = 0; run < 2; run++) await stepClaim(starting, NEWS, NEVER)
    expect(world.objects.get('nodeClaim', CLAIM)?.meta.deletedAt).toBe(NOW)
    expect(world.telemetry.measures).toMatchObject([{ name: 'karpenter_nodeclaims_disrupted_total', value: 1, fields: { reason } }])
  })
})

describe('a machine that Azure fails to delete', () => {
  it.each(['AZURE.FAILED', 'AZURE.THROTTLED'] as const)('CT-05 for %s keeps its claim, and is tried again', async (code) => {
    const { world, deps } = ending()
    const conditions = [...draining(0).slice(0, 3), condition('Drained')]
    const meta = { deletedAt: ago(MINUTE), finalizers: ['karpenter.sh/termination'] }
    world.objects.put('nodeClaim', nodeClaim({ meta, status: { conditions } }))
    const asked: string[] = []
    const terminate = (claim: NodeClaimName) => {
      if (asked.push(claim) < 3) return Promise.reject(new Fault('delete the machine', problem(code, 'not now')))
      return Promise.resolve('gone' as const)
    }
    const failing = { ...deps(), cloud: { ...world.ports.cloud, terminate } }
    for (let run = 0; run < 2; run++) await expect(stepClaim(failing, FOLLOWED, NEVER)).rejects.toThrow('not now')
    expect(world.objects.get('nodeClaim', CLAIM)).toMatchObject({ meta, status: { conditions } })
    for (let run = 0; run < 2; run++) await stepClaim(failing, FOLLOWED, NEVER)
    expect([asked.length, world.objects.all('nodeClaim'), world.objects.all('node')]).toEqual([3, [], []])
  })
})

describe('a claim of another provider', () => {
  const theirs = { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClassName('default') } }
  const joining: NodeShape = { ...UNREGISTERED, initialized: false }
  it.each<[sentence: string, shape: NodeClaimShape, at: NodeShape | undefined]>([
    ['LC-02 that is new', { stage: 'created', meta: { finalizers: [] } }, undefined],
    ['LA-02 that is to be launched', { stage: 'created', meta: { createdAt: ago(SECOND) } }, undefined],
    ['RG-02 whose node joined', { stage: 'launched', meta: { createdAt: ago(SECOND) } }, joining],
    ['IN-02 whose node is ready', { stage: 'registered' }, { initialized: false }],
    ['LV-02 whose node never came', { stage: 'launched', meta: { createdAt: ago(20 * MINUTE) } }, undefined],
    ['that runs, and whose machine is gone', {}, { ready: false }],
    ['CS-02 that runs, and does not say whether its node is consistent', { status: { conditions: draining(0).slice(0, 3) } }, {}],
    ['CT-02 that ends', { meta: { deletedAt: ago(MINUTE) } }, {}],
  ])('%s is left alone, though a class of ours has the name of its class', async (_sentence, shape, at) => {
    const run = async (spec: NodeClaimShape['spec']) => {
      const { world, deps } = ending()
      world.objects.remove('node', node().name)
      world.objects.put('nodeClass', nodeClass())
      world.objects.put('nodeClaim', nodeClaim({ ...shape, spec: { ...spec } }))
      if (at !== undefined) world.objects.put('node', node(at))
      return { outcome: await stepClaim(deps(), NEWS, NEVER), written: world.journal.entries }
    }
    expect(await run(theirs)).toEqual({ outcome: 'settled', written: [] })
    expect((await run({})).written).not.toEqual([])
  })
})

describe('a drain that a budget holds', () => {
  const HELD = 'poddisruptionbudget default/web holds pod default/app'
  const budget: PodDisruptionBudget = {
    key: objectKey('default', 'web'),
    uid: uid('web'),
    selector: { matchLabels: {}, matchExpressions: [] },
    disruptionsAllowed: 0,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    conditions: [],
  }

  function held(pods: readonly string[] = ['app']) {
    const all = ending(pods)
    all.world.objects.put('podDisruptionBudget', budget)
    return all
  }

  const drained = ({ world }: ReturnType<typeof ending>) =>
    world.objects.get('nodeClaim', CLAIM)?.status.conditions.find(({ type }) => type === 'Drained')?.message

  it('NT-13 names the budget and the pods in the condition of the claim and in an Event of claim and node, which both stay', async () => {
    const all = held()
    await stepClaim(all.deps(), NEWS, NEVER)
    expect(drained(all)).toBe(`1 pod is waiting to be evicted; ${HELD}`)
    expect(all.world.objects.events.map(({ event }) => [event.subject.kind, event.reason, event.message])).toEqual([
      ['nodeClaim', 'FailedDraining', `${HELD}; the drain goes on when it lets them go`],
      ['node', 'FailedDraining', `${HELD}; the drain goes on when it lets them go`],
    ])
    const { objects } = all.world
    expect([objects.all('pod')[0]?.deletedAt, objects.all('node').length]).toEqual([undefined, 1])
  })

  it('writes it once, however often it looks', async () => {
    const all = held()
    await stepClaim(all.deps(), NEWS, NEVER)
    const writes = all.world.journal.entries.filter(({ operation }) => operation.includes('patchClaimStatus')).length
    expect(writes).toBe(1)
    for (let run = 0; run < 5; run++) await stepClaim(all.deps(), NEWS, NEVER)
    expect(all.world.journal.entries.filter(({ operation }) => operation.includes('patchClaimStatus'))).toHaveLength(writes)
  })

  it('says so no more once the budget lets the pods go', async () => {
    const all = held(['app', 'other'])
    await stepClaim(all.deps(), NEWS, NEVER)
    expect(drained(all)).toContain('poddisruptionbudget default/web holds pods default/app, default/other')
    all.world.objects.put('podDisruptionBudget', { ...budget, disruptionsAllowed: 1 })
    await stepClaim(all.deps(), NEWS, NEVER)
    expect(drained(all)).toContain('poddisruptionbudget default/web holds pod default/other')
  })

  it('says what the server says where that names no budget', async () => {
    const all = ending(['app'])
    const none = err(problem('KUBE.EVICTION_BLOCKED', 'This pod has more than one PodDisruptionBudget', { retryAfterMs: 1_000 }))
    await stepClaim(all.deps({ evict: async () => none }), NEWS, NEVER)
    expect(drained(all)).toContain('the API server (This pod has more than one PodDisruptionBudget) holds pod default/app')
  })
})
