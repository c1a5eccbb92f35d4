import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld, type MemoryPorts, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import { nodePoolHashAnnotations } from '../../model/driftHash.ts'
import { clusterId } from '../../model/ids.ts'
import type { NodeClaimDraft } from '../../model/nodeClaim.ts'
import { Fault, type Problem, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import { restStateOf } from '../ledger/rest.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { compactLog } from '../state/ingestEvents.ts'
import { type ReconcileOutcome, type ReconcileSession, reconcile } from './reconcile.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)

type Scene = {
  readonly world: MemoryWorld
  /** Posts the changes and reconciles once. */
  run(requests?: readonly DecideRequest[]): Promise<ReconcileOutcome>
  restart(): void
  arrive(...names: readonly string[]): void
  claims(): readonly string[]
  events(): readonly ClusterEvent[]
}

/** Two pools, each for its own pods, and ports that a test may break. */
function scene(broken: (ports: MemoryPorts) => Partial<MemoryPorts> = () => ({})): Scene {
  const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test'), instanceTypes: catalog() })
  const { objects, clock } = world
  const ports = { ...world.ports, ...broken(world.ports) }
  objects.put('nodeClass', nodeClass())
  for (const name of ['good', 'bad'])
    objects.put('nodePool', nodePool({ name, template: { labels: { team: name } }, disruption: { budgets: [{ nodes: '100%' }] } }))
  const shim = createMemoryShim(world, 1)
  let isPosted = false
  let session = newSession()

  function newSession(): ReconcileSession {
    return { reader: createClusterReader(ports.log) }
  }
  return {
    world,
    async run(requests = []) {
      const record = isPosted ? shim.changes() : shim.snapshot()
      isPosted = true
      if (record) await world.ports.log.append(record, NEVER)
      const deps = { ...ports, settings: settings() }
      try {
        return await reconcile(deps, session, requests, NEVER)
      } finally {
        await compactLog(deps, session.reader, NEVER)
      }
    },
    restart() {
      session = newSession()
    },
    arrive(...names) {
      for (const name of names) {
        const team = name.split('-')[0] ?? ''
        objects.put('pod', pod({ name, nodeSelector: { team }, unschedulableSince: clock.now(), createdAt: clock.now() }))
      }
    },
    claims: () => objects.all('nodeClaim').map((claim) => claim.meta.labels['karpenter.sh/nodepool'] ?? ''),
    events: () => objects.events.map(({ event }) => event),
  }
}

/** Answers to the creation of a claim that may come from an API server, or from a proxy in front of it. */
const ANSWERS: readonly Problem[] = [
  problem('KUBE.FORBIDDEN', 'the app may not create a nodeclaim in this cluster'),
  problem('KUBE.FAILED', 'the API server answered 429: too many requests'),
  problem('KUBE.FAILED', 'the API server answered 500: etcdserver: request timed out'),
  problem('KUBE.FAILED', 'the API server cannot be reached'),
]

const refuseAllClaims = (answer: Parameters<typeof refuseClaims>[1]) => refuseClaims(() => true, answer)

function refuseClaims(isRefused: (draft: NodeClaimDraft) => boolean, answer: () => Problem | undefined) {
  return ({ api }: MemoryPorts): Partial<MemoryPorts> => ({
    api: {
      ...api,
      createClaim: async (draft, owner, signal) => {
        const why = isRefused(draft) ? answer() : undefined
        if (why?.code === 'KUBE.FAILED') throw new Fault(`create nodeclaim/${draft.name}`, why)
        return why === undefined ? api.createClaim(draft, owner, signal) : err(why)
      },
    },
  })
}

describe('a claim that the API server does not take', () => {
  it.each(ANSWERS)('keeps no other from being made, and says why on its pool: $message', async (answer) => {
    const played = scene(
      refuseClaims(
        (draft) => draft.nodePool === 'bad',
        () => answer,
      ),
    )
    played.arrive('bad-1', 'good-1')
    expect(await played.run()).toBe('decided')
    expect(played.claims()).toEqual(['good'])
    played.arrive('good-2')
    expect(await played.run()).toBe('decided')
    expect(played.claims()).toEqual(['good', 'good'])
    const told = played.events().filter(({ reason }) => reason === 'NodeClaimRefused')
    expect(told).toMatchObject([{ type: 'Warning', subject: { kind: 'nodePool', name: 'bad' } }])
    expect(told[0]?.message).toContain(answer.message)
  })

  it('is made at a later run, once the server takes it', async () => {
    let answer: Problem | undefined = ANSWERS[0]
    const played = scene(refuseAllClaims(() => answer))
    played.arrive('good-1')
    await played.run()
    expect(played.world.work.filter(({ key }) => key === 'decide')).toEqual([{ key: 'decide', again: true }])
    answer = undefined
    await played.run()
    expect(played.claims()).toEqual(['good'])
    await played.run()
    expect(played.claims()).toEqual(['good'])
  })

  it('is given up when its launch time is over, and its pods are planned again', async () => {
    let answer: Problem | undefined = ANSWERS[0]
    const played = scene(refuseAllClaims(() => answer))
    played.arrive('good-1')
    await played.run()
    const openIntents = async () => {
      const ledger = await played.world.ports.ledger.load(NEVER)
      return ledger.ok ? ledger.value?.value.intents.length : undefined
    }
    expect(await openIntents()).toBe(1)
    await played.world.clock.advance(settings().launchTimeout)
    await played.run()
    expect(await openIntents()).toBe(0)
    expect(played.events().map(({ message }) => message)).toContainEqual(expect.stringContaining('given up'))
    answer = undefined
    await played.run()
    expect(played.claims()).toEqual(['good'])
  })

  it('is given up at once when it is called invalid', async () => {
    const played = scene(
      refuseClaims(
        (draft) => draft.nodePool === 'bad',
        () => problem('KUBE.INVALID', 'spec.taints: too many'),
      ),
    )
    played.arrive('bad-1', 'good-1')
    await played.run()
    expect(played.claims()).toEqual(['good'])
    expect(played.events().map(({ message }) => message)).toContainEqual(expect.stringMatching(/spec\.taints: too many; given up/))
  })

  it('does not stay open because nobody can say whether it was made', async () => {
    const played = scene(({ api }) => ({
      api: { ...api, getClaim: () => Promise.reject(new Fault('get', problem('KUBE.FAILED', 'the API server answered 403: no'))) },
    }))
    played.arrive('good-1')
    await played.run()
    const name = played.world.objects.all('nodeClaim')[0]?.name ?? ''
    played.world.objects.remove('nodeClaim', name)
    await played.world.clock.advance(settings().launchTimeout - 1)
    await played.run()
    expect(played.claims()).toEqual([])
    await played.world.clock.advance(1)
    await played.run()
    expect(played.claims()).toEqual(['good'])
  })
})

/** The calls that carry out a decision, except the creation of claims. */
const REFUSED_CALLS = [
  'api.patchNodePoolStatus',
  'api.annotateNodePool',
  'api.patchNodeClassFinalizers',
  'api.patchNodeClassStatus',
  'api.publish',
  'api.deleteClaim',
  'api.patchNode',
  'api.listPodsOn',
  'api.listPodsNominatedFor',
  'api.getClaim',
  'decisions.save',
] as const

it('the annotations of the hash of a NodePool are written once a change of the NodePool', async () => {
  const played = scene()
  const { objects, journal } = played.world
  const writes = () => journal.entries.filter(({ operation }) => operation === 'api.annotateNodePool').map(({ object }) => object)
  const pool = () => objects.get('nodePool', 'good') ?? expect.fail('no pool')
  const lookOften = async () => {
    for (let round = 0; round < 4; round++) {
      await played.world.clock.advance(16_000)
      await played.run()
    }
  }
  objects.put('nodePool', nodePool({ name: 'good', meta: { annotations: { note: 'of a user' } } }))
  await lookOften()
  expect(writes()).toEqual(['nodepool/good'])
  expect(pool().meta.annotations).toEqual({ note: 'of a user', ...nodePoolHashAnnotations(pool()) })
  const first = pool().meta
  objects.put('nodePool', { ...pool(), template: { ...pool().template, labels: { team: 'good', own: 'yes' } } })
  await lookOften()
  expect(writes()).toEqual(['nodepool/good', 'nodepool/good'])
  expect(pool().meta.annotations).toEqual({ note: 'of a user', ...nodePoolHashAnnotations(pool()) })
  expect(pool().meta.annotations).not.toEqual(first.annotations)
  expect(pool().meta.generation).toBe(first.generation)
  objects.put('nodePool', { ...pool(), limits: { cpu: 5_000 } })
  await lookOften()
  expect(writes()).toHaveLength(2)
})

it.each(['annotateNodePool', 'patchNodeClassFinalizers'] as const)(
  'a right that an older chart does not give keeps no cluster from its rest: %s',
  async (call) => {
    const forbidden = problem('KUBE.FORBIDDEN', 'the app has no such right')
    const { world, run } = scene(({ api }) => ({ api: { ...api, [call]: async () => err(forbidden) } }))
    world.objects.put('nodeClass', nodeClass({ meta: { finalizers: [] } }))
    world.objects.put('nodePool', nodePool({ name: 'good', meta: { annotations: {} } }))
    for (let round = 0; round < 4; round++) {
      await world.clock.advance(16_000)
      await run()
    }
    expect(await restStateOf(world.ports, NEVER)).toBe('resting')
  },
)

describe('a decision of which one action is refused', () => {
  it.each(REFUSED_CALLS)('does all the others: %s', async (call) => {
    const made = { calls: 0 }
    const played = scene(breakEachSecond(call, made))
    const { objects, ports } = played.world
    // One thing of each kind to do: a claim to delete, pools to judge, a pod that no pool can take, and pods for two pools.
    for (const name of ['good-a', 'good-b']) {
      objects.put('nodeClaim', nodeClaim({ name, nodePool: 'good', spec: { expireAfter: 'Never' } }))
      objects.put('node', node({ claim: name, nodePool: 'good' }))
    }
    for (const pool of objects.all('nodePool')) objects.put('nodePool', { ...pool, meta: { ...pool.meta, annotations: {} } })
    objects.put('nodeClass', nodeClass({ name: 'unjudged', meta: { finalizers: [] }, status: { conditions: [], images: [] } }))
    await played.run()
    await played.run()
    played.arrive('good-1', 'bad-1', 'nobody-1')
    for (let round = 0; round < 3; round++) {
      await played.world.clock.advance(16_000)
      expect(await played.run()).toBe('decided')
    }
    expect(made.calls).toBeGreaterThan(0)
    const record = await ports.decisions.latest(1, NEVER)
    const ledger = await ports.ledger.load(NEVER)
    expect(ledger.ok && ledger.value?.value.intents.every(({ createdAt }) => createdAt !== undefined)).toBe(true)
    if (call !== 'decisions.save') expect(record).toHaveLength(1)
    if (call !== 'api.publish') expect(played.events().map(({ subject }) => subject.name)).toContain('default/nobody-1')
    expect(played.claims().filter((pool) => pool === 'bad')).toHaveLength(1)
  })
})

it('a class that no size serves says why, and the catalog is asked of no other', async () => {
  const asked: string[] = []
  const played = scene(({ catalog: sizes }) => ({
    catalog: {
      ...sizes,
      instanceTypes: (each, signal) => (each.name === 'bare' ? Promise.resolve([]) : sizes.instanceTypes(each, signal)),
      sizeProblem: ({ name }) => {
        asked.push(name)
        return Promise.resolve(problem('AZURE.IMAGE_NOT_FOUND', 'there is no image'))
      },
    },
  }))
  played.world.objects.put('nodeClass', nodeClass({ name: 'bare' }))
  await played.run()
  const conditionOf = (name: string) =>
    played.world.objects
      .all('nodeClass')
      .find((each) => each.name === name)
      ?.status.conditions.find(({ type }) => type === 'ImagesReady')
  expect([conditionOf('bare')?.message, conditionOf('default')?.status, asked]).toEqual(['there is no image', 'True', ['bare']])
})

describe('a run that cannot decide', () => {
  const retries = ({ world }: Scene): number => world.work.filter((each) => 'again' in each).length

  it('compacts the log all the same', async () => {
    const played = scene(({ catalog: sizes }) => ({
      catalog: { ...sizes, instanceTypes: () => Promise.reject(new Fault('read the catalog', problem('STORE.UNAVAILABLE', '503'))) },
    }))
    await expect(played.run()).rejects.toThrow('read the catalog')
    for (let record = 0; record < 2_000; record++)
      await played.world.ports.log.append({ term: 1, receivedAt: START, body: { kind: 'changes', changes: [] } }, NEVER)
    await expect(played.run()).rejects.toThrow('read the catalog')
    expect(await played.world.ports.log.loadCheckpoint(NEVER)).toBeDefined()
  })

  it('decides though the log cannot be compacted, and says so', async () => {
    const played = scene()
    played.arrive('good-1')
    for (let record = 0; record < 2_000; record++)
      await played.world.ports.log.append({ term: 1, receivedAt: START, body: { kind: 'changes', changes: [] } }, NEVER)
    played.world.failCall('log.saveCheckpoint', 1)
    expect(await played.run()).toBe('decided')
    expect(played.claims()).toEqual(['good'])
    expect(played.world.telemetry.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('the compaction of the log'))
  })

  it('is made again, with back-off, while another writer holds the lease', async () => {
    const played = scene()
    const held = await played.world.start().ports.lease.acquire(NEVER)
    for (let run = 0; run < 10; run++) expect(await played.run()).toBe('yielded')
    expect([held.ok, retries(played)]).toEqual([true, 10])
  })

  it('SP-13 CL-10 says of a cluster whose shim has not begun that nothing is known yet, and not that something was lost', async () => {
    const { world } = scene()
    const { ports } = world
    const session = { reader: createClusterReader(ports.log) }
    expect(await reconcile({ ...ports, settings: settings() }, session, [], NEVER)).toBe('incomplete')
    expect(world.telemetry.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'info: no decision yet: nothing is known of the cluster yet; the shim has not sent it',
    ])
  })

  it('is made again, with back-off, while the picture has a hole', async () => {
    const played = scene()
    const { ports } = played.world
    await played.run()
    const ahead = { op: 'delete', kind: 'pod', key: 'default/a', seq: 1_000, at: START } as const
    await ports.log.append({ term: 1, receivedAt: START, body: { kind: 'changes', changes: [ahead] } }, NEVER)
    await played.world.clock.advance(10_000)
    for (let run = 0; run < 10; run++) expect(await played.run()).toBe('incomplete')
    expect(retries(played)).toBe(10)
    const told = played.world.telemetry.lines.filter(({ fields }) => fields['code'] === 'STORE.LOG_GAP')
    expect(new Set(told.map(({ level }) => level))).toEqual(new Set(['warn']))
  })

  it('is made again, with back-off, while another writer is faster', async () => {
    const played = scene(({ ledger }) => ({
      ledger: { ...ledger, save: async () => err(problem('STORE.CONFLICT', 'written by somebody else')) },
    }))
    played.arrive('good-1')
    for (let run = 0; run < 10; run++) expect(await played.run()).toBe('yielded')
    expect([retries(played), played.claims()]).toEqual([10, []])
  })
})

