import { describe, expect, it } from 'vitest'
import { capacityBuffer } from '../../../test/builders/capacityBuffer.ts'
import { catalog } from '../../../test/builders/catalog.ts'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeOverlay } from '../../../test/builders/nodeOverlay.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import type { Change } from '../../model/change.ts'
import type { Action, CreateClaim, DeleteClaim, Reason } from '../../model/decision.ts'
import { clusterId, nodeClaimName, nodeClassName, nodePoolName, objectKey, uid, vmSizeName, zoneName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Intent } from '../../model/ledger.ts'
import { Fault, type ProblemCode, problem } from '../../model/problem.ts'
import { microUsdPerHour, usdPerHour } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { type ClusterDeps, createLaunchLocks } from '../deps/clusterDeps.ts'
import { type Committed, emptyLedger } from '../ledger/nextLedger.ts'
import { createClusterState } from '../state/clusterState.ts'
import { applyDecision, blockedEvents, sumCommands } from './applyDecision.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const conditions = [condition('Ready', { message: 'judged' })]

const TELLINGS = {
  'the status of aksnodeclass default': { kind: 'patchNodeClassStatus', nodeClass: nodeClassName('default'), conditions },
  'the status of nodepool default': {
    kind: 'patchNodePoolStatus',
    nodePool: nodePoolName('default'),
    conditions,
    resources: { cpu: 7 },
    nodes: 3,
  },
  'the annotations of nodepool default': { kind: 'annotateNodePool', nodePool: nodePoolName('default'), annotations: { own: 'yes' } },
  'the status of nodeoverlay overlay': { kind: 'patchNodeOverlayStatus', nodeOverlay: 'overlay', conditions },
  'the status of capacitybuffer default/spare': {
    kind: 'patchCapacityBufferStatus',
    capacityBuffer: objectKey('default', 'spare'),
    status: { conditions, replicas: 5 },
  },
  'an event about pod default/web': {
    kind: 'publish',
    event: { subject: { kind: 'pod', name: 'default/web' }, type: 'Normal', reason: 'Nominated', message: 'm' },
  },
} as const satisfies { readonly [name: string]: Action }

const create: CreateClaim = {
  kind: 'createClaim',
  draft: {
    name: nodeClaimName('default-new'),
    nodePool: nodePoolName('default'),
    labels: { a: 'b' },
    annotations: { own: 'yes' },
    spec: nodeClaim().spec,
  },
  pods: [
    { key: objectKey('default', 'a'), uid: uid('a') },
    { key: objectKey('default', 'b'), uid: uid('b') },
  ],
  choice: { size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot', price: usdPerHour(0.05) },
  nextBest: { size: vmSizeName('Standard_D8as_v6'), zone: zoneName('0'), capacityType: 'on-demand' },
  alternatives: 4,
}

/** A committed decision with these actions, in a cluster that has the objects the actions refer to. */
function scene(actions: readonly Action[], over: Partial<Committed> = {}) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  world.objects.put('nodeClass', nodeClass({ status: { conditions: [], images: [] } }))
  world.objects.put('nodePool', nodePool())
  world.objects.put('nodeOverlay', nodeOverlay())
  world.objects.put('capacityBuffer', capacityBuffer())
  const intents: readonly Intent[] = actions.flatMap((action) =>
    action.kind === 'createClaim' ? [{ action, decision: 1, decidedAt: ago(2 * SECOND) }] : [],
  )
  const committed: Committed = {
    ledger: { ...emptyLedger(CLUSTER), epoch: 9, decisions: 1, intents },
    etag: undefined,
    snapshot: snapshot({ types: catalog() }),
    decided: { actions, reasons: [] },
    decideMs: 7,
    caughtUp: { state: createClusterState(), position: 'here', records: 0 },
    ...over,
  }
  const apply = (api: Partial<ClusterApi> = {}, more: Partial<Pick<ClusterDeps, 'launchLocks' | 'queue'>> = {}): Promise<boolean> =>
    applyDecision({ ...world.ports, ...more, settings: settings(), api: { ...world.ports.api, ...api } }, committed, NEVER)
  const warned = () => world.telemetry.lines.filter(({ level }) => level === 'warn')
  return { world, apply, warned }
}

