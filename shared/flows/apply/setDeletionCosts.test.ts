import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { DAEMON_SET, type PodShape, pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err } from '../../base/result.ts'
import type { SetDeletionCosts } from '../../model/decision.ts'
import { clusterId, nodeClassName, uid } from '../../model/ids.ts'
import { type Meta, PLANNED_DELETION_COST, POD_ANNOTATION } from '../../model/labels.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { type ClassHold, holdClasses, setDeletionCosts } from './markClaims.ts'

const NEVER = new AbortController().signal
const KEY = POD_ANNOTATION.deletionCost
const OURS = { annotations: { [KEY]: PLANNED_DELETION_COST } }

/** Nodes of the same pods p0, p1 and so on each. */
function scene(shapes: readonly PodShape[], nodes = 1) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const all = Array.from({ length: nodes }, (_, index) => {
    const claim = `default-${index}`
    world.objects.put('nodeClaim', nodeClaim({ name: claim }))
    const { name, meta } = world.objects.put('node', node({ claim }))
    const pods = shapes.map((shape, at) =>
      world.objects.put('pod', pod({ name: `p${at}-${index}`, nodeName: name, phase: 'Running', ...shape })),
    )
    return { kind: 'setDeletionCosts', node: name, uid: meta.uid, pods } as const
  })
  const deps: ClusterDeps = { ...world.ports, settings: settings() }
  return {
    world,
    deps,
    carryOut: (more: Partial<SetDeletionCosts>, over: Partial<ClusterDeps> = {}): Promise<void> =>
      setDeletionCosts(
        { ...deps, ...over },
        all.map((each) => ({ ...each, ...more })),
        NEVER,
      ),
    costs: () => world.objects.all('pod').map(({ annotations }) => annotations[KEY]),
  }
}

describe('setDeletionCosts', () => {
  it.each<[sentence: string, before: PodShape, cost: string | undefined]>([
    ['writes the cost on a pod without one', {}, PLANNED_DELETION_COST],
    ["removes Joiner's cost", OURS, undefined],
  ])('%s, with one write', async (_sentence, before, cost) => {
    const { carryOut, costs, world } = scene([before])
    const tried = world.journal.tried()
    await carryOut(cost === undefined ? {} : { cost })
    expect(costs()).toEqual([cost])
    expect(world.journal.tried()).toBe(tried + 1)
  })

  it.each<[sentence: string, before: PodShape, cost: string | undefined]>([
    ['that has the cost already', OURS, PLANNED_DELETION_COST],
    ['that got a cost from its user meanwhile', { annotations: { [KEY]: '5' } }, PLANNED_DELETION_COST],
    ['that got a cost from its user in place of the one to be removed', { annotations: { [KEY]: '5' } }, undefined],
    ['that lost the cost meanwhile', {}, undefined],
    ['that ends', { deletedAt: hence(1_000) }, PLANNED_DELETION_COST],
    ['that no ReplicaSet owns', { owner: DAEMON_SET }, PLANNED_DELETION_COST],
  ])('writes nothing on a pod %s', async (_sentence, before, cost) => {
    const { carryOut, costs, world } = scene([before])
    const [tried, known] = [world.journal.tried(), costs()]
    await carryOut(cost === undefined ? {} : { cost })
    expect(costs()).toEqual(known)
    expect(world.journal.tried()).toBe(tried)
  })

  it('writes nothing on another pod of the same name, nor on one that the decision does not name', async () => {
    const { carryOut, costs, world } = scene([{}, {}])
    const [first] = world.objects.all('pod')
    await carryOut({ cost: PLANNED_DELETION_COST, pods: first === undefined ? [] : [{ key: first.key, uid: uid('earlier') }] })
    expect(costs()).toEqual([undefined, undefined])
  })

  it('tells of a node whose writes fail, and goes on with the others', async () => {
    const { carryOut, costs, world } = scene([{}], 3)
    world.failCall('api.setDeletionCost', 1)
    await carryOut({ cost: PLANNED_DELETION_COST })
    expect(costs().filter((cost) => cost === PLANNED_DELETION_COST)).toHaveLength(2)
    expect(world.telemetry.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warn the deletion costs of pods on node joiner-default-\d was not done: /),
    ])
  })

  it('tells of each refused pod in the log, and once on a node by an Event, with code and remedy', async () => {
    const { carryOut, costs, deps, world } = scene([{}, {}], 3)
    const setDeletionCost: ClusterDeps['api']['setDeletionCost'] = async (which, cost, signal) =>
      which.key.includes('p0') ? err(forbidden(which.key)) : deps.api.setDeletionCost(which, cost, signal)
    await carryOut({ cost: PLANNED_DELETION_COST }, { api: { ...deps.api, setDeletionCost } })
    expect(costs().filter((cost) => cost === PLANNED_DELETION_COST)).toHaveLength(3)
    expect(world.telemetry.lines.map(({ level, fields }) => [level, fields['code']])).toEqual(Array(3).fill(['warn', 'KUBE.FORBIDDEN']))
    const told = world.objects.events.map(({ event }) => event)
    expect(told).toEqual([expect.objectContaining({ type: 'Warning', reason: 'DeletionCostRefused', key: 'KUBE.FORBIDDEN' })])
    expect(told[0]?.subject.kind).toBe('node')
    expect(told[0]?.message).toMatch(/cannot patch resource "pods"; set rbac\.podDeletionCosts of the chart to true and /)
  })

  it('tells of another refusal in the log alone', async () => {
    const { carryOut, deps, world } = scene([{}])
    const setDeletionCost = async () => err(problem('KUBE.CONFLICT', 'patch pod/default/p0-0: another pod'))
    await carryOut({ cost: PLANNED_DELETION_COST }, { api: { ...deps.api, setDeletionCost } })
    expect(world.telemetry.lines.map(({ fields }) => fields['code'])).toEqual(['KUBE.CONFLICT'])
    expect(world.objects.events).toEqual([])
  })
})

