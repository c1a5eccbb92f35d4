import { describe, expect, it } from 'vitest'
import { MINUTE } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod, REPLICA_SET, STATEFUL_SET } from '../../../test/builders/pod.ts'
import { HOLDS_ALL } from '../../../test/builders/podDisruptionBudget.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import { clusterId } from '../../model/ids.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import type { NodeClaimSpec } from '../../model/nodeClaim.ts'
import { refOf } from '../../model/pod.ts'
import { problem } from '../../model/problem.ts'
import type { Taint } from '../../model/taint.ts'
import { formatTimestamp } from '../../model/time.ts'
import { durationMs, epochMs, usdPerHour } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { createClusterState } from '../state/clusterState.ts'
import { closeNode, disruptClaim, type NotTaken } from './disruptClaim.ts'

const NEVER = new AbortController().signal

/** An empty node of one claim, and a decision to delete the claim, made on a cluster state that does not show either of them. */
function emptyNode() {
  const world = createMemoryWorld({ clock: createVirtualClock(epochMs(1_800_000_000_000)), cluster: clusterId('test') })
  const claim = world.objects.put('nodeClaim', nodeClaim({ name: 'default-a' }))
  world.objects.put('node', node({ claim: 'default-a' }))
  const take = async (
    more: Partial<DeleteClaim> = {},
    api: Partial<ClusterApi> = {},
    method: 'delete' | 'replace' = 'delete',
  ): Promise<NotTaken> => {
    const deps = { ...world.ports, settings: settings(), api: { ...world.ports.api, ...api } }
    const state = { ...createClusterState(), list: world.objects.all }
    const action: DeleteClaim = { kind: 'deleteClaim', claim: claim.name, uid: claim.meta.uid, because: 'Empty', ...more }
    const each = { action, command: { id: '7-0', method } }
    return disruptClaim(deps, state, each, await closeNode(deps, state, each, NEVER), NEVER)
  }
  const said = (): readonly string[] => world.telemetry.lines.filter((line) => line.level === 'info').map((line) => line.message)
  return { world, claim, take, said }
}

