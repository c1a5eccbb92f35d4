import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import type { Result } from '../base/result.ts'
import type { RegionOfferings } from '../model/askedCores.ts'
import type { SchedulerRefusal } from '../model/claimRefusal.ts'
import type { CreateClaim, ProvisioningCursor } from '../model/decision.ts'
import type { MoveRest } from '../model/disruptionCommand.ts'
import { clusterId, nodeClaimName, nodeClassName, nodeName, nodePoolName, objectKey, uid, vmSizeName, zoneName } from '../model/ids.ts'
import type { DecisionRecord, Ledger } from '../model/ledger.ts'
import type { LogRecord } from '../model/logRecord.ts'
import type { Problem } from '../model/problem.ts'
import type { UnavailableOffering } from '../model/unavailableOffering.ts'
import { durationMs, epochMs, microUsdPerHour } from '../model/units.ts'
import { parseDecisionRecord, printDecisionRecord } from './decisionRecord.ts'
import { parseLedger, printLedger } from './ledger.ts'
import { parseLogRecord, printLogRecord } from './logRecord.ts'
import { CHANGES } from './testing/changes.ts'
import { at, pathsOf, plain, withMember } from './testing/members.ts'
import { parseUnavailable, printUnavailable } from './unavailable.ts'
import { parseWake, printWake, type Wake } from './wake.ts'