/** Ports where every second call of one kind fails, beginning with the first. */
function breakEachSecond(call: (typeof REFUSED_CALLS)[number], made: { calls: number }) {
  const [port, name] = call.split('.') as [keyof MemoryPorts, string]
  return (ports: MemoryPorts): Partial<MemoryPorts> => {
    const calls = ports[port] as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
    const broken = async (...args: readonly unknown[]): Promise<unknown> => {
      if (made.calls++ % 2 === 0) throw new Fault(call, problem('KUBE.FAILED', 'the server answered 500'))
      return calls[name]?.(...args)
    }
    return { [port]: { ...calls, [name]: broken } }
  }
}

describe('the pods that a decision finds a place for', () => {
  const nominated = ({ events }: Scene) => events().filter(({ reason }) => reason === 'Nominated')

  it('are told which claim they are meant for, once, and its node when there is one', async () => {
    const all = scene()
    all.arrive('good-1', 'good-2')
    await all.run()
    const [claim] = all.world.objects.all('nodeClaim')
    const message = `Pod should schedule on: nodeclaim/${claim?.name}`
    expect(nominated(all)).toMatchObject([
      { subject: { kind: 'pod', name: 'default/good-1' }, type: 'Normal', message },
      { subject: { kind: 'pod', name: 'default/good-2' }, type: 'Normal', message },
    ])
    await all.run()
    expect(nominated(all)).toHaveLength(2)
  })

  it('are told nothing of a claim that could not be made', async () => {
    const [refusal = problem('KUBE.FAILED', 'no')] = ANSWERS
    const all = scene((ports) => ({
      api: { ...ports.api, createClaim: () => Promise.reject(new Fault('create', refusal)) },
    }))
    all.arrive('good-1')
    await all.run()
    expect(nominated(all)).toEqual([])
  })
})
