import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Decision, Reason } from '../../model/decision.ts'
import type { BegunMove, ExtraNodes, MoveRest } from '../../model/disruptionCommand.ts'
import { clusterId, nodeClaimName, nodeClassName, nodePoolName, uid, vmSizeName, zoneName } from '../../model/ids.ts'
import type { Ledger } from '../../model/ledger.ts'
import { problem } from '../../model/problem.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import { emptyLedger } from './nextLedger.ts'
import { rememberedAfter, restOf, restStateOf, withoutMoves } from './rest.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const NOTHING: Decision = { actions: [], reasons: [] }
const CLAIM = nodeClaimName('default-aaaaa')
const settled = nodeClaim({
  name: CLAIM,
  status: { conditions: ['Ready', 'Initialized', 'ConsistentStateFound'].map((type) => condition(type)) },
})
const draft = { name: CLAIM, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: settled.spec }
const choice = { size: vmSizeName('Standard_D2s_v5'), zone: zoneName('eastus-1'), capacityType: 'on-demand' } as const

type Found = { readonly shape?: SnapshotShape; readonly decided?: Partial<Decision>; readonly ledger?: Partial<Ledger> }

function rest({ shape = {}, decided = {}, ledger = {} }: Found) {
  return restOf({
    snapshot: snapshot(shape),
    decided: { ...NOTHING, ...decided },
    ledger: { ...emptyLedger(CLUSTER), ...ledger },
    position: '7',
  })
}

describe('a decision', () => {
  const machines = { objects: { nodeClaim: [settled], node: [node({ claim: CLAIM })] } }
  const refusal: Reason = { code: 'POOL.LIMIT', subject: { kind: 'pod', name: 'default/p' }, message: 'no more now' }
  const held: Reason = { code: 'DISRUPTION.BUDGET', subject: { kind: 'nodeClaim', name: CLAIM }, message: 'no more now' }

  it('that finds nothing to do is trusted: long without machines, less long with some, shortly where it refuses something', () => {
    expect(rest({})).toEqual({ position: '7', until: hence(10 * MINUTE) })
    expect(rest({ shape: machines })).toEqual({ position: '7', until: hence(5 * MINUTE) })
    expect(rest({ shape: machines, decided: { reasons: [refusal] } })).toEqual({ position: '7', until: hence(2 * MINUTE) })
    expect(rest({ shape: machines, decided: { reasons: [held] } })).toEqual({ position: '7', until: hence(5 * MINUTE) })
  })

  it('is trusted as well where it tells what it refuses', () => {
    const event = {
      subject: { kind: 'pod', namespace: 'a', name: 'b' },
      uid: uid('u'),
      type: 'Warning',
      reason: 'FailedScheduling',
      message: 'no',
    } as const
    const decided = { actions: [{ kind: 'publish', event }], reasons: [refusal] } as const
    expect(rest({ decided })).toEqual({ position: '7', until: hence(2 * MINUTE) })
  })

  it('is trusted where no size of the region serves a class', () => {
    const sizeProblems = new Map([[nodeClassName('default'), problem('NODECLASS.INVALID', 'no size serves it')]])
    expect(rest({ shape: { types: [], sizeProblems } })).toEqual({ position: '7', until: hence(10 * MINUTE) })
  })

  it('is trusted no longer than it says itself', () => {
    expect(rest({ decided: { wakeAt: hence(MINUTE) } })).toEqual({ position: '7', until: hence(MINUTE) })
    expect(rest({ decided: { wakeAt: hence(60 * MINUTE) } })).toEqual({ position: '7', until: hence(10 * MINUTE) })
  })

  it('is trusted as well where its writes may be refused, and nothing waits for them', () => {
    const hold = { kind: 'holdNodeClass', nodeClass: nodeClassName('default') } as const
    expect(rest({ decided: { actions: [hold] } })).toEqual({ position: '7', until: hence(10 * MINUTE) })
    expect(rest({ decided: { actions: [{ ...hold, kind: 'releaseNodeClass' }] } })).toBeUndefined()
  })

  const restless: readonly (readonly [string, Found])[] = [
    ['does something', { decided: { actions: [{ kind: 'deleteClaim', claim: CLAIM, uid: uid('u'), because: 'Empty' }] } }],
    [
      'waits for a claim',
      { ledger: { intents: [{ action: { kind: 'createClaim', draft, pods: [], choice, alternatives: 1 }, decision: 1, decidedAt: NOW }] } },
    ],
    ['knows no size of the region', { shape: { types: [] } }],
    ['keeps room for a pod', { shape: { nominations: [{ pod: uid('p'), claim: CLAIM, until: hence(MINUTE) }] } }],
    ['sees a claim that is not ready', { shape: { objects: { nodeClaim: [nodeClaim({ name: CLAIM, stage: 'created' })] } } }],
    ['sees a claim that goes', { shape: { objects: { nodeClaim: [{ ...settled, meta: { ...settled.meta, deletedAt: ago(MINUTE) } }] } } }],
    [
      'sees a ready claim whose generation moved',
      { shape: { objects: { nodeClaim: [{ ...settled, meta: { ...settled.meta, generation: 2 } }], node: [node({ claim: CLAIM })] } } },
    ],
    ['sees a ready claim whose node is gone', { shape: { objects: { nodeClaim: [settled] } } }],
  ]
  it.each(restless)('is made again where it %s', (_what, found) => {
    expect(rest(found)).toBeUndefined()
  })
})