/** The calls that write `TELLINGS`, each with this answer. */
function answering(answer: () => Promise<never>): Partial<ClusterApi> {
  return {
    patchNodeClassStatus: answer,
    patchNodePoolStatus: answer,
    annotateNodePool: answer,
    patchNodeOverlayStatus: answer,
    patchCapacityBufferStatus: answer,
    publish: answer,
  }
}

describe('what a decision tells', () => {
  it('is written, each where it belongs', async () => {
    const { world, apply, warned } = scene(Object.values(TELLINGS))
    expect(await apply()).toBe(true)
    const { objects } = world
    expect(objects.get('nodeClass', 'default')?.status.conditions).toMatchObject([{ message: 'judged' }])
    expect(objects.get('nodePool', 'default')?.status).toMatchObject({
      conditions: [{ message: 'judged' }],
      resources: { cpu: 7 },
      nodes: 3,
    })
    expect(objects.get('nodePool', 'default')?.meta.annotations).toMatchObject({ own: 'yes' })
    expect(objects.get('nodeOverlay', 'overlay')?.status.conditions).toMatchObject([{ message: 'judged' }])
    expect(objects.get('capacityBuffer', 'default/spare')?.status).toMatchObject({ conditions: [{ message: 'judged' }], replicas: 5 })
    expect(objects.events.map(({ event }) => event.subject.name)).toEqual(['default/web'])
    expect(warned()).toEqual([])
  })

  it.each(Object.entries(TELLINGS))('and that cannot be written is said by its name, and tried again: %s', async (name, action) => {
    const { apply, warned } = scene([action])
    const refuse = () => Promise.reject(new Fault('write', problem('KUBE.FAILED', 'the server answered 500')))
    expect(await apply(answering(refuse))).toBe(false)
    expect(warned()).toMatchObject([
      { message: `${name} was not done: the server answered 500`, fields: { code: 'KUBE.FAILED', cluster: 'test' } },
    ])
  })

  const statuses = Object.entries(TELLINGS).filter(([, { kind }]) => kind !== 'publish')
  it.each(statuses)('and that is called invalid is said by its name, and not tried again: %s', async (name, action) => {
    const { apply, warned } = scene([action])
    // The calls have different result types, and a Problem is allowed in each.
    const answer = (code: ProblemCode) => answering(async () => err(problem(code, 'no')) as never)
    expect(await apply(answer('KUBE.INVALID'))).toBe(true)
    expect(warned().map(({ message }) => message)).toEqual([`${name} was not done: no`])
    expect(await apply(answer('KUBE.CONFLICT'))).toBe(true)
    expect(warned()).toHaveLength(1)
  })
})

describe('the annotations of a NodePool', () => {
  const { 'the annotations of nodepool default': action, ...others } = TELLINGS

  it('that the app may not write stop nothing else, and are not tried again', async () => {
    const { world, apply, warned } = scene([action, ...Object.values(others), create])
    const annotateNodePool = async () => err(problem('KUBE.FORBIDDEN', 'patch nodepool/default: the role has no such right'))
    expect(await apply({ annotateNodePool })).toBe(true)
    expect(warned()).toMatchObject([
      {
        message: 'the annotations of nodepool default was not done: patch nodepool/default: the role has no such right',
        fields: { code: 'KUBE.FORBIDDEN' },
      },
    ])
    expect(world.objects.get('nodePool', 'default')?.status.nodes).toBe(3)
    expect(world.objects.get('nodeClaim', 'default-new')).toBeDefined()
    expect(world.objects.events.map(({ event }) => event.subject.name)).toContain('default/web')
  })
})

