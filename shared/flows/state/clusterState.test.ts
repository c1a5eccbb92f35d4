import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import type { Change } from '../../model/change.ts'
import { nodePoolName, uid } from '../../model/ids.ts'
import type { Meta } from '../../model/labels.ts'
import { epochMs } from '../../model/units.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'
import { createClusterState, createRegistrationOutcomes } from './clusterState.ts'

const AT = epochMs(1_000_000)

function put(seq: number, name: string, version: string): Change {
  return { seq, at: AT, op: 'put', kind: 'namespace', key: name, object: { name, uid: uid(name), labels: { version } } }
}

function remove(seq: number, name: string): Change {
  return { seq, at: AT, op: 'delete', kind: 'namespace', key: name }
}

function batch(term: number, changes: readonly Change[], receivedAt = AT): LogRecord {
  return { term, receivedAt, body: { kind: 'changes', changes } }
}

function snapshotParts(term: number, seq: number, changes: readonly Change[], parts: number): LogRecord[] {
  return Array.from({ length: parts }, (_, part) => {
    const own = changes.filter((_change, index) => index % parts === part)
    return { term, receivedAt: AT, body: { kind: 'snapshot', seq, part, parts, changes: own } }
  })
}

function versions(records: readonly LogRecord[]): Record<string, string | undefined> {
  const state = createClusterState()
  for (const record of records) state.apply(record)
  const list = state.objects().namespace.map((namespace) => [namespace.name, namespace.labels['version']] as const)
  return Object.fromEntries(list.sort())
}

describe('createClusterState', () => {
  it('keeps the newest version of each object', () => {
    const records = [...snapshotParts(1, 1, [put(1, 'a', 'old'), put(1, 'b', 'old')], 1), batch(1, [put(2, 'a', 'new'), remove(3, 'b')])]
    expect(versions(records)).toEqual({ a: 'new' })
  })

  it('removes with a new snapshot what the snapshot does not hold', () => {
    const records = [...snapshotParts(1, 1, [put(1, 'a', '1'), put(1, 'b', '1')], 2), ...snapshotParts(2, 1, [put(1, 'b', '2')], 1)]
    expect(versions(records)).toEqual({ b: '2' })
  })

  it('forgets deletions that nothing can undo any more, and keeps those that something may', () => {
    const state = createClusterState()
    for (const record of snapshotParts(1, 1, [put(1, 'a', '1')], 1)) state.apply(record)
    const DELETED = 6_000
    const changes = Array.from({ length: DELETED }, (_, index) => [
      put(2 + 2 * index, `n${index}`, '1'),
      remove(3 + 2 * index, `n${index}`),
    ])
    state.apply(batch(1, changes.flat()))
    expect(state.size()).toBe(1)
    const hole = 2 * DELETED + 2
    state.apply(batch(1, [remove(hole + 1, 'late')]))
    expect(state.size()).toBe(2)
    state.apply(batch(1, [put(hole, 'late', 'older')]))
    expect(state.objects().namespace.map(({ name }) => name)).toEqual(['a'])
  })

  it('SP-13 CL-10 does not use a snapshot before its last part came', () => {
    const parts = snapshotParts(2, 1, [put(1, 'b', '2'), put(1, 'c', '2')], 2)
    expect(versions([...snapshotParts(1, 1, [put(1, 'a', '1')], 1), ...parts.slice(0, 1)])).toEqual({ a: '1' })
    expect(versions([...snapshotParts(1, 1, [put(1, 'a', '1')], 1), ...parts])).toEqual({ b: '2', c: '2' })
  })

  it('CL-09 gives the same picture when every record comes twice and in any order', () => {
    const history: LogRecord[] = [
      ...snapshotParts(1, 1, [put(1, 'a', '1.1'), put(1, 'b', '1.1'), put(1, 'c', '1.1')], 2),
      batch(1, [put(2, 'a', '1.2'), remove(3, 'b')]),
      batch(1, [put(4, 'b', '1.4'), put(5, 'd', '1.5')]),
      batch(1, [remove(6, 'a')]),
      ...snapshotParts(2, 1, [put(1, 'b', '2.1'), put(1, 'd', '2.1'), put(1, 'e', '2.1')], 2),
      batch(2, [put(2, 'e', '2.2'), remove(3, 'd')]),
      batch(2, [put(4, 'f', '2.4')]),
    ]
    const want = versions(history)
    expect(want).toEqual({ b: '2.1', e: '2.2', f: '2.4' })
    fc.assert(
      fc.property(fc.shuffledSubarray([...history, ...history], { minLength: history.length * 2 }), (delivery) => {
        expect(versions(delivery)).toEqual(want)
      }),
    )
  })

  it('continues from its compact form as if it had never stopped', () => {
    const before = [...snapshotParts(1, 1, [put(1, 'a', '1')], 1), batch(1, [put(2, 'b', '2'), remove(3, 'a')])]
    const after = [batch(1, [put(2, 'b', '2'), remove(3, 'a')]), batch(1, [put(4, 'c', '4')])]
    const state = createClusterState()
    for (const record of before) state.apply(record)
    const resumed = createClusterState(state.compact('somewhere'))
    for (const record of after) resumed.apply(record)
    expect(resumed.objects().namespace.map((namespace) => namespace.name)).toEqual(['b', 'c'])
    expect(resumed.missing(epochMs(AT + 60_000))).toBeUndefined()
  })

  it('says what is missing only after some patience', () => {
    const state = createClusterState()
    expect(state.missing(AT)).toBe('nothing is known of the cluster yet')
    for (const record of snapshotParts(1, 1, [put(1, 'a', '1')], 1)) state.apply(record)
    expect(state.missing(AT)).toBeUndefined()
    state.apply(batch(1, [put(3, 'a', '3')]))
    expect(state.missing(AT)).toBeUndefined()
    expect(state.missing(epochMs(AT + 5_000))).toBe('change 2 of term 1 never came')
    state.apply(batch(1, [put(2, 'b', '2')]))
    expect(state.missing(epochMs(AT + 5_000))).toBeUndefined()
  })

  it('CL-10 asks for a snapshot when a new term begins without one', () => {
    const state = createClusterState()
    for (const record of snapshotParts(1, 1, [put(1, 'a', '1')], 1)) state.apply(record)
    state.apply(batch(2, [put(2, 'a', '2')]))
    expect(state.missing(AT)).toBeUndefined()
    expect(state.missing(epochMs(AT + 5_000))).toBe('no complete snapshot of term 2')
  })
})

