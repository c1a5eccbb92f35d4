import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../shared/model/units.ts'
import { createAppModel, type ModelBody, type ModelChange } from '../testing/appModel.ts'
import { changesEnvelope, changeText, snapshotEnvelope } from './changeText.ts'
import { createChangeTracker } from './changeTracker.ts'
import type { ListSink } from './listSinks.ts'
import { DELETED, type ReducedVersion } from './reducedVersion.ts'
import { type BufferedParts, createSnapshotBuffer } from './snapshotBuffer.ts'

const KEYS = ['a', 'b', 'c'] as const
type Key = (typeof KEYS)[number]

type Step =
  /** The cluster changes; an undefined value deletes. There are few values, so that objects return to earlier values. */
  | { readonly do: 'change'; readonly key: Key; readonly value: number | undefined }
  | { readonly do: 'watch'; readonly events: number }
  | { readonly do: 'loseWatch' }
  | { readonly do: 'snapshot' }
  | { readonly do: 'page' }
  | { readonly do: 'expirePages' }
  | { readonly do: 'part' }
  | { readonly do: 'take'; readonly changes: number }
  | { readonly do: 'post'; readonly twice: boolean }
  | { readonly do: 'resend' }
  | { readonly do: 'drop' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      key: fc.constantFrom(...KEYS),
      value: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('watch' as const), events: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const), changes: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('post' as const), twice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ do: 'snapshot' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'page' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'expirePages' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'part' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'loseWatch' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'resend' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'drop' as const }) },
)

/** A cluster, a shim and an app. They are driven one step at a time, so that every interleaving can be tried. */
function createWorld() {
  const cluster = new Map<Key, number>()
  const events: { readonly key: Key; readonly value: number | undefined }[] = []
  let watched = 0
  const app = createAppModel()
  const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
  let listing: { sink: ListSink; pages: [Key, number][]; seq: number; buffer: ReturnType<typeof createSnapshotBuffer> } | undefined
  let sending: { seq: number; parts: BufferedParts; next: number } | undefined
  let owesSnapshot = false
  const inFlight: string[] = []
  const head = { cluster: 'demo', term: 1, sentAt: epochMs(0), kept: 1 }

  const deliver = (json: string) => app.apply(1, (JSON.parse(json) as { body: ModelBody }).body)

  function beginSnapshot(): void {
    if (listing || sending) return
    owesSnapshot = false
    const seq = tracker.beginSnapshot()
    const buffer = createSnapshotBuffer({ changes: 2, length: 1_000 })
    listing = { sink: tracker.beginSnapshotList('pod', seq, buffer.section()), pages: [...cluster], seq, buffer }
  }

  function readPage(): void {
    if (!listing) return
    for (const [key, value] of listing.pages.splice(0, 1)) listing.sink.add(key, version(key, value))
    if (listing.pages.length > 0) return
    listing.sink.end()
    sending = { seq: listing.seq, parts: listing.buffer.finish(), next: 0 }
    listing = undefined
  }

  function sendPart(): void {
    if (!sending) return
    const { changes } = sending.parts.read(sending.next++)
    deliver(snapshotEnvelope(head, { seq: sending.seq, part: sending.next, parts: sending.parts.count, changes }))
    if (sending.next === sending.parts.count) sending = undefined
  }

  function watch(count: number): void {
    for (const { key, value } of events.slice(watched, watched + count)) tracker.see('pod', key, version(key, value))
    watched = Math.min(events.length, watched + count)
  }

  function closeGap(): void {
    // lists of one kind never overlap: the list for the gap waits for the snapshot's list
    while (listing) readPage()
    const sink = tracker.beginGapList('pod')
    for (const [key, value] of cluster) sink.add(key, version(key, value))
    sink.end()
    watched = events.length
  }

  function take(changes: number): void {
    const batch = tracker.take({ changes, length: 10_000 })
    if (batch.length > 0) inFlight.push(changesEnvelope(head, batch.map(changeText)))
  }

  function run(next: Step): void {
    if (next.do === 'change') {
      if (next.value === undefined && !cluster.has(next.key)) return
      if (next.value === undefined) cluster.delete(next.key)
      else cluster.set(next.key, next.value)
      events.push({ key: next.key, value: next.value })
    } else if (next.do === 'watch') watch(next.events)
    else if (next.do === 'loseWatch') closeGap()
    else if (next.do === 'snapshot') beginSnapshot()
    else if (next.do === 'page') readPage()
    else if (next.do === 'expirePages' && listing) {
      listing.sink.restart()
      listing.pages = [...cluster]
    } else if (next.do === 'part') sendPart()
    else if (next.do === 'take') take(next.changes)
    else if (next.do === 'post') {
      const json = inFlight.shift()
      if (json !== undefined) for (let times = next.twice ? 2 : 1; times > 0; times--) deliver(json)
    } else if (next.do === 'resend') tracker.queuePending()
    else if (next.do === 'drop') {
      tracker.dropUnsent()
      owesSnapshot = true
    }
  }

  function settle(): void {
    while (listing) readPage()
    while (sending) sendPart()
    if (owesSnapshot) beginSnapshot()
    while (listing) readPage()
    while (sending) sendPart()
    watch(events.length)
    take(100)
    for (const json of inFlight.splice(0)) deliver(json)
  }

  return {
    run,
    settle,
    tracker,
    held: () => new Map([...app.objects()].sort()),
    wanted: () => new Map([...cluster].map(([key, value]) => [`pod ${key}`, objectOf(key, value)] as const).sort()),
  }
}

