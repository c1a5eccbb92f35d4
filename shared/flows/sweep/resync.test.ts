import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, type NodeClaimName, type Uid, uid } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { Fault, problem } from '../../model/problem.ts'
import { epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { startingAt } from '../deps/startingAt.ts'
import { emptyLedger } from '../ledger/intents.ts'
import { resync } from './resync.ts'

const NEVER = new AbortController().signal

/** A cluster with `count` claims that were deleted before their launch, and as many ready claims. Its shim posted a record that was not read yet. */
async function world(count: number) {
  const made = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  for (let n = 0; n < count; n++) {
    made.objects.put('nodeClaim', nodeClaim({ name: `going-${n}`, stage: 'created', meta: { deletedAt: ago(MINUTE) } }))
    made.objects.put('nodeClaim', nodeClaim({ name: `ready-${n}`, status: { conditions: [condition('Ready')] } }))
  }
  await made.ports.log.append({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [] } }, NEVER)
  const looked: NodeClaimName[] = []
  const deps = (getClaim: ClusterDeps['api']['getClaim'] = made.ports.api.getClaim): ClusterDeps => ({
    ...made.ports,
    settings: settings(),
    api: {
      ...made.ports.api,
      getClaim: (name, signal) => {
        looked.push(name)
        return getClaim(name, signal)
      },
    },
  })
  return { made, deps, looked }
}

/** The claims whose machine is being deleted. */
function ending({ objects }: MemoryWorld): readonly NodeClaimName[] {
  const isEnding = ({ status }: NodeClaim): boolean => status.conditions.some(({ type }) => type === 'InstanceTerminating')
  return objects.all('nodeClaim').flatMap((claim) => (isEnding(claim) ? [claim.name] : []))
}

describe('resync', () => {
  it('looks at every claim that is not where it should be, and at no other', async () => {
    const { made, deps, looked } = await world(30)
    expect(await resync(deps(), NEVER)).toEqual({ unsettled: 30, failed: 0, unseen: 0 })
    expect(looked.every((name) => name.startsWith('going-'))).toBe(true)
    expect(ending(made)).toHaveLength(30)
  })

  it('leaves a claim on its way in to the process that follows it, and looks at one that ends', async () => {
    const { made, deps, looked } = await world(1)
    for (const name of ['coming-0', 'coming-1']) made.objects.put('nodeClaim', nodeClaim({ name, stage: 'launched' }))
    const queue = { ...made.ports.queue, follows: (name: NodeClaimName) => name !== 'coming-1' }
    expect(await resync({ ...deps(), queue }, NEVER)).toMatchObject({ unsettled: 2 })
    expect([...new Set(looked)].sort()).toEqual(['coming-1', 'going-0'])
  })

  it.each<[string, number, Uid, boolean]>([
    ['less than a minute ago', 59_999, uid('late'), false],
    ['a minute ago', 60_000, uid('late'), true],
    ['under another uid', 0, uid('another'), true],
  ])(
    'treats a claim that is listed as not initialized, and that this process initialized %s, as the age of the list allows',
    async (_, age, seenUid, isLookedAt) => {
      const { made, deps, looked } = await world(0)
      const late = nodeClaim({ name: 'late', stage: 'launched', meta: { uid: uid('late') } })
      made.objects.put('nodeClaim', late)
      const conditions = [...late.status.conditions, { ...condition('Initialized'), lastTransitionAt: ago(age) }]
      const seen: NodeClaim = { ...late, meta: { ...late.meta, uid: seenUid }, status: { ...late.status, conditions } }
      await resync({ ...deps(), lastSeen: (name) => (name === late.name ? seen : undefined) }, NEVER)
      expect(looked).toEqual(isLookedAt ? expect.arrayContaining([late.name]) : [])
    },
  )

  it('looks at a claim that is listed as not initialized if this process has not initialized it either', async () => {
    const { made, deps, looked } = await world(0)
    const coming = nodeClaim({ name: 'coming', stage: 'launched' })
    made.objects.put('nodeClaim', coming)
    await resync({ ...deps(), lastSeen: () => coming }, NEVER)
    expect(looked).toContain(coming.name)
  })

  it('sends a doorbell and nothing else for any number of claims that cannot go on, so that no backlog grows', async () => {
    const { made, deps } = await world(300)
    const getNode = () => Promise.reject(new Fault('read node', problem('KUBE.FAILED', 'too many requests')))
    for (let round = 0; round < 5; round++) await resync({ ...deps(), api: { ...deps().api, getNode } }, NEVER)
    expect(made.queues.waiting().map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'doorbell'))
  })

  it('rings for nothing where the cluster is at rest, and looks at the claims all the same', async () => {
    const { made, deps, looked } = await world(1)
    const { position } = await made.ports.log.read(undefined, NEVER)
    const rest = { position, until: epochMs(NOW + MINUTE) }
    await made.ports.ledger.save({ ...emptyLedger(clusterId('test')), rest }, undefined, NEVER)
    await resync(deps(), NEVER, undefined, [10_000])
    expect(made.queues.waiting().filter(({ kind }) => kind === 'doorbell')).toEqual([])
    expect(looked).toContain('going-0')
  })

  it('looks at the others though one cannot be read, and says so', async () => {
    const { made, deps } = await world(3)
    const unreadable = new Fault('read nodeclaim/going-1', problem('INPUT.INVALID', 'spec.requirements: not a list'))
    const got = await resync(
      deps((name, signal) => (name === 'going-1' ? Promise.reject(unreadable) : made.ports.api.getClaim(name, signal))),
      NEVER,
    )
    expect(got).toEqual({ unsettled: 3, failed: 1, unseen: 0 })
    expect(ending(made)).toEqual(['going-0', 'going-2'])
    expect(made.telemetry.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining('spec.requirements: not a list'), fields: { code: 'INPUT.INVALID' } },
    ])
  })

  it('looks at the claims though it cannot ring, and fails in the end', async () => {
    const { made, deps, looked } = await world(1)
    made.failCall('queue.ring', 1)
    await expect(resync(deps(), NEVER)).rejects.toThrow('queue.ring')
    expect(looked).toContain('going-0')
  })

  it('leaves to the next time what its own time does not suffice for', async () => {
    const { made, deps } = await world(40)
    const budget = new AbortController()
    const given = deps((name, signal) => {
      budget.abort()
      return made.ports.api.getClaim(name, signal)
    })
    const api = {
      ...given.api,
      listClaims: async (signal: AbortSignalLike) => {
        while (made.queues.waiting().length === 0) await Promise.resolve()
        return given.api.listClaims(signal)
      },
    }
    const got = await resync({ ...given, api }, budget.signal)
    expect(got).toMatchObject({ unsettled: 40, failed: 1, unseen: 39 })
    expect(made.telemetry.lines.map(({ message }) => message)).toContain('resync had no time for 39 of 40 claims')
  })

  it('does not hide a mistake of its own', async () => {
    const { deps } = await world(2)
    await expect(
      resync(
        deps(() => Promise.reject(new TypeError('not a function'))),
        NEVER,
      ),
    ).rejects.toThrow('not a function')
  })
})

describe('who is served first', () => {
  it('changes with the time, so that everybody has a turn', () => {
    const items = ['a', 'b', 'c']
    expect([0, 1, 2, 3].map((now) => startingAt(items, epochMs(now)).join(''))).toEqual(['abc', 'bca', 'cab', 'abc'])
    expect(startingAt([], epochMs(7))).toEqual([])
  })
})