const POOL = nodePoolName('default')
const HEAD = { seq: 1, at: NOW, key: 'default-aaaaa' } as const

function claim(shape: NodeClaimShape): Change {
  return { ...HEAD, op: 'put', kind: 'nodeClaim', object: nodeClaim(shape) }
}

const GONE: Change = { ...HEAD, op: 'delete', kind: 'nodeClaim' }
const LAUNCHED = claim({ stage: 'launched' })
const TIMED_OUT = [
  condition('Launched'),
  condition('Registered', { status: 'Unknown', reason: 'RegistrationTimeout', message: 'never came' }),
]
const NEVER_READY = [
  condition('Launched'),
  condition('Registered'),
  condition('Initialized', { status: 'Unknown', reason: 'InitializationTimeout' }),
]
const GIVEN_UP = claim({ stage: 'launched', status: { conditions: TIMED_OUT } })
const ENDING = claim({ stage: 'launched', status: { conditions: TIMED_OUT }, meta: { deletedAt: ago(SECOND) } })

const LIVES: { readonly [sentence: string]: { readonly life: readonly Change[]; readonly want: readonly string[] } } = {
  'that registers joined': { life: [LAUNCHED, claim({ stage: 'registered' }), claim({ stage: 'initialized' })], want: ['joined'] },
  'that is given up did not, and counts once': { life: [LAUNCHED, GIVEN_UP, ENDING, GONE], want: ['RegistrationFailed never came'] },
  'whose end was seen at once counts, too': { life: [LAUNCHED, ENDING], want: ['RegistrationFailed never came'] },
  'of which only the end was missed counts, too': { life: [GIVEN_UP, GONE], want: ['RegistrationFailed never came'] },
  'that registered and never became ready did not, and counts once': {
    life: [LAUNCHED, claim({ stage: 'registered' }), claim({ stage: 'registered', status: { conditions: NEVER_READY } }), ENDING],
    want: ['RegistrationFailed never came'],
  },
  'that somebody deleted says nothing': {
    life: [LAUNCHED, claim({ stage: 'launched', meta: { deletedAt: ago(SECOND) } }), GONE],
    want: [],
  },
  'that was registered when it was first seen says nothing': { life: [claim({ stage: 'registered' })], want: [] },
}