function forbidden(key: string): Problem {
  return problem('KUBE.FORBIDDEN', `patch pod/${key}: cannot patch resource "pods"`)
}

const OWN_FINALIZER = 'karpenter.azure.com/termination'
const GOING = { deletedAt: ago(MINUTE) }

function classScene(meta: Partial<Meta>) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  world.objects.put('nodeClass', nodeClass({ meta }))
  const hold = (kind: ClassHold['kind'], api: Partial<ClusterApi> = {}): Promise<boolean> => {
    const deps = { ...world.ports, settings: settings(), api: { ...world.ports.api, ...api } }
    return holdClasses(deps, [{ kind, nodeClass: nodeClassName('default') }], NEVER)
  }
  const finalizers = () => world.objects.get('nodeClass', 'default')?.meta.finalizers
  const writes = () => world.journal.entries.filter(({ operation }) => operation === 'api.patchNodeClassFinalizers').length
  return { world, hold, finalizers, writes }
}

describe('NS-12 the finalizer of an AKSNodeClass', () => {
  it('comes beside the finalizers of others, once', async () => {
    const { hold, finalizers, writes } = classScene({ finalizers: ['of/another'] })
    for (let time = 0; time < 2; time++) expect(await hold('holdNodeClass')).toBe(true)
    expect(finalizers()).toEqual(['of/another', OWN_FINALIZER])
    expect(writes()).toBe(1)
  })

  it('goes alone, and the class goes with the last one', async () => {
    const { hold, finalizers } = classScene({ ...GOING, finalizers: [OWN_FINALIZER, 'of/another'] })
    expect(await hold('releaseNodeClass')).toBe(true)
    expect(finalizers()).toEqual(['of/another'])
    const last = classScene({ ...GOING, finalizers: [OWN_FINALIZER] })
    for (let time = 0; time < 2; time++) expect(await last.hold('releaseNodeClass')).toBe(true)
    expect(last.finalizers()).toBeUndefined()
    expect(last.writes()).toBe(1)
  })

  it('is judged by the class and the claims as they are now, not as the log has them', async () => {
    const used = classScene({ ...GOING, finalizers: [OWN_FINALIZER] })
    used.world.objects.put('nodeClaim', nodeClaim())
    expect(await used.hold('releaseNodeClass')).toBe(true)
    expect(used.finalizers()).toEqual([OWN_FINALIZER])
    const made = classScene({ finalizers: [OWN_FINALIZER] })
    expect(await made.hold('releaseNodeClass')).toBe(true)
    expect(made.finalizers()).toEqual([OWN_FINALIZER])
    const going = classScene({ ...GOING, finalizers: ['of/another'] })
    expect(await going.hold('holdNodeClass')).toBe(true)
    expect(going.finalizers()).toEqual(['of/another'])
  })

  it('that the app may not write is told by its name, and stops nothing', async () => {
    const { world, hold } = classScene({ finalizers: [] })
    const patchNodeClassFinalizers = async () => err(problem('KUBE.FORBIDDEN', 'patch aksnodeclass/default: the role has no such right'))
    expect(await hold('holdNodeClass', { patchNodeClassFinalizers })).toBe(true)
    expect(world.telemetry.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'the finalizer of aksnodeclass default was not done: patch aksnodeclass/default: the role has no such right' },
    ])
  })
})
