import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { SILENT } from '../../../test/builders/telemetry.ts'
import { createClaimCalls } from '../../adapters/kube/claimCalls.ts'
import { createKubeObjects } from '../../adapters/kube/kubeObjects.ts'
import type { KubeTransport } from '../../adapters/kube/kubeTransport.ts'
import { createPodCalls } from '../../adapters/kube/podCalls.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName, nodeName } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import { claimDraftToKube, claimStatusToKube } from '../../wire/kube/print.ts'
import { collectGarbage } from './collectGarbage.ts'

const SIGNAL = new AbortController().signal
const LONG_AGO = epochMs(NOW - 24 * 3_600_000)

/** A memory world with an old machine and an old network interface for each name. */
function worldWith(...names: readonly string[]) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), deleteMs: 0 })
  for (const name of names) {
    const claim = nodeClaimName(name)
    const made = {
      instance: instance({ claim: name, createdAt: LONG_AGO }),
      claim: nodeClaim({ name }),
      createdAt: LONG_AGO,
      runningAt: LONG_AGO,
    }
    const candidate = { choice: made.instance, instanceType: never(), labels: {} }
    world.machines.add({ ...made, candidate, bootstrapToken: 'a.b' })
    world.machines.interfaces.set(nodeNameOf(claim), { name: nodeNameOf(claim), claim, createdAt: LONG_AGO })
    // An interface of another claim, whose machine is gone.
    const alone = nodeNameOf(nodeClaimName(`${name}-nic`))
    world.machines.interfaces.set(alone, { name: alone, claim: nodeClaimName(`${name}-nic`), createdAt: LONG_AGO })
  }
  return world
}

/** A placeholder for the instance type, which is not read for an existing machine. */
function never(): never {
  return undefined as never
}

function left(world: ReturnType<typeof worldWith>): readonly string[] {
  return [
    ...world.machines.all().map(({ instance: { name } }) => `vm ${name}`),
    ...[...world.machines.interfaces.keys()].map((name) => `nic ${name}`),
  ].sort()
}

/** An API server that holds these objects by name, even if they are malformed. */
function serverOf(objects: ReadonlyMap<string, unknown>): KubeTransport {
  return ({ path }) => {
    const name = path.split('/').at(-1) ?? ''
    if (name === 'nodeclaims' || name === 'pods')
      return Promise.resolve({ status: 200, json: { items: [...objects.values()], metadata: {} } })
    const found = objects.get(name)
    return Promise.resolve(
      found === undefined ? { status: 404, json: { message: 'not found', details: { name } } } : { status: 200, json: found },
    )
  }
}

function manifest(name: string): object {
  const claim = nodeClaim({ name })
  const draft = { name: claim.name, nodePool: 'default' as never, labels: claim.meta.labels, annotations: {}, spec: claim.spec }
  const printed = claimDraftToKube(draft)
  const metadata = { ...printed.metadata, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '2025-01-01T00:00:00Z' }
  return { ...printed, metadata, status: claimStatusToKube({ ...claim.status }) }
}

/** The value with one member, at any depth, replaced or removed. */
function damaged(value: unknown, path: readonly number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return by
  const keys = Object.keys(value)
  const key = keys[(path[0] ?? 0) % Math.max(1, keys.length)]
  if (key === undefined || path.length === 0) return by
  return {
    ...(Array.isArray(value) ? Object.fromEntries(value.entries()) : value),
    [key]: damaged(Reflect.get(value, key), path.slice(1), by),
  }
}

const damage = fc.record({
  path: fc.array(fc.nat(7), { minLength: 1, maxLength: 5 }),
  by: fc.oneof(fc.constant(undefined), fc.constant(null), fc.string(), fc.integer(), fc.constant([]), fc.constant({}), fc.jsonValue()),
})

