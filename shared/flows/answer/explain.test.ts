import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { Change } from '../../model/change.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { clusterId } from '../../model/ids.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import type { LogRecord } from '../../model/logRecord.ts'
import { problem } from '../../model/problem.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { type ClusterReader, createClusterReader } from '../state/catchUp.ts'
import { createClusterState } from '../state/clusterState.ts'
import { explain, type Question } from './explain.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')

/** The explanation of the only claim. Its node has no pods, and the question names the node. */
async function saidOf(annotations: Labels, commands: readonly DisruptionCommand[] = []) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool())
  world.objects.put('nodeClaim', nodeClaim({ name: 'default-a' }))
  if (commands.length > 0) world.objects.put('nodeClaim', nodeClaim({ name: 'default-new', stage: 'launched' }))
  world.objects.put('node', node({ claim: 'default-a', meta: { annotations } }))
  const deps = { ...world.ports, settings: settings() }
  await deps.log.append(createMemoryShim(world, 1).snapshot(), NEVER)
  await deps.ledger.save({ ...emptyLedger(CLUSTER), commands }, undefined, NEVER)
  const answer = await explain(deps, createClusterReader(deps.log), { kind: 'nodeClaim', name: 'joiner-default-a' }, NEVER)
  if (!answer.ok) throw new Error(answer.error.message)
  return { text: answer.value.text.at(-1), explanation: answer.value.explanation }
}

describe('why a machine goes or stays', () => {
  it('is the rule that keeps it', async () => {
    const { text, explanation } = await saidOf({ [ANNOTATION.doNotDisrupt]: 'true' })
    expect(text).toMatch(/^ {2}not disrupted \(DISRUPTION\.DO_NOT_DISRUPT\): /)
    expect(explanation).toMatchObject({ kind: 'there', disruption: { kind: 'stays', code: 'DISRUPTION.DO_NOT_DISRUPT' } })
  })

  it('is what the next decision does with it', async () => {
    const { text } = await saidOf({})
    expect(text).toMatch(/^ {2}the next decision disrupts it \(Empty\): 0 pods to move, no replacement/)
  })

  it('is the move that has it', async () => {
    const { text } = await saidOf({}, [disruptionCommand([nodeClaim({ name: 'default-a' })])])
    expect(text).toMatch(/^ {2}move 7-0 \(Drifted\) has been disrupting it for 60 s: .*; 0 of 1 replacements are ready$/)
  })
})

describe('an object that no decision is made with', () => {
  async function askedAbout(question: Question, spoil: (world: MemoryWorld) => LogRecord) {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
    world.objects.put('nodeClass', nodeClass())
    world.objects.put('nodePool', nodePool())
    world.objects.put('pod', pod())
    world.objects.put('nodeClaim', nodeClaim({ name: 'default-a' }))
    const deps = { ...world.ports, settings: settings() }
    await deps.log.append(spoil(world), NEVER)
    return explain(deps, createClusterReader(deps.log), question, NEVER)
  }

  it('since it cannot be read, is explained by the field and the rule', async () => {
    const broken = problem('POD.INVALID', 'pod/default/pod: spec.overhead["cpu"] is no quantity (quantity "1e1.5": unable to parse)')
    const spoil = (world: MemoryWorld): LogRecord => {
      const record = createMemoryShim(world, 1).snapshot()
      if (record.body.kind !== 'snapshot') throw new TypeError('no snapshot')
      const changes = record.body.changes.map((change): Change => {
        if (change.kind !== 'pod') return change
        return { seq: change.seq, at: change.at, op: 'invalid', kind: 'pod', key: change.key, problem: broken }
      })
      return { ...record, body: { ...record.body, changes } }
    }
    expect(await askedAbout({ kind: 'pod', key: pod().key }, spoil)).toEqual({ ok: false, error: broken })
  })

  it.each([
    ['pod', { kind: 'pod', key: pod().key }, 'pod/default/pod'],
    ['nodeClaim', { kind: 'nodeClaim', name: 'default-a' }, 'nodeclaim/default-a'],
    ['nodeClaim', { kind: 'nodeClaim', name: 'joiner-default-a' }, 'nodeclaim/default-a'],
  ] as const)('since planning fails with the %s, is explained by the failure', async (kind, question, object) => {
    const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
    const state = createClusterState()
    const claim = nodeClaim({ name: 'default-a' })
    const put = (seq: number, change: object) => ({ seq, at: NOW, op: 'put', ...change }) as Change
    const changes = [
      put(1, { kind: 'nodeClass', key: 'default', object: nodeClass() }),
      put(2, { kind: 'nodePool', key: 'default', object: nodePool() }),
      put(3, { kind: 'pod', key: pod().key, object: kind === 'pod' ? { ...pod(), schedulingGates: failing([], 'length') } : pod() }),
      put(4, {
        kind: 'nodeClaim',
        key: claim.name,
        object: kind === 'nodeClaim' ? { ...claim, spec: failing(claim.spec, 'taints') } : claim,
      }),
    ]
    state.apply({ term: 1, receivedAt: NOW, body: { kind: 'snapshot', seq: 4, part: 0, parts: 1, changes } })
    const { log } = world.ports
    const reader: ClusterReader = { ...createClusterReader(log), catchUp: async () => ({ state, position: '', records: 0 }) }
    const answer = await explain({ ...world.ports, settings: settings() }, reader, question, NEVER)
    expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL.LEFT_OUT', object } })
    expect(!answer.ok && answer.error.message).toMatch(
      /^\w+\/\S+: joiner left it out of its decision, since planning fails with it: no planning with \w+; to do: /,
    )
  })
})

/** The object, of which one member fails when it is read. */
function failing<Value extends object>(value: Value, member: string): Value {
  return new Proxy(value, {
    get(target, name, receiver): unknown {
      if (name === member) throw new Error(`no planning with ${String(name)}`)
      return Reflect.get(target, name, receiver)
    },
  })
}
