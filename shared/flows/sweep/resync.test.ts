import { describe, expect, it } from 'vitest'
import { ago, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld, type MemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { AddedWork } from '../../adapters/memory/workQueue.ts'
import { clusterId, type NodeClaimName, type Uid, uid } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { epochMs } from '../../model/units.ts'
import { startingAt } from '../deps/clusterDeps.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
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
  return { made, deps: { ...made.ports, settings: settings() } }
}

const claims = ({ work }: MemoryWorld): readonly string[] => work.flatMap((each) => (each.key === 'claim' ? [each.claim] : []))
const decisions = ({ work }: MemoryWorld): readonly AddedWork[] => work.filter(({ key }) => key === 'decide')

describe('resync', () => {
  it('adds every claim that is not where it should be, and no other, so that its run reads everything', async () => {
    const { made, deps } = await world(30)
    expect(await resync(deps, NEVER)).toBe(30)
    expect(claims(made)).toHaveLength(30)
    expect(claims(made).every((name) => name.startsWith('going-'))).toBe(true)
    expect(new Set(made.work.flatMap((each) => ('because' in each ? [each.because] : [])))).toEqual(new Set(['resync']))
  })

  it('leaves out claims that ran a moment ago, though they count', async () => {
    const { made, deps } = await world(2)
    expect(await resync(deps, NEVER, { isDue: (name) => name !== 'going-0' })).toBe(2)
    expect(claims(made)).toEqual(['going-1'])
  })

  it('leaves a claim on its way in to the process that follows it, and adds one that ends', async () => {
    const { made, deps } = await world(1)
    for (const name of ['coming-0', 'coming-1']) made.objects.put('nodeClaim', nodeClaim({ name, stage: 'launched' }))
    const queue = { ...made.ports.queue, follows: (name: NodeClaimName) => name !== 'coming-1' }
    expect(await resync({ ...deps, queue }, NEVER)).toBe(2)
    expect([...claims(made)].sort()).toEqual(['coming-1', 'going-0'])
  })

  it.each<[string, number, Uid, boolean]>([
    ['less than a minute ago', 59_999, uid('late'), false],
    ['a minute ago', 60_000, uid('late'), true],
    ['under another uid', 0, uid('another'), true],
  ])(
    'treats a claim that is listed as not initialized, and that this process initialized %s, as the age of the list allows',
    async (_, age, seenUid, isAdded) => {
      const { made, deps } = await world(0)
      const late = nodeClaim({ name: 'late', stage: 'launched', meta: { uid: uid('late') } })
      made.objects.put('nodeClaim', late)
      const conditions = [...late.status.conditions, { ...condition('Initialized'), lastTransitionAt: ago(age) }]
      const seen: NodeClaim = { ...late, meta: { ...late.meta, uid: seenUid }, status: { ...late.status, conditions } }
      await resync({ ...deps, lastSeen: (name) => (name === late.name ? seen : undefined) }, NEVER)
      expect(claims(made)).toEqual(isAdded ? [late.name] : [])
    },
  )

  it('adds a claim that is listed as not initialized if this process has not initialized it either', async () => {
    const { made, deps } = await world(0)
    const coming = nodeClaim({ name: 'coming', stage: 'launched' })
    made.objects.put('nodeClaim', coming)
    await resync({ ...deps, lastSeen: () => coming }, NEVER)
    expect(claims(made)).toEqual([coming.name])
  })

  it('asks for one decision now, and for one at each later time', async () => {
    const { made, deps } = await world(0)
    const later = [epochMs(NOW + 10_000), epochMs(NOW + 20_000)]
    await resync(deps, NEVER, { laterDecisions: later })
    expect(decisions(made)).toEqual([{ key: 'decide', because: 'resync', eventAt: NOW }, ...later.map((at) => ({ key: 'decide', at }))])
  })

  it('asks for no decision where the cluster is at rest, and adds the claims all the same', async () => {
    const { made, deps } = await world(1)
    const { position } = await made.ports.log.read(undefined, NEVER)
    const rest = { position, until: epochMs(NOW + MINUTE) }
    await made.ports.ledger.save({ ...emptyLedger(clusterId('test')), rest }, undefined, NEVER)
    await resync(deps, NEVER, { laterDecisions: [epochMs(NOW + 10_000)] })
    expect([decisions(made), claims(made)]).toEqual([[], ['going-0']])
  })

  it('adds the claims though it cannot ask for a decision, and the decision though it cannot list the claims, and fails in the end', async () => {
    const { made, deps } = await world(1)
    await expect(resync(deps, NEVER, { rest: () => Promise.reject(new Error('no rest')) })).rejects.toThrow('no rest')
    expect([decisions(made), claims(made)]).toEqual([[], ['going-0']])
    made.failCall('api.listClaims', 1, { when: 'before', how: 'fault' })
    await expect(resync(deps, NEVER)).rejects.toThrow('api.listClaims')
    expect(decisions(made)).toHaveLength(1)
  })
})

describe('who is served first', () => {
  it('changes with the time, so that everybody has a turn', () => {
    const items = ['a', 'b', 'c']
    expect([0, 1, 2, 3].map((now) => startingAt(items, epochMs(now)).join(''))).toEqual(['abc', 'bca', 'cab', 'abc'])
    expect(startingAt([], epochMs(7))).toEqual([])
  })
})