describe('a cluster', () => {
  async function world(rested: Ledger['rest']) {
    const clock = createVirtualClock(NOW)
    const made = createMemoryWorld({ clock, cluster: CLUSTER })
    const shim = createMemoryShim(made, 1)
    await made.ports.log.append(shim.snapshot(), NEVER)
    const { position } = await made.ports.log.read(undefined, NEVER)
    const ledger = { ...emptyLedger(CLUSTER), ...(rested === undefined ? {} : { rest: { ...rested, position } }) }
    await made.ports.ledger.save(ledger, undefined, NEVER)
    return { made, shim, clock }
  }
  const trusted = { position: '', until: hence(MINUTE) }

  it('is at rest while its log ends where the decision ended', async () => {
    const { made, clock } = await world(trusted)
    expect(await restStateOf(made.ports, NEVER)).toBe('resting')
    await clock.advance(MINUTE - 5_001)
    expect(await restStateOf(made.ports, NEVER)).toBe('resting')
    await clock.advance(1)
    expect(await restStateOf(made.ports, NEVER), 'the next run of the timer would be too late').toBe('stale')
  })

  it('is looked at where its rest ends later than any may: a clock went back', async () => {
    const { made } = await world({ position: '', until: hence(10 * MINUTE) })
    expect(await restStateOf(made.ports, NEVER)).toBe('resting')
    const { made: later } = await world({ position: '', until: hence(10 * MINUTE + 1) })
    expect(await restStateOf(later.ports, NEVER)).toBe('stale')
  })

  it('is not at rest once something was said, whether or not a decision was asked for', async () => {
    const { made, shim } = await world(trusted)
    made.objects.put('node', node())
    const changes = shim.changes()
    if (changes === undefined) expect.fail('nothing changed')
    await made.ports.log.append(changes, NEVER)
    expect(await restStateOf(made.ports, NEVER)).toBe('stale')
  })

  it('is not at rest where the last decision found something', async () => {
    const { made } = await world(undefined)
    expect(await restStateOf(made.ports, NEVER)).toBe('restless')
  })

  it('whose shim never said anything is at rest', async () => {
    const made = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
    expect(await restStateOf(made.ports, NEVER)).toBe('resting')
    const { ports } = made
    await ports.log.saveCheckpoint({ position: '0', floor: { term: 1, seq: 1 }, complete: { term: 1, seq: 1 }, entries: [] }, NEVER)
    expect(await restStateOf(made.ports, NEVER)).toBe('restless')
  })

  it.each(['ledger.load', 'log.read'])('is looked at where %s does not answer', async (call) => {
    const { made } = await world(trusted)
    made.failCall(call, 1)
    expect(await restStateOf(made.ports, NEVER)).toBe('restless')
  })

  it('is looked at where its log was removed up to a later place', async () => {
    const { made } = await world(trusted)
    const log = { ...made.ports.log, read: () => made.ports.log.read('999999', NEVER) }
    expect(await restStateOf({ ...made.ports, log }, NEVER)).toBe('restless')
  })
})