describe('a claim that a decision makes', () => {
  it('is made after what classes say, which its launch reads, and followed', async () => {
    const { world, apply } = scene([...Object.values(TELLINGS), create])
    expect(await apply()).toBe(true)
    const writes = world.journal.entries.map(({ operation }) => operation)
    expect(writes.slice(0, 2)).toEqual(['api.patchNodeClassStatus', 'api.createClaim'])
    expect(world.work).toEqual([
      {
        key: 'claim',
        at: NOW,
        claim: 'default-new',
        because: 'news',
        isFollowed: true,
        attempt: 0,
        trace: expect.stringMatching(/^00-/),
      },
    ])
    expect(world.objects.get('nodeClaim', 'default-new')?.meta).toMatchObject({
      labels: { a: 'b' },
      annotations: { own: 'yes', [ANNOTATION.decidedAt]: String(ago(2 * SECOND)) },
    })
  })

  it.each([
    ['with the lock of its launch where this process launches it at once', true, true, [String(NOW), '1']],
    ['without one where its class is not ready', false, true, [undefined, undefined]],
    ['without one where another process may launch it', true, false, [undefined, undefined]],
  ])('is made %s', async (_sentence, isReady, isHere, annotations) => {
    const state = createClusterState()
    const judged = nodeClass({ status: { conditions: [condition('Ready', { status: isReady ? 'True' : 'Unknown' })], images: [] } })
    const change: Change = { seq: 1, at: NOW, op: 'put', kind: 'nodeClass', key: judged.name, object: judged }
    state.apply({ term: 1, receivedAt: NOW, body: { kind: 'snapshot', seq: 1, part: 0, parts: 1, changes: [change] } })
    const launchLocks = createLaunchLocks()
    const { world, apply } = scene([create], { caughtUp: { state, position: 'here', records: 0 } })
    await apply({}, { launchLocks, queue: { ...world.ports.queue, isShuttingDown: () => !isHere } })
    const made = world.objects.get('nodeClaim', 'default-new')?.meta.annotations ?? {}
    expect([made[ANNOTATION.launchStarted], made[ANNOTATION.launches]]).toEqual(annotations)
    expect(launchLocks.take(nodeClaimName('default-new'), NOW)).toBe(isReady && isHere)
  })

  it('is written down as made, and how long it took is measured', async () => {
    const { world, apply } = scene([create])
    await apply()
    const ledger = await world.ports.ledger.load(NEVER)
    expect(ledger.ok && ledger.value?.value.intents.map(({ createdAt }) => createdAt)).toEqual([NOW])
    expect(world.telemetry.measures).toContainEqual({
      name: 'claim_created_ms',
      value: 2 * SECOND,
      fields: { cluster: CLUSTER, claim: 'default-new', decision: 1 },
    })
  })

  it('is announced: what, for how many, at what price, instead of what', async () => {
    const { world, apply } = scene([create])
    await apply()
    const [line] = world.telemetry.lines
    expect(line?.fields).toEqual({
      cluster: CLUSTER,
      decision: 1,
      claim: 'default-new',
      nodePool: 'default',
      size: 'Standard_D4as_v6',
      zone: 'eastus-1',
      capacityType: 'spot',
      microUsdPerHour: 50_000,
      pods: 2,
      alternatives: 4,
      decideMs: 7,
    })
    for (const words of [
      'one Standard_D4as_v6, spot, zone eastus-1, $0.05/h for 2 pods',
      'next best Standard_D8as_v6, on-demand, any zone, price unknown',
      `decided in 7 ms over ${catalog().length} sizes`,
    ])
      expect(line?.message).toContain(words)
  })

  it('is announced without a next best where there is none, and for one pod', async () => {
    const { nextBest: _, ...alone } = create
    const { world, apply } = scene([{ ...alone, pods: create.pods.slice(0, 1) }])
    await apply()
    expect(world.telemetry.lines[0]?.message).toContain('for one pod;')
    expect(world.telemetry.lines[0]?.message).not.toContain('next best')
  })

  it('is announced with the buffers that it is for', async () => {
    const { world, apply } = scene([{ ...create, pods: [], buffers: [{ buffer: objectKey('default', 'spare'), pods: 3, of: 3 }] }])
    await apply()
    expect(world.telemetry.lines[0]?.message).toContain('$0.05/h for the buffer default/spare (3 of 3 pods); next best')
  })

  it('of an earlier decision is made, too, and not announced again', async () => {
    const { world, apply } = scene([create], { snapshot: snapshot({ decision: 2 }) })
    await apply()
    expect(world.objects.get('nodeClaim', 'default-new')).toBeDefined()
    expect(world.telemetry.lines).toEqual([])
  })
})

describe('the record of a decision', () => {
  it('says what it did, where in the log it was made, and how long it took', async () => {
    const { world, apply } = scene([create])
    await apply()
    const { takenAt } = snapshot()
    expect(await world.ports.decisions.latest(5, NEVER)).toEqual([
      { number: 1, epoch: 9, takenAt, position: 'here', decision: { actions: [create], reasons: [] }, decideMs: 7 },
    ])
  })

  it('is not kept of one that did nothing, which has no number of its own', async () => {
    const { world, apply } = scene([], { ledger: emptyLedger(CLUSTER) })
    expect(await apply()).toBe(true)
    expect(await world.ports.decisions.latest(5, NEVER)).toEqual([])
  })
})