const LOG_RECORD: LogRecord = { term: 2, receivedAt: epochMs(9), body: { kind: 'snapshot', seq: 3, part: 1, parts: 2, changes: CHANGES } }
const CHOICE = {
  size: vmSizeName('Standard_D2s_v5'),
  zone: zoneName('eastus-1'),
  capacityType: 'spot',
  price: microUsdPerHour(61_000),
} as const
const CREATE: CreateClaim = {
  kind: 'createClaim',
  draft: {
    name: nodeClaimName('default-a'),
    nodePool: nodePoolName('default'),
    labels: { a: 'b' },
    annotations: {},
    spec: nodeClaim().spec,
  },
  pods: [{ key: objectKey('ns', 'p'), uid: uid('u') }],
  choice: CHOICE,
  nextBest: { size: CHOICE.size, zone: CHOICE.zone, capacityType: 'on-demand' },
  alternatives: 12,
  command: '7-0',
}
const MOVE_REST: MoveRest = {
  moved: [nodeClaimName('default-old')],
  claims: [nodeClaimName('default-a')],
  workloads: [uid('w')],
  duration: durationMs(4),
  until: epochMs(9),
}
const CURSOR: ProvisioningCursor = { requests: { cpu: 500, memory: 1_024 }, createdAt: epochMs(2), uid: uid('u') }
const REFUSAL: SchedulerRefusal = {
  pod: { key: objectKey('ns', 'p'), uid: uid('u') },
  inputs: 'hash',
  watched: { begunAt: epochMs(2), place: { node: nodeName('n'), since: epochMs(3) } },
  refused: { node: nodeName('n'), times: 2, until: epochMs(4), message: 'no' },
}
const LEDGER: Ledger = {
  schema: 1,
  cluster: clusterId('blue'),
  epoch: 4,
  decisions: 7,
  intents: [
    {
      action: CREATE,
      decision: 7,
      decidedAt: epochMs(5),
      createdAt: epochMs(6),
      look: { heardAt: epochMs(2), startedAt: epochMs(3), decideMs: durationMs(1) },
    },
  ],
  nominations: [{ pod: uid('u'), claim: nodeClaimName('default-a'), until: epochMs(8) }],
  commands: [
    {
      id: '7-0',
      reason: 'Drifted',
      method: 'replace',
      candidates: [
        {
          claim: nodeClaimName('default-old'),
          uid: uid('o'),
          node: nodeName('joiner-default-old'),
          pool: nodePoolName('default'),
          price: microUsdPerHour(90_000),
          pods: [{ key: objectKey('ns', 'p'), uid: uid('u') }],
        },
      ],
      replacements: [nodeClaimName('default-a')],
      saving: microUsdPerHour(29_000),
      startedAt: epochMs(5),
      deadline: epochMs(9),
      markedAt: epochMs(6),
      ready: [nodeClaimName('default-a')],
      repair: { condition: 'Ready=False', terminationGracePeriod: durationMs(7) },
    },
  ],
  backOffs: [
    { claims: [nodeClaimName('default-b')], pools: [nodePoolName('default')], failures: 2, failedAt: epochMs(3), until: epochMs(8) },
    {
      claims: [nodeClaimName('default-c')],
      pools: [],
      failures: 1,
      failedAt: epochMs(3),
      until: epochMs(8),
      unread: true,
      isOfRepair: true,
    },
  ],
  begunMoves: [{ pools: [nodePoolName('default')], beganAt: epochMs(2) }],
  moveRests: [MOVE_REST],
  extraNodes: [{ pools: [nodePoolName('default')], moved: [nodeClaimName('default-old')], replacements: 1 }],
  provisioningCursor: CURSOR,
  shortSizes: [
    {
      nodeClass: nodeClassName('default'),
      size: vmSizeName('Standard_D4as_v6'),
      madeFrom: 'hash',
      short: { memory: 16_777_216 },
      createdAt: epochMs(1),
    },
  ],
  claimRefusals: [
    { nodePool: nodePoolName('default'), uid: uid('pool'), generation: 3, ask: 'a', message: 'denied', times: 2, until: epochMs(8) },
  ],
  schedulerRefusals: [REFUSAL],
  rest: { position: '3:100', until: epochMs(9) },
}
const DECISION: DecisionRecord = {
  number: 7,
  epoch: 4,
  takenAt: epochMs(5),
  position: '3:100',
  decision: {
    actions: [CREATE],
    reasons: [{ code: 'POOL.LIMIT', subject: { kind: 'pod', name: 'ns/p' }, message: 'm' }],
    wakeAt: epochMs(9),
    provisioningCursor: CURSOR,
    schedulerRefusals: [REFUSAL],
    leftOut: [{ kind: 'pod', name: 'ns/p', failure: 'f' }],
    begunMoves: [{ pools: [nodePoolName('default')], beganAt: epochMs(5) }],
    moveRests: [MOVE_REST],
    extraNodes: [{ pools: [nodePoolName('default')], moved: [nodeClaimName('default-old')], replacements: 1 }],
  },
  decideMs: 1.5,
  moved: { nodes: 2, replacements: 1, pods: 5, saving: microUsdPerHour(30_000) },
}
const WAKE: Wake = { cluster: clusterId('blue') }
const UNAVAILABLE_OFFERINGS: readonly UnavailableOffering[] = [
  {
    scope: { kind: 'offering', size: CHOICE.size, zone: CHOICE.zone, capacityType: 'spot' },
    until: epochMs(1),
    code: 'AZURE.ALLOCATION.ZONE',
    message: 'm',
  },
  { scope: { kind: 'family', family: 'f', minCpus: 8 }, until: epochMs(1), code: 'AZURE.QUOTA.FAMILY', message: 'm' },
  {
    scope: { kind: 'capacityType', capacityType: 'spot' },
    until: epochMs(1),
    code: 'AZURE.QUOTA.SPOT',
    message: 'm',
    again: { times: 2, at: epochMs(1), openedAt: epochMs(0), firstMs: durationMs(1) },
  },
  { scope: { kind: 'capacityType', capacityType: 'on-demand', minCpus: 4 }, until: epochMs(1), code: 'AZURE.QUOTA.REGION', message: 'm' },
  {
    scope: { kind: 'offering', size: CHOICE.size, nodeClass: { name: nodeClassName('default'), uid: uid('c'), generation: 2 } },
    until: epochMs(1),
    code: 'AZURE.FAILED',
    message: 'm',
  },
]
const UNAVAILABLE: RegionOfferings = {
  unavailable: UNAVAILABLE_OFFERINGS,
  asked: [
    {
      cluster: clusterId('blue'),
      claim: nodeClaimName('default-a'),
      family: 'standardDSv5Family',
      capacityType: 'on-demand',
      cpus: 2,
      at: epochMs(1),
    },
  ],
  reports: [
    {
      kind: 'notBooted',
      cluster: clusterId('blue'),
      claim: nodeClaimName('default-a'),
      nodeClass: nodeClassName('default'),
      size: CHOICE.size,
      launchedAt: epochMs(0),
      at: epochMs(1),
      isProven: true,
    },
  ],
}

type Form = {
  readonly value: unknown
  readonly print: () => string
  readonly parse: (text: string) => Result<unknown, Problem>
  readonly newer: string
}

const FORMS: { readonly [name: string]: Form } = {
  'a log record': { value: LOG_RECORD, print: () => printLogRecord(LOG_RECORD), parse: parseLogRecord, newer: 'STORE.NEWER_SCHEMA' },
  'a ledger': { value: LEDGER, print: () => printLedger(LEDGER), parse: parseLedger, newer: 'STORE.NEWER_SCHEMA' },
  'a decision record': {
    value: DECISION,
    print: () => printDecisionRecord(DECISION),
    parse: parseDecisionRecord,
    newer: 'STORE.NEWER_SCHEMA',
  },
  'a list of unavailable offerings': {
    value: UNAVAILABLE,
    print: () => printUnavailable(UNAVAILABLE),
    parse: parseUnavailable,
    newer: 'STORE.NEWER_SCHEMA',
  },
  'a wake message': {
    value: WAKE,
    print: () => printWake(WAKE),
    parse: (text) => parseWake(JSON.parse(text)),
    newer: 'INPUT.UNSUPPORTED_VERSION',
  },
}