describe('disruptClaim', () => {
  it('QU-07 ends the claim of an empty node', async () => {
    const { world, claim, take, said } = emptyNode()
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeDefined()
    expect(said()).toEqual(['nodeclaim default-a is taken away: Empty'])
  })

  it('keeps a node that kube-scheduler nominates a pod for meanwhile, and opens it again', async () => {
    const { world, claim, take } = emptyNode()
    const [held] = world.objects.all('node')
    if (held === undefined) expect.fail('no node')
    world.objects.put('pod', pod({ name: 'coming', nominatedNodeName: held.name, nominatedAt: world.clock.now() }))
    expect(await take()).toEqual({
      code: 'DISRUPTION.NOMINATED',
      message: 'kube-scheduler is about to bind pod default/coming to the node',
    })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.get('node', held.name)?.taints).toEqual([])
    world.objects.put('pod', pod({ name: 'coming', nominatedNodeName: held.name, nominatedAt: epochMs(world.clock.now() - 11 * MINUTE) }))
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeDefined()
  })

  it('leaves a claim alone that is being ended already', async () => {
    const { world, claim, take, said } = emptyNode()
    world.objects.delete('nodeClaim', claim.name)
    const before = world.journal.tried()
    await take()
    expect(world.journal.tried()).toBe(before)
    expect(said()).toEqual([])
  })

  it('keeps a node that got a pod meanwhile, and opens it again', async () => {
    const { world, claim, take } = emptyNode()
    const [held] = world.objects.all('node')
    world.objects.put('pod', pod({ name: 'late', ...(held ? { nodeName: held.name } : {}), phase: 'Running' }))
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.all('node')[0]?.taints).toEqual(held?.taints)
  })

  it('opens the node again when nobody can say what runs on it', async () => {
    const { world, claim, take } = emptyNode()
    const [held] = world.objects.all('node')
    world.failCall('api.listPodsOn', 1)
    expect(await take()).toMatchObject({ code: 'KUBE.FAILED', unread: true })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.all('node')[0]?.taints).toEqual(held?.taints)
  })

  it('has the claim followed, and says what it saves', async () => {
    const { world, claim, take } = emptyNode()
    const { size, zone } = instance()
    await take({ saves: { size, zone, capacityType: 'spot', price: usdPerHour(0.5) } })
    expect(world.work).toEqual([{ key: 'claim', at: world.clock.now(), claim: claim.name, because: 'news', isFollowed: true, attempt: 0 }])
    expect(world.telemetry.lines).toMatchObject([
      {
        message: 'nodeclaim default-a is taken away: Empty, saves $0.50/h',
        fields: { cluster: 'test', claim: 'default-a', because: 'Empty', size, microUsdPerHour: 500_000 },
      },
    ])
  })

  it('ends a claim that has no node', async () => {
    const { world, claim, take } = emptyNode()
    world.objects.remove('node', node({ claim: 'default-a' }).name)
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeDefined()
  })

  it.each<[sentence: string, shape: PodShape, stays: boolean]>([
    ['a pod', {}, true],
    ['no pod that goes for good', { deletedAt: epochMs(1_800_000_000_000), owner: REPLICA_SET }, false],
    ['a pod that comes back under its name', { deletedAt: epochMs(1_800_000_000_000), owner: STATEFUL_SET }, true],
    ['a pod that must not be disrupted', { owner: DAEMON_SET, annotations: { [ANNOTATION.doNotDisrupt]: 'true' } }, true],
    ['no pod of a DaemonSet', { owner: DAEMON_SET }, false],
    ['no static pod', { owner: NODE_OWNER }, false],
    ['no pod that has succeeded', { phase: 'Succeeded' }, false],
    ['no pod that has failed', { phase: 'Failed' }, false],
  ])('keeps a node for %s, without writing to it', async (_sentence, shape, stays) => {
    const { world, claim, take } = emptyNode()
    world.objects.put('pod', pod({ ...shape, nodeName: node({ claim: 'default-a' }).name }))
    await take()
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt === undefined).toBe(stays)
    if (stays) expect(world.journal.entries.filter(({ operation }) => operation !== 'api.publish')).toEqual([])
  })

  it('opens the node again when a pod came while it was closed, and says so', async () => {
    const { world, claim, take } = emptyNode()
    const own: Taint = { key: 'own', effect: 'NoSchedule' }
    const { name } = world.objects.put('node', node({ claim: 'default-a', taints: [own] }))
    const seen: string[][] = []
    const api: Partial<ClusterApi> = {
      patchNode: (each, patch, signal) => {
        seen.push((patch.taints ?? []).map(({ key }) => key))
        world.objects.put('pod', pod({ nodeName: name }))
        return world.ports.api.patchNode(each, patch, signal)
      },
    }
    await take({}, api)
    expect(seen).toEqual([['own', 'karpenter.sh/disrupted'], ['own']])
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.telemetry.lines).toMatchObject([
      { level: 'info', message: `node ${name} accepts pods again`, fields: { node: name } },
      { level: 'info', message: expect.stringContaining('pod default/pod came to the node'), fields: { code: 'DISRUPTION.OCCUPIED' } },
    ])
    const { annotations } = world.objects.get('node', name)?.meta ?? {}
    expect(annotations).not.toHaveProperty(ANNOTATION.disruptionCommand)
    expect(world.objects.get('nodeClaim', claim.name)?.status.conditions.map(({ type }) => type)).not.toContain('DisruptionReason')
  })

  it('takes a node whose pods all are those of the plan, and says whose move closed it', async () => {
    const { world, claim, take } = emptyNode()
    const { name } = node({ claim: 'default-a' })
    const planned = world.objects.put('pod', pod({ name: 'planned', nodeName: name, phase: 'Running' }))
    expect(await take({ because: 'Underutilized', pods: [refOf(planned)] })).toBeUndefined()
    const ended = world.objects.get('nodeClaim', claim.name)
    expect(ended?.meta.deletedAt).toBeDefined()
    expect(ended?.status.conditions).toContainEqual(expect.objectContaining({ type: 'DisruptionReason', reason: 'Underutilized' }))
    expect(world.objects.get('node', name)?.meta.annotations).toMatchObject({ [ANNOTATION.disruptionCommand]: '7-0' })
  })

  it.each([
    ['Drifted', true],
    ['Underutilized', false],
  ] as const)('with a termination grace period, and %s, is held by no protected pod: %s', async (because, isTaken) => {
    const { world, claim, take } = emptyNode()
    world.objects.put('nodeClaim', { ...claim, spec: { ...claim.spec, terminationGracePeriod: durationMs(1) } })
    const annotations = { [ANNOTATION.doNotDisrupt]: 'true' }
    const held = world.objects.put('pod', pod({ nodeName: node({ claim: 'default-a' }).name, phase: 'Running', annotations }))
    await take({ because, pods: [refOf(held)] })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt !== undefined).toBe(isTaken)
  })

  it.each([
    ['CW-06 a pod that must not be disrupted any more', { [ANNOTATION.doNotDisrupt]: 'true' }, false, 'DISRUPTION.DO_NOT_DISRUPT'],
    ['CW-07 a pod that a budget keeps now', {}, true, 'DISRUPTION.PDB'],
  ])('%s keeps its node, which is opened again', async (_sentence, annotations, isHeld, code) => {
    const { world, claim, take } = emptyNode()
    const { name } = node({ claim: 'default-a' })
    const planned = world.objects.put('pod', pod({ nodeName: name, phase: 'Running' }))
    const api: Partial<ClusterApi> = {
      patchNode: (each, patch, signal) => {
        world.objects.put('pod', { ...planned, annotations })
        if (isHeld) world.objects.put('podDisruptionBudget', HOLDS_ALL)
        return world.ports.api.patchNode(each, patch, signal)
      },
    }
    expect(await take({ because: 'Underutilized', pods: [refOf(planned)] }, api)).toMatchObject({ code })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.get('node', name)?.taints).toEqual([])
  })

  it('keeps a machine whose node somebody annotated meanwhile', async () => {
    const { world, claim, take } = emptyNode()
    world.objects.put('node', node({ claim: 'default-a', meta: { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } } }))
    expect(await take()).toMatchObject({ code: 'DISRUPTION.DO_NOT_DISRUPT' })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
  })

  it('keeps the node of a move with replacements closed when a pod slipped in, and tells of it', async () => {
    const { world, claim, take } = emptyNode()
    const { name } = node({ claim: 'default-a' })
    const api: Partial<ClusterApi> = {
      patchNode: (each, patch, signal) => {
        world.objects.put('pod', pod({ nodeName: name }))
        return world.ports.api.patchNode(each, patch, signal)
      },
    }
    expect(await take({ command: '7-0' }, api, 'replace')).toMatchObject({ code: 'DISRUPTION.OCCUPIED' })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.objects.get('node', name)?.taints.map(({ key }) => key)).toContain('karpenter.sh/disrupted')
    expect(world.objects.events.map(({ event }) => event.reason)).toEqual(['DisruptionBlocked'])
  })

  it('leaves a node alone that somebody else writes meanwhile', async () => {
    const { world, claim, take } = emptyNode()
    await take({}, { patchNode: async () => err(problem('KUBE.CONFLICT', 'no')) })
    expect(world.objects.get('nodeClaim', claim.name)?.meta.deletedAt).toBeUndefined()
    expect(world.work).toEqual([])
  })
})