const COMMAND = disruptionCommand([nodeClaim({ name: 'default-a' })])

function begunAt(beganAt: EpochMs): BegunMove {
  return { pools: [nodePoolName('default')], beganAt }
}

function extraOf(...moved: readonly string[]): ExtraNodes {
  return { pools: [nodePoolName('default')], moved: moved.map(nodeClaimName), replacements: 1 }
}

function restUntil(until: EpochMs, ...moved: readonly string[]): MoveRest {
  return { moved: moved.map(nodeClaimName), claims: [], workloads: [], duration: durationMs(MINUTE), until }
}

describe('what the ledger remembers of moves', () => {
  it('is nothing where nothing was begun', () => {
    expect(rememberedAfter({}, NOTHING, { now: NOW, commands: [], claims: [] })).toEqual({})
  })

  it('is forgotten an hour after a move began', () => {
    const before = { begunMoves: [begunAt(ago(60 * MINUTE)), begunAt(ago(59 * MINUTE))] }
    const decided = { ...NOTHING, begunMoves: [begunAt(NOW)] }
    const after = rememberedAfter(before, decided, { now: NOW, commands: [], claims: [] })
    expect(after).toEqual({ begunMoves: [begunAt(ago(59 * MINUTE)), begunAt(NOW)] })
    expect(rememberedAfter(after, NOTHING, { now: hence(60 * MINUTE), commands: [], claims: [] })).toEqual({})
  })

  it('is forgotten at the end of a rest, and not while its move is under way', () => {
    const [over, moving, left, fresh] = [
      restUntil(NOW, 'x'),
      restUntil(NOW, 'default-a'),
      restUntil(hence(1), 'y'),
      restUntil(hence(2), 'z'),
    ]
    const decided = { ...NOTHING, moveRests: [fresh] }
    const after = rememberedAfter({ moveRests: [over, moving, left] }, decided, { now: NOW, commands: [COMMAND], claims: [] })
    expect(after).toEqual({ moveRests: [moving, left, fresh] })
  })

  it('is forgotten once all nodes of a move are gone', () => {
    const [gone, half] = [extraOf('x', 'y'), extraOf('x', 'default-a')]
    const claims = [nodeClaim({ name: 'default-a' })]
    expect(rememberedAfter({ extraNodes: [gone, half] }, NOTHING, { now: NOW, commands: [], claims })).toEqual({ extraNodes: [half] })
  })

  it('is forgotten of a move that is undone', () => {
    const backOff = { claims: [], pools: [], failures: 1, failedAt: NOW, until: hence(1) }
    const ended = { ...NOTHING, actions: [{ kind: 'endCommand', command: COMMAND, message: '', backOff } as const] }
    const before = { extraNodes: [extraOf('default-a')] }
    expect(rememberedAfter(before, ended, { now: NOW, commands: [], claims: [nodeClaim({ name: 'default-a' })] })).toEqual({})
  })

  it('is no rest of a move that came to nothing', () => {
    const ledger = { ...emptyLedger(clusterId('test')), moveRests: [restUntil(hence(1), 'default-a'), restUntil(hence(1), 'y')] }
    expect(withoutMoves(ledger, [COMMAND]).moveRests).toEqual([restUntil(hence(1), 'y')])
    expect(withoutMoves({ ...ledger, moveRests: [restUntil(hence(1), 'default-a')] }, [COMMAND])).not.toHaveProperty('moveRests')
    expect(withoutMoves({ ...ledger, extraNodes: [extraOf('default-a')] }, [COMMAND])).not.toHaveProperty('extraNodes')
  })
})
