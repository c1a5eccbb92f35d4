import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { daemonPod, pod } from '../../../test/builders/pod.ts'
import { HOLDS_ALL } from '../../../test/builders/podDisruptionBudget.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import { clusterId, nodeClaimName, nodePoolName, vmSizeName, zoneName } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Intent } from '../../model/ledger.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import { createClusterState } from '../state/clusterState.ts'
import { type StartedCommands, startCommands } from './carryOutIntents.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const NEW = nodeClaimName('default-new')

/** A command that replaces two nodes by one, committed a moment ago. */
function scene() {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  world.objects.put('nodePool', nodePool())
  const claims = ['default-one', 'default-two'].map((name) => world.objects.put('nodeClaim', nodeClaim({ name })))
  for (const { name } of claims) world.objects.put('node', node({ claim: name }))
  const { markedAt: _, ...command } = disruptionCommand(claims)
  const draft = { name: NEW, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: nodeClaim().spec }
  const choice = { size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'spot' } as const
  const action = { kind: 'createClaim', draft, pods: [], choice, alternatives: 1, command: command.id } as const
  const intent: Intent = { action, decision: 1, decidedAt: NOW }
  const start = (api: Partial<ClusterApi> = {}, unmade: readonly Intent[] = [intent]): Promise<StartedCommands> =>
    startCommands(
      { ...world.ports, settings: settings(), api: { ...world.ports.api, ...api } },
      {
        ledger: { ...emptyLedger(CLUSTER), commands: [command], intents: unmade },
        etag: undefined,
        snapshot: snapshot(),
        decided: { actions: [], reasons: [] },
        decideMs: 0,
        caughtUp: { state: { ...createClusterState(), list: world.objects.all }, position: '', records: 0 },
      },
      unmade,
      NEVER,
    )
  const closed = (): readonly string[] => world.objects.all('node').flatMap(({ name, taints }) => (taints.length > 0 ? [name] : []))
  return { world, start, closed, intent }
}

describe('a move with replacements', () => {
  it('DS-06 has all its nodes marked before its claim is made', async () => {
    const { world, start, closed } = scene()
    const started = await start()
    expect(started).toMatchObject({ commands: [{ markedAt: NOW }], backOffs: [], intents: [{ createdAt: NOW }], isDone: true })
    expect(closed()).toEqual(['joiner-default-one', 'joiner-default-two'])
    const order = world.journal.entries.map(({ operation }) => operation)
    expect(order.indexOf('api.createClaim')).toBeGreaterThan(order.lastIndexOf('api.patchNode'))
  })

  it('makes no claim while a node cannot be marked, and is tried again', async () => {
    const { world, start, intent } = scene()
    const started = await start({ patchNode: async () => err(problem('KUBE.CONFLICT', 'no')) })
    expect(started).toMatchObject({ commands: [{ id: '7-0' }], intents: [intent], isDone: false })
    expect(started.commands[0]).not.toHaveProperty('markedAt')
    expect(world.objects.get('nodeClaim', NEW)).toBeUndefined()
  })

  it('CW-03 is taken back when one of its nodes has a pod that nobody planned for: no claim, all nodes open, and a rest', async () => {
    const { world, start, closed } = scene()
    world.objects.put('pod', pod({ nodeName: 'joiner-default-two', phase: 'Running' }))
    const started = await start()
    expect(started).toMatchObject({
      commands: [],
      intents: [],
      isDone: true,
      backOffs: [{ claims: ['default-one', 'default-two'], failures: 1 }],
    })
    expect(closed()).toEqual([])
    expect(world.objects.get('nodeClaim', NEW)).toBeUndefined()
    expect(world.objects.events.map(({ event }) => `${event.reason} ${event.subject.name}`)).toEqual([
      'DisruptionBlocked default-one',
      'DisruptionBlocked default-two',
    ])
  })

  it.each([
    ['CW-04 a pod that must not be disrupted', { [ANNOTATION.doNotDisrupt]: 'true' }, false, 'must not be disrupted'],
    ['CW-05 a pod that a budget keeps', {}, true, 'default/all prevents the eviction'],
  ])('%s, and that came to one of its nodes meanwhile, has the move taken back', async (_sentence, annotations, isHeld, says) => {
    const { world, start, closed } = scene()
    // A daemon may be on the node beside the pods of the plan.
    world.objects.put('pod', daemonPod('joiner-default-two', { namespace: 'default', phase: 'Running', annotations }))
    if (isHeld) world.objects.put('podDisruptionBudget', HOLDS_ALL)
    expect(await start()).toMatchObject({ commands: [], intents: [], isDone: true })
    expect(closed()).toEqual([])
    expect(world.objects.get('nodeClaim', NEW)).toBeUndefined()
    expect(world.objects.events.map(({ event }) => event.message)).toContainEqual(expect.stringContaining(says))
  })

  it('that is marked already is not marked again, and a claim that gives another reason is', async () => {
    const { world, start } = scene()
    const writes = (): readonly string[] => world.journal.entries.map(({ operation, object }) => `${operation} ${object}`)
    await start({}, [])
    const before = writes().length
    await start({}, [])
    expect(writes().slice(before)).toEqual([])
    for (const claim of world.objects.all('nodeClaim')) {
      const conditions = claim.status.conditions.map((each) => (each.type === 'DisruptionReason' ? { ...each, reason: 'Empty' } : each))
      if (claim.name === 'default-two') world.objects.put('nodeClaim', { ...claim, status: { ...claim.status, conditions } })
    }
    await start({}, [])
    expect(writes().slice(before)).toEqual(['api.patchClaimStatus nodeclaim/default-two'])
    expect(world.objects.get('nodeClaim', 'default-two')?.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionReason', status: 'True', reason: 'Drifted' }),
    )
  })

  it('that lost its marks later is marked again, and goes on when a pod is in the way', async () => {
    const { world, start, closed } = scene()
    world.objects.put('pod', pod({ nodeName: 'joiner-default-two', phase: 'Running' }))
    const started = await start({}, [])
    expect(started).toMatchObject({ commands: [{ id: '7-0' }], backOffs: [] })
    expect(closed()).toEqual(['joiner-default-one'])
  })

  it('does not mind a node that is gone', async () => {
    const { world, start } = scene()
    world.objects.remove('nodeClaim', 'default-one')
    expect(await start()).toMatchObject({ commands: [{ markedAt: NOW }], isDone: true })
  })
})