describe('the claim of a broken machine', () => {
  const CAUSE = { condition: 'Ready=False', terminationGracePeriod: durationMs(5 * MINUTE) }
  const sick = (over: NodeShape = {}) => node({ claim: 'default-a', ready: false, ...over })

  function brokenMachine(spec: Partial<NodeClaimSpec> = {}, annotations: Labels = {}) {
    const machine = emptyNode()
    const { world, claim } = machine
    world.objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, annotations }, spec: { ...claim.spec, ...spec } })
    world.objects.put('node', sick())
    const deadline = () => world.objects.get('nodeClaim', claim.name)?.meta.annotations[ANNOTATION.terminationTimestamp]
    const after = (ms: number): string => formatTimestamp(epochMs(world.clock.now() + ms))
    const isEnding = (): boolean => world.objects.get('nodeClaim', claim.name)?.meta.deletedAt !== undefined
    return { ...machine, deadline, after, isEnding }
  }

  it.each<[sentence: string, bound: number | undefined, own: number | undefined, want: number | undefined]>([
    ['RP-17: of a policy without time has its deadline now', 0, 60 * MINUTE, 0],
    ['RP-18: has the bound of the policy where that of the claim is longer', 5 * MINUTE, 60 * MINUTE, 5 * MINUTE],
    ['RP-18: has the bound of the claim where that of the policy is longer', 60 * MINUTE, 5 * MINUTE, 5 * MINUTE],
    ['RP-19: gets no deadline of a policy without a bound', undefined, 5 * MINUTE, undefined],
  ])('%s', async (_sentence, bound, own, want) => {
    const { take, deadline, after, isEnding } = brokenMachine(own === undefined ? {} : { terminationGracePeriod: durationMs(own) })
    const repair = { condition: 'Ready=False', ...(bound === undefined ? {} : { terminationGracePeriod: durationMs(bound) }) }
    expect(await take({ because: 'Unhealthy', repair })).toBeUndefined()
    expect([isEnding(), deadline()]).toEqual([true, want === undefined ? undefined : after(want)])
  })

  it('RP-17: has its deadline before it is deleted, and a write that fails is made again', async () => {
    const { world, take, deadline, after, isEnding } = brokenMachine()
    world.failCall('api.deleteClaim', 1)
    await expect(take({ because: 'Unhealthy', repair: CAUSE })).rejects.toThrow()
    expect([isEnding(), deadline()]).toEqual([false, after(CAUSE.terminationGracePeriod)])
    await take({ because: 'Unhealthy', repair: CAUSE })
    expect(isEnding()).toBe(true)
  })

  it.each<[sentence: string, before: number, want: number]>([
    ['RP-20: keeps an earlier deadline', MINUTE, MINUTE],
    ['RP-20: brings a later deadline forward', 60 * MINUTE, 5 * MINUTE],
  ])('%s', async (_sentence, before, want) => {
    const at = formatTimestamp(epochMs(1_800_000_000_000 + before))
    const { take, deadline, after } = brokenMachine({}, { [ANNOTATION.terminationTimestamp]: at })
    await take({ because: 'Unhealthy', repair: CAUSE })
    expect(deadline()).toBe(after(want))
  })

  it('RP-29: is counted with the condition that asked for the repair', async () => {
    const { world, take, said } = brokenMachine()
    await take({ because: 'Unhealthy', repair: CAUSE })
    const fields = { cluster: 'test', condition: 'Ready=False' }
    expect(world.telemetry.measures).toContainEqual({ name: 'karpenter_nodeclaims_unhealthy_disrupted_total', value: 1, fields })
    expect(world.telemetry.measures).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ reason: 'unhealthy', terminationMode: 'eventual' }) }),
    )
    expect(said()).toEqual(['nodeclaim default-a is taken away: Unhealthy (Ready=False)'])
  })

  it.each<[sentence: string, annotations: Labels]>([
    ['goes with protected pods, also of the node', { [ANNOTATION.doNotDisrupt]: 'true' }],
    ['goes with pods that came meanwhile', {}],
  ])('with a bound %s', async (_sentence, annotations) => {
    const { world, take, isEnding } = brokenMachine()
    world.objects.put('node', sick({ meta: { annotations } }))
    world.objects.put('pod', pod({ nodeName: sick().name, phase: 'Running', annotations }))
    await take({ because: 'Unhealthy', repair: CAUSE })
    expect(isEnding()).toBe(true)
  })

  it('without a bound stays with a protected pod', async () => {
    const { world, take, isEnding } = brokenMachine()
    world.objects.put('pod', pod({ nodeName: sick().name, phase: 'Running', annotations: { [ANNOTATION.doNotDisrupt]: 'true' } }))
    expect(await take({ because: 'Unhealthy', repair: { condition: 'Ready=False' } })).toMatchObject({ code: 'DISRUPTION.DO_NOT_DISRUPT' })
    expect(isEnding()).toBe(false)
  })

  it.each<[sentence: string, live: NodeShape]>([
    ['SX-01: whose node is healthy again, as the API server says', { ready: true }],
    ['RP-05: whose node must not be repaired, as the API server says', { meta: { annotations: { [ANNOTATION.doNotRepair]: 'true' } } }],
  ])('%s stays, without a deadline', async (_sentence, live) => {
    const { world, take, isEnding, deadline } = brokenMachine()
    world.objects.put('node', sick(live))
    expect(await take({ because: 'Unhealthy', repair: CAUSE })).toMatchObject({ code: 'DISRUPTION.REPAIR_PAUSED' })
    expect([isEnding(), deadline(), world.objects.all('node')[0]?.taints]).toEqual([false, undefined, []])
  })
})