const ENDED: DeleteClaim = {
  kind: 'deleteClaim',
  claim: nodeClaimName('default-a'),
  uid: uid('a'),
  because: 'Underutilized',
  pods: [{ key: objectKey('default', 'web'), uid: uid('web') }],
  saves: { size: vmSizeName('small'), zone: zoneName('1'), capacityType: 'spot', price: microUsdPerHour(20_000) },
}

describe('the sum of the moves that a decision begins', () => {
  it('says what is gained and what is moved for that', () => {
    const command = disruptionCommand([nodeClaim({ name: 'default-c' })], { saving: microUsdPerHour(-5_000) })
    const pods = command.candidates.reduce((sum, each) => sum + each.pods.length, 0)
    expect(sumCommands([ENDED, { kind: 'startCommand', command }])).toEqual({
      nodes: 1 + command.candidates.length,
      replacements: command.replacements.length,
      pods: 1 + pods,
      saving: 15_000,
    })
  })

  it('says no gain where a price is not known', () => {
    const { saves: _, ...unpriced } = ENDED
    expect(sumCommands([ENDED, unpriced])).toEqual({ nodes: 2, replacements: 0, pods: 2 })
  })

  it('counts a step of a move under way no second time', () => {
    expect(sumCommands([{ ...ENDED, command: '7-0' }])).toBeUndefined()
    expect(sumCommands([])).toBeUndefined()
  })
})

function cluster(names: readonly string[]) {
  const state = createClusterState()
  const objects = names.flatMap((name) => {
    const [claim, own] = [nodeClaim({ name, stage: 'initialized' }), node({ claim: name })]
    return [
      { kind: 'nodeClaim', key: claim.name, object: claim },
      { kind: 'node', key: own.name, object: own },
    ] as const
  })
  const changes: readonly Change[] = objects.map((each, at) => ({ seq: at + 1, at: NOW, op: 'put', ...each }))
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes } })
  return state
}

const reason = (name: string, code: ProblemCode): Reason => ({ code, subject: { kind: 'nodeClaim', name }, message: 'because' })

describe('a node that no move takes', () => {
  it.each([
    ['DISRUPTION.DO_NOT_DISRUPT', 'DisruptionBlocked'],
    ['DISRUPTION.PDB', 'DisruptionBlocked'],
    ['DISRUPTION.NO_ROOM', 'Unconsolidatable'],
    ['DISRUPTION.NO_PRICE', 'Unconsolidatable'],
    ['DISRUPTION.SPOT', 'Unconsolidatable'],
  ] as const)('CA-12 CA-13 CA-14 CR-02 CE-04 CE-05 CE-06 DD-05 says so on node and claim, under Karpenter’s name: %s', (code, name) => {
    const events = blockedEvents([reason('default-a', code)], cluster(['default-a']))
    expect(events.map(({ subject, reason: said, message, key }) => [subject.kind, subject.name, said, message, key])).toEqual([
      ['nodeClaim', 'default-a', name, 'because', code],
      ['node', 'joiner-default-a', name, 'because', code],
    ])
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(2)
  })

  it('CE-01 says nothing of what passes by itself or is normal, and nothing where it is gone', () => {
    const state = cluster(['default-a'])
    const silent = (['DISRUPTION.QUIET', 'DISRUPTION.NO_SAVING', 'DISRUPTION.POLICY'] as const).map((code) => reason('default-a', code))
    expect(blockedEvents([...silent, reason('default-b', 'DISRUPTION.PDB')], state)).toEqual([])
  })

  it('says so on the claim alone where the node is not known', () => {
    const state = cluster(['default-a'])
    state.apply({
      term: 1,
      receivedAt: NOW,
      body: { kind: 'changes', changes: [{ kind: 'node', key: nodeNameOf('default-a'), seq: 3, at: NOW, op: 'delete' }] },
    })
    expect(blockedEvents([reason('default-a', 'DISRUPTION.PDB')], state).map(({ subject }) => subject)).toEqual([
      { kind: 'nodeClaim', name: 'default-a' },
    ])
  })

  it('is one of few that are told', () => {
    const names = Array.from({ length: 40 }, (_, at) => `default-${at}`)
    const events = blockedEvents(
      names.map((name) => reason(name, 'DISRUPTION.NO_ROOM')),
      cluster(names),
    )
    expect(events).toHaveLength(50)
  })
})