/** For these, the refusal names the change and what is wrong with the change. */
const INSIDE_CHANGE = /^body\.changes\.\d+\./

describe('what an earlier version wrote, before machines had traces,', () => {
  it('stays readable: an intent of the ledger', () => {
    const earlier: Ledger = { ...LEDGER, intents: [{ action: CREATE, decision: 7, decidedAt: epochMs(5) }] }
    expect(parseLedger(printLedger(earlier))).toEqual({ ok: true, value: earlier })
  })

  it('stays readable: a ledger without moves', () => {
    const { commands: _, backOffs: __, ...earlier } = JSON.parse(printLedger(LEDGER)) as { readonly [member: string]: unknown }
    expect(parseLedger(JSON.stringify(earlier))).toEqual({ ok: true, value: { ...LEDGER, commands: [], backOffs: [] } })
  })

  it('stays readable: a ledger that remembers neither moves, sizes with less room nor refusals, and no place to go on', () => {
    const { begunMoves: _, moveRests: __, extraNodes: ___, shortSizes: ____, provisioningCursor: _____, ...others } = LEDGER
    const { claimRefusals: ______, schedulerRefusals: _______, ...earlier } = others
    expect(parseLedger(printLedger(earlier))).toEqual({ ok: true, value: earlier })
  })
})

for (const [name, { value, print, parse, newer }] of Object.entries(FORMS)) {
  describe(name, () => {
    it('is one line, and survives printing and parsing', () => {
      expect(print()).not.toContain('\n')
      expect(parse(print())).toEqual({ ok: true, value })
    })
    it('of a newer version is refused as such', () => {
      expect(parse(JSON.stringify({ ...JSON.parse(print()), v: 99 }))).toMatchObject({ ok: false, error: { code: newer } })
    })
    it('without a version is refused', () => {
      expect(parse(JSON.stringify({ ...JSON.parse(print()), v: undefined }))).toMatchObject({
        ok: false,
        error: { code: 'INPUT.INVALID', path: 'v' },
      })
    })
    it('without any one of its members is refused, or has a value it may do without', () => {
      for (const member of Object.keys(JSON.parse(print()) as object)) {
        const result = parse(JSON.stringify({ ...JSON.parse(print()), [member]: undefined }))
        if (!result.ok) expect(result.error.path).toBe(member)
      }
    })
    it('is refused by name and place of a member that is of no use', () => {
      const json: unknown = JSON.parse(print())
      // The decision in a record is only shown, never applied, so its content is not checked.
      const values = pathsOf(json).filter((path) => typeof at(json, path) !== 'object' && path.join() !== 'v' && path[0] !== 'decision')
      const told = values.map((path) => {
        const result = parse(JSON.stringify(withMember(json, path, [])))
        if (result.ok) return [undefined, false]
        const isNamed = /^(?:log record|ledger|decision record|unavailable offerings|wake message): .* must be /
        return [plain(result.error.path), isNamed.test(result.error.message)]
      })
      expect(told).toEqual(values.map((path) => [path.join('.').replace(INSIDE_CHANGE, ''), true]))
    })
    it('never makes the parser throw', () => {
      fc.assert(
        fc.property(fc.jsonValue(), (json) => void expect(typeof parse(JSON.stringify({ v: 1, ...(json as object) })).ok).toBe('boolean')),
      )
    })
  })
}

describe('a decision record', () => {
  it('is still read in the form before, which names a seed', () => {
    const before = JSON.stringify({ ...JSON.parse(printDecisionRecord(DECISION)), seed: 's' })
    expect(parseDecisionRecord(before)).toEqual({ ok: true, value: DECISION })
  })
})

describe('stored text', () => {
  it.each([
    ['log record', parseLogRecord],
    ['ledger', parseLedger],
    ['decision record', parseDecisionRecord],
    ['unavailable offerings', parseUnavailable],
  ] as const)('of a %s that is no JSON is refused', (object, parse) => {
    expect(parse('{"v":1,')).toMatchObject({ ok: false, error: { code: 'INPUT.INVALID', object, message: `${object}: is not JSON` } })
  })

  it('that is no JSON is refused', () =>
    expect(parseLedger('{"v":1,')).toMatchObject({ ok: false, error: { message: 'ledger: is not JSON' } }))
  it('of a log record with a bad change names the change', () => {
    const line = printLogRecord(LOG_RECORD).replace('"Pending"', '"Sleeping"')
    expect(parseLogRecord(line)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('change 1 of default/pod: object.phase'), path: 'object.phase' },
    })
  })
})