describe('garbage', () => {
  it('is never the machine or the interface of a claim that exists, whatever the claim looks like', async () => {
    const one = fc.array(damage, { maxLength: 3 })
    let unreadable = 0
    await fc.assert(
      fc.asyncProperty(one, one, async (first, second) => {
        const world = worldWith('a', 'b', 'gone')
        const objects = new Map<string, unknown>()
        for (const name of ['a', 'a-nic'])
          objects.set(
            name,
            first.reduce<unknown>((json, { path, by }) => damaged(json, path, by), manifest(name)),
          )
        for (const name of ['b', 'b-nic'])
          objects.set(
            name,
            second.reduce<unknown>((json, { path, by }) => damaged(json, path, by), manifest(name)),
          )
        const claims = createClaimCalls(createKubeObjects(serverOf(objects), SILENT))
        unreadable += 4 - (await claims.listClaims(SIGNAL)).length
        await collectGarbage({ ...world.ports, api: { ...world.ports.api, ...claims }, settings: settings() }, SIGNAL)
        expect(left(world)).toEqual(['nic joiner-a', 'nic joiner-a-nic', 'nic joiner-b', 'nic joiner-b-nic', 'vm joiner-a', 'vm joiner-b'])
      }),
      { numRuns: 150 },
    )
    expect(unreadable).toBeGreaterThan(50)
  })

  it('is nothing at all while a list is empty that should not be', async () => {
    const world = worldWith('a', 'b')
    for (const name of ['a', 'a-nic', 'b', 'b-nic']) world.objects.put('nodeClaim', nodeClaim({ name }))
    const api = { ...world.ports.api, listClaims: () => Promise.resolve([]) }
    const before = left(world)
    expect(await collectGarbage({ ...world.ports, api, settings: settings() }, SIGNAL)).toMatchObject({ instances: 0, interfaces: 0 })
    expect(left(world)).toEqual(before)
  })

  it.each(['terminate', 'deleteInterface', 'get'] as const)('goes, but for the one of which %s fails', async (call) => {
    const world = worldWith('a', 'b', 'c')
    const fail = (about: string): void => {
      if (about.includes('b')) throw new Fault(call, problem('AZURE.FAILED', 'not now'))
    }
    const { cloud, api } = world.ports
    const cloudNow: typeof cloud = {
      ...cloud,
      terminate: async (claim, signal) => (call === 'terminate' && fail(claim), cloud.terminate(claim, signal)),
      deleteInterface: async (name, signal) => (call === 'deleteInterface' && fail(name), cloud.deleteInterface(name, signal)),
    }
    const apiNow: typeof api = { ...api, getClaim: async (name, signal) => (call === 'get' && fail(name), api.getClaim(name, signal)) }
    const { failed } = await collectGarbage({ ...world.ports, cloud: cloudNow, api: apiNow, settings: settings() }, SIGNAL)
    expect(failed).toBeGreaterThan(0)
    expect(left(world).filter((name) => !name.includes('b'))).toEqual([])
    expect(left(world).length).toBeGreaterThan(0)
    expect(world.telemetry.lines.some(({ level, fields }) => level === 'warn' && fields['code'] === 'AZURE.FAILED')).toBe(true)
  })
})

describe('the pods of a node that is drained', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'web', uid: 'u1', creationTimestamp: '2025-01-01T00:00:00Z', labels: { app: 'web' } },
    spec: { nodeName: 'aks-a', containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }], tolerations: [], priority: 0 },
    status: { phase: 'Running' },
  }

  it('are all there, whatever they look like', async () => {
    let plain = 0
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { maxLength: 3 }), async (damages) => {
        const broken = damages.reduce<unknown>((json, { path, by }) => damaged(json, path, by), pod)
        const { namespace, name, uid } = pod.metadata
        // The API server always sends the identity of an object.
        const metadata = {
          ...(typeof broken === 'object' && broken !== null ? (Reflect.get(broken, 'metadata') as object) : {}),
          namespace,
          name,
          uid,
        }
        const item = { ...(broken as object), metadata }
        const calls = createPodCalls(createKubeObjects(serverOf(new Map([['web', item]])), { ...SILENT, warn: () => void plain++ }))
        const found = await calls.listPodsOn(nodeName('aks-a'), SIGNAL)
        expect(found.map(({ key, uid: own }) => [key, own])).toEqual([['default/web', 'u1']])
      }),
    )
    expect(plain).toBeGreaterThan(5)
  })
})
