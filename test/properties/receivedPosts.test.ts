import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { type CaughtUp, createClusterReader } from '../../shared/flows/state/catchUp.ts'
import type { Change } from '../../shared/model/change.ts'
import { OBJECT_KINDS } from '../../shared/model/clusterObjects.ts'
import { type ClusterSnapshot, type DecisionContext } from '../../shared/model/clusterSnapshot.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { ClusterLog, LogPosition, LogRecord } from '../../shared/ports/clusterLog.ts'
import { printCheckpoint } from '../../shared/wire/checkpoint.ts'
import { parseEnvelope, printEnvelope } from '../../shared/wire/envelope.ts'
import { KEPT_PATHS } from '../../shared/wire/kept/keptPaths.ts'
import { createPrune } from '../../shared/wire/kept/prune.ts'
import { SAMPLES } from '../../shared/wire/kept/testing/samples.ts'
import { FULL_OBJECTS } from '../../shared/wire/kube/testing/fullObjects.ts'
import { parseLogRecord, printLogRecord } from '../../shared/wire/logRecord.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { NOW } from '../builders/clock.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(20)
const STEPS = 30
const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const HEAD = { cluster: CLUSTER, term: 1, sentAt: NOW }
const KUBE = [...FULL_OBJECTS, ...SAMPLES]

/** Makes posts as the app takes them: text that is parsed. Objects of the cluster, and now and then Kubernetes JSON of any kind. */
function createPosts({ objects }: ClusterSnapshot, random: Random) {
  const all = OBJECT_KINDS.flatMap((kind) =>
    objects[kind].map((object) => ({ kind, object, key: 'key' in object ? object.key : object.name })),
  )
  let seq = 1

  function taken(json: unknown): LogRecord {
    const parsed = parseEnvelope(JSON.parse(JSON.stringify(json)))
    if (!parsed.ok) throw new Error(parsed.error.message)
    return { term: 1, receivedAt: NOW, body: parsed.value.envelope.body }
  }

  function changed(): Change {
    const { kind, object, key } = random.pick(all)
    const head = { seq: ++seq, at: NOW, kind, key }
    return (random.chance(0.3) ? { ...head, op: 'delete' } : { ...head, op: 'put', object }) as Change
  }

  return {
    whole(): LogRecord {
      const changes = random.some(all, 0.6).map((each) => ({ ...each, seq, at: NOW, op: 'put' }) as Change)
      return taken(printEnvelope({ ...HEAD, body: { kind: 'snapshot', seq, part: 0, parts: 1, changes } }))
    },
    next(): LogRecord {
      if (random.chance(0.3)) {
        const { kind, json } = random.pick(KUBE)
        const change = { seq: ++seq, at: NOW, op: 'put', kind, object: createPrune(KEPT_PATHS[kind])(json) }
        return taken({ v: 2, ...HEAD, kept: 1, body: { kind: 'changes', changes: [change] } })
      }
      const changes = Array.from({ length: 1 + random.int(3) }, changed)
      return taken(printEnvelope({ ...HEAD, body: { kind: 'changes', changes } }))
    },
  }
}

/** The log as storage keeps it: its records are text. */
function ofText(log: ClusterLog): ClusterLog {
  return {
    ...log,
    append(record, signal) {
      const stored = parseLogRecord(printLogRecord(record))
      if (!stored.ok) throw new Error(stored.error.message)
      return log.append(stored.value, signal)
    },
  }
}

/** The log up to a position. */
function upTo(log: ClusterLog, end: () => LogPosition): ClusterLog {
  return {
    ...log,
    async read(from, signal) {
      const { records, ...part } = await log.read(from, signal)
      const first = Number(part.position) - records.length
      const position = String(Math.min(Number(part.position), Number(end())))
      return { ...part, records: records.slice(0, Number(position) - first), position, more: part.more && position === part.position }
    },
  }
}

/** The members of an object may have another order in a post than in the log. Nothing that is stored or decided shows it. */
function outcomeOf({ state, position }: CaughtUp, context: DecisionContext) {
  const bytes = [...printCheckpoint(state.compact(position)), JSON.stringify(state.decide(context))]
  return { bytes, input: state.snapshot(context) }
}

/** Plays posts of two processes. Returns how many times the first one learned what is new without the log. */
async function play(seed: number): Promise<number> {
  const random = createRandom(seed)
  const snapshot = randomSnapshot(seed)
  const { objects: _, ...context } = snapshot
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  const log = ofText(world.ports.log)
  const posts = createPosts(snapshot, random)
  let [reads, unread, end] = [0, 0, '0']
  const counted: ClusterLog = { ...log, read: (from, signal) => log.read(from, signal).finally(() => reads++) }
  const [receiving, reading] = [createClusterReader(counted), createClusterReader(upTo(log, () => end))]
  receiving.hasSeen('ledger')
  let last = posts.whole()
  for (let step = 0; step < STEPS; step++) {
    const appended = await log.append(last, NEVER)
    // Otherwise another process has appended it, or the answer was lost.
    if (random.chance(0.8)) receiving.receive(last, appended)
    if (!random.chance(0.1)) last = posts.next()
    if (!random.chance(0.6)) continue
    const before = reads
    const caughtUp = await receiving.catchUp(NOW, NEVER, random.chance(0.9) ? 'ledger' : undefined)
    if (reads === before && caughtUp.records > 0) unread++
    end = caughtUp.position
    const [one, other] = [outcomeOf(caughtUp, context), outcomeOf(await reading.catchUp(NOW, NEVER), context)]
    expect(one.bytes).toEqual(other.bytes)
    expect(one.input).toStrictEqual(other.input)
  }
  return unread
}

describe('a process that applies what it has appended', () => {
  it('has the state and decides the bytes of a process that reads the log', async () => {
    let unread = 0
    for (const seed of seedsOf(CASES)) unread += await play(seed)
    expect(unread).toBeGreaterThan(2 * CASES)
  })
})