describe('a claim', () => {
  for (const [sentence, { life, want }] of Object.entries(LIVES)) {
    it(sentence, () => {
      const registrationOutcomes = createRegistrationOutcomes()
      for (const [index, change] of life.entries()) registrationOutcomes.note(life[index - 1], change)
      expect(registrationOutcomes.of(POOL).map((each) => (each.joined ? 'joined' : `${each.reason} ${each.message}`))).toEqual(want)
    })
  }
})

describe('outcomes', () => {
  const pool = (generation: number, of = uid('pool')): Change => ({
    ...HEAD,
    key: 'default',
    op: 'put',
    kind: 'nodePool',
    object: nodePool({ meta: { generation, uid: of } }),
  })

  it('CL-22 are kept four deep, and forgotten when the pool changes', () => {
    const registrationOutcomes = createRegistrationOutcomes()
    for (let each = 0; each < 6; each++) {
      const meta = { uid: uid(`${each}`) }
      registrationOutcomes.note(
        claim({ stage: 'launched', meta }),
        claim({ stage: 'launched', status: { conditions: TIMED_OUT }, meta: { ...meta, deletedAt: ago(SECOND) } }),
      )
    }
    registrationOutcomes.note(pool(1), pool(1))
    expect(registrationOutcomes.of(POOL)).toHaveLength(4)
    registrationOutcomes.note(pool(1), pool(2))
    expect(registrationOutcomes.of(POOL)).toEqual([])
  })

  const nodeClassOf = (meta: Partial<Meta>): Change => ({
    ...HEAD,
    key: 'default',
    op: 'put',
    kind: 'nodeClass',
    object: nodeClass({ meta }),
  })
  const GONE_POOL: Change = { ...HEAD, key: 'default', op: 'delete', kind: 'nodePool' }

  it.each<[sentence: string, before: Change | undefined, after: Change, isForgotten: boolean]>([
    ['stand while their pool is read again', pool(1), pool(1), false],
    ['begin anew with a pool that nobody knew', undefined, pool(1), true],
    ['begin anew with a pool that is gone', pool(1), GONE_POOL, true],
    ['begin anew with a pool that was made again', pool(1), pool(1, uid('other')), true],
    ['stand when another pool changes', pool(1), { ...pool(2), key: 'other' }, false],
    ['stand while their class is read again', nodeClassOf({}), nodeClassOf({}), false],
    ['begin anew with a class that changed', nodeClassOf({ generation: 1 }), nodeClassOf({ generation: 2 }), true],
    ['begin anew with a class that was made again', nodeClassOf({}), nodeClassOf({ uid: uid('other') }), true],
  ])('%s', (_sentence, before, after, isForgotten) => {
    const registrationOutcomes = createRegistrationOutcomes()
    registrationOutcomes.note(LAUNCHED, ENDING)
    registrationOutcomes.note(before, after)
    expect(registrationOutcomes.of(POOL)).toHaveLength(isForgotten ? 0 : 1)
  })

  it.each([
    ['LaunchTimeout', 'LaunchTimeout'],
    ['RegistrationTimeout', 'RegistrationFailed'],
    ['InitializationTimeout', 'RegistrationFailed'],
  ])('of a claim that says %s are %s, of its own pool', (said, want) => {
    const registrationOutcomes = createRegistrationOutcomes()
    const conditions = [condition('Launched', { status: 'Unknown', reason: said, message: 'why' })]
    registrationOutcomes.note(LAUNCHED, claim({ stage: 'created', status: { conditions }, meta: { deletedAt: ago(SECOND) } }))
    expect(registrationOutcomes.of(POOL)).toMatchObject([{ joined: false, reason: want, message: 'why', claim: 'default-aaaaa' }])
    expect(registrationOutcomes.of(nodePoolName('other'))).toEqual([])
  })

  it('are none of a claim whose stage was reached in the end, or that ends for another reason', () => {
    const registrationOutcomes = createRegistrationOutcomes()
    const end = (over: Parameters<typeof condition>[1]): Change =>
      claim({ stage: 'created', status: { conditions: [condition('Launched', over)] }, meta: { deletedAt: ago(SECOND) } })
    registrationOutcomes.note(LAUNCHED, end({ status: 'True', reason: 'LaunchTimeout' }))
    registrationOutcomes.note(LAUNCHED, end({ status: 'Unknown', reason: 'NodeNotFound' }))
    expect(registrationOutcomes.of(POOL)).toEqual([])
  })
})