type Held = { readonly metadata: { readonly name: string }; readonly value: number }

function objectOf(key: Key, value: number): Held {
  return { metadata: { name: key }, value }
}

function version(key: Key, value: number | undefined): ReducedVersion {
  if (value === undefined) return DELETED
  const text = `"object":${JSON.stringify(objectOf(key, value))}`
  return { op: 'put', fingerprint: hash('sha256', text, 'buffer').readUIntBE(0, 6), text, pending: value === 2 }
}

function runAll(steps: readonly Step[]) {
  const world = createWorld()
  for (const each of [{ do: 'snapshot' } as const, ...steps]) world.run(each)
  return world
}

describe('the change tracker', () => {
  it('brings the app to the state of the cluster, whatever comes between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = runAll(steps)
        world.settle()
        expect(world.held()).toEqual(world.wanted())
        // nothing is kept of deleted objects
        expect(world.tracker.objects).toBe(world.wanted().size)
        expect(world.tracker.pendingPods).toBe([...world.wanted().values()].filter(({ value }) => value === 2).length)
      }),
      { numRuns: 3_000 },
    )
  })

  it('takes note of an object that comes back as it was while a snapshot lists an older page', () => {
    const change = (value: number | undefined): Step => ({ do: 'change', key: 'a', value })
    const watch: Step = { do: 'watch', events: 9 }
    const take: Step = { do: 'take', changes: 9 }
    const page: Step = { do: 'page' }
    const known: Step[] = [change(1), watch, take, { do: 'post', twice: false }, page, { do: 'part' }]
    const deleted: Step[] = [{ do: 'snapshot' }, change(undefined), watch, take]
    const world = runAll([...known, ...deleted, page, change(1), watch])
    world.settle()
    expect(world.held()).toEqual(world.wanted())
  })

  it('does the same when batches arrive in any order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined })), { maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (changes, order) => {
          const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
          const batches = changes.flatMap(([key, value]) => {
            tracker.see('pod', key, version(key, value))
            return [tracker.take({ changes: 1, length: 1_000 }).map((change) => JSON.parse(changeText(change)) as ModelChange)]
          })
          const app = createAppModel()
          const shuffled = batches
            .map((batch) => ({ batch, rank: order.next().value ?? 0 }))
            .sort((first, second) => first.rank - second.rank)
          for (const { batch } of shuffled) app.apply(1, { kind: 'changes', changes: batch })
          const cluster = new Map(changes)
          const wanted = [...cluster].flatMap(([key, value]) =>
            value === undefined ? [] : [[`pod ${key}`, objectOf(key, value)] as const],
          )
          expect(new Map([...app.objects()].sort())).toEqual(new Map(wanted.sort()))
        },
      ),
    )
  })

  it('forgets what was deleted once that was posted', () => {
    const world = runAll([
      { do: 'change', key: 'a', value: 1 },
      { do: 'change', key: 'a', value: undefined },
    ])
    world.settle()
    expect(world.tracker.objects).toBe(0)
  })

  it('forgets what was deleted when that is dropped, and only that', () => {
    const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
    for (const key of KEYS) tracker.see('pod', key, version(key, 1))
    tracker.take({ changes: 10, length: 10_000 })
    tracker.see('pod', 'a', DELETED)
    for (const key of ['b', 'c'] as const) tracker.see('pod', key, version(key, 2))
    tracker.dropUnsent()
    expect(tracker.objects).toBe(2)
    expect(tracker.unsent).toBe(0)
  })

  it('takes what a list showed before it began again for gone, unless it shows that again', () => {
    const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
    const limits = { changes: 10, length: 10_000 }
    for (const key of ['a', 'b'] as const) tracker.see('pod', key, version(key, 1))
    tracker.take(limits)
    const list = (sink: ListSink): void => {
      for (const key of ['a', 'b'] as const) sink.add(key, version(key, 1))
      sink.restart()
      sink.add('b', version('b', 1))
      sink.end()
    }
    list(tracker.beginGapList('pod'))
    expect(tracker.take(limits)).toMatchObject([{ key: 'a', op: 'delete' }])
    tracker.see('pod', 'a', version('a', 1))
    tracker.take(limits)
    list(tracker.beginSnapshotList('pod', tracker.beginSnapshot(), createSnapshotBuffer(limits).section()))
    expect(tracker.objects).toBe(1)
  })

  it('keeps only the newest unsent version of an object', () => {
    const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
    for (const value of [1, 2, 3]) tracker.see('pod', 'a', version('a', value))
    expect(tracker.unsent).toBe(1)
    expect(tracker.take({ changes: 10, length: 10_000 })).toMatchObject([{ seq: 1, text: '"object":{"metadata":{"name":"a"},"value":3}' }])
  })

  it('leaves a pod out of the resend once it is bound, and once the app would not take it', () => {
    const tracker = createChangeTracker({ now: () => epochMs(0), onUnsent: () => {} })
    for (const key of KEYS) tracker.see('pod', key, version(key, 2))
    tracker.see('pod', 'a', version('a', 1))
    tracker.giveUp('pod', 'b')
    tracker.take({ changes: 10, length: 10_000 })
    tracker.queuePending()
    expect(tracker.take({ changes: 10, length: 10_000 }).map(({ key }) => key)).toEqual(['c'])
  })

  it('sends a pod that waits again as it was seen, and then knows it as before', () => {
    let now = 1
    let rings = 0
    const tracker = createChangeTracker({ now: () => epochMs(now), onUnsent: () => rings++ })
    const limits = { changes: 10, length: 10_000 }
    tracker.see('pod', 'a', version('a', 2))
    now = 5
    tracker.queuePending()
    // a change holds the time at which it was seen, so that waiting for the app is part of its lag
    expect(tracker.take(limits)).toMatchObject([{ key: 'a', at: 1 }])
    rings = 0
    tracker.queuePending()
    expect(rings).toBe(1)
    expect(tracker.take(limits)).toMatchObject([{ key: 'a', at: 5 }])
    tracker.see('pod', 'a', version('a', 2))
    expect(tracker.unsent).toBe(0)
  })
})
