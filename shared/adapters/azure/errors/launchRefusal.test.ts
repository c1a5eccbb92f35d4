import { describe, expect, it } from 'vitest'
import { azureFailure } from '../../../../test/builders/azureFailures.ts'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { contains } from '../../../engine/offering/usableOfferings.ts'
import { vmSizeName, zoneName } from '../../../model/ids.ts'
import { epochMs } from '../../../model/units.ts'
import type { ArmFailure } from '../armFailure.ts'
import { BUSY_RESOURCE_CODES } from '../busyResource.ts'
import type { LaunchAttempt } from './blockedScopes.ts'
import { launchRefusal } from './launchRefusal.ts'
import { REFUSAL_TABLE } from './refusalTable.ts'

const NOW = epochMs(1_000_000)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const zones = ['eastus-1', 'eastus-2', '0'].map(zoneName)
const BLOCKING = REFUSAL_TABLE.filter((row) => 'blocks' in row)
const ON_DEMAND: LaunchAttempt = {
  size: vmSizeName('Standard_D4s_v5'),
  zone: zoneName('eastus-1'),
  capacityType: 'on-demand',
  family: 'dsv5',
  cpus: 4,
  zones,
}
const SPOT: LaunchAttempt = { ...ON_DEMAND, capacityType: 'spot' }
const REGIONAL: LaunchAttempt = { ...ON_DEMAND, zone: zoneName('0') }
type Row = {
  /** Default: the sample of the row. */
  failure?: ArmFailure
  attempt?: LaunchAttempt
  /** `own`: scopes that are blocked for this claim only. */
  want: { code: string; then: string; scopes: object[]; own?: object[]; ttl?: number }
}

/** One test row for each row of the table, with the name of the row as key. If a row has two variants, the key is extended. */
const ROWS: Record<string, Row> = {
  'spot quota of the region': {
    attempt: SPOT,
    want: { code: 'AZURE.QUOTA.SPOT', then: 'next', scopes: [{ kind: 'capacityType', capacityType: 'spot', minCpus: 4 }], ttl: HOUR },
  },
  'spot not allowed for the subscription': {
    attempt: SPOT,
    want: { code: 'AZURE.SKU_NOT_AVAILABLE', then: 'next', scopes: [{ kind: 'capacityType', capacityType: 'spot' }], ttl: HOUR },
  },
  'size not sold as spot': {
    attempt: SPOT,
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', capacityType: 'spot' }],
      ttl: 23 * HOUR,
    },
  },
  'family quota of zero': {
    want: {
      code: 'AZURE.QUOTA.FAMILY',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, capacityType: 'on-demand' }],
      ttl: HOUR,
    },
  },
  'family quota': {
    want: {
      code: 'AZURE.QUOTA.FAMILY',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, capacityType: 'on-demand' }],
      ttl: 10 * MINUTE,
    },
  },
  'size not available': {
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1', capacityType: 'on-demand' }],
      ttl: HOUR,
    },
  },
  'size not available (spot)': {
    attempt: SPOT,
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1', capacityType: 'spot' }],
      ttl: HOUR,
    },
  },
  'size not available (regional)': {
    attempt: REGIONAL,
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: '0', capacityType: 'on-demand' }],
    },
  },
  'zone out of room': {
    want: {
      code: 'AZURE.ALLOCATION.ZONE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1' }],
      ttl: HOUR,
    },
  },
  'region out of room': {
    want: {
      code: 'AZURE.ALLOCATION.REGION',
      then: 'next',
      scopes: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'offering', size: 'Standard_D4s_v5', zone })),
      ttl: HOUR,
    },
  },
  'region out of room (regional)': {
    attempt: REGIONAL,
    want: { code: 'AZURE.ALLOCATION.REGION', then: 'next', scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: '0' }] },
  },
  'zone out of room under these constraints': {
    want: {
      code: 'AZURE.ALLOCATION.OVERCONSTRAINED_ZONE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1', capacityType: 'on-demand' }],
      ttl: HOUR,
    },
  },
  'region out of room under these constraints': {
    attempt: SPOT,
    want: {
      code: 'AZURE.ALLOCATION.OVERCONSTRAINED',
      then: 'next',
      scopes: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'offering', size: 'Standard_D4s_v5', zone, capacityType: 'spot' })),
      ttl: HOUR,
    },
  },
  'quota of the region': {
    want: {
      code: 'AZURE.QUOTA.REGION',
      then: 'next',
      scopes: [{ kind: 'capacityType', capacityType: 'on-demand', minCpus: 4 }],
      ttl: 3 * MINUTE,
    },
  },
  'size not supported for the subscription': {
    want: { code: 'AZURE.SKU_NOT_AVAILABLE', then: 'next', scopes: [{ kind: 'offering', size: 'Standard_D4s_v5' }], ttl: 23 * HOUR },
  },
  'zone not supported by the size': {
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1' }],
    },
  },
  'requests for this machine used up': { want: { code: 'AZURE.THROTTLED', then: 'end', scopes: [] } },
  throttled: { want: { code: 'AZURE.THROTTLED', then: 'retry', scopes: [] } },
  'subnet full': { want: { code: 'AZURE.SUBNET_FULL', then: 'stop', scopes: [] } },
  'interface reserved': { want: { code: 'AZURE.NIC_RESERVED', then: 'retry', scopes: [] } },
  'machine exists': {
    want: { code: 'AZURE.PROPERTY_CHANGE', then: 'retry', scopes: [] },
  },
  'machine exists (precondition)': {
    failure: { code: '', status: 412, message: 'no', isOutage: false },
    want: { code: 'AZURE.PROPERTY_CHANGE', then: 'retry', scopes: [] },
  },
  'earlier resource still changing': {
    want: { code: 'AZURE.FAILED', then: 'retry', scopes: [] },
  },
  'interface or reference gone': {
    want: { code: 'AZURE.FAILED', then: 'retry', scopes: [] },
  },
  'image not found': { want: { code: 'AZURE.IMAGE_NOT_FOUND', then: 'stop', scopes: [] } },
  'denied by policy': {
    want: {
      code: 'AZURE.POLICY_DENIED',
      then: 'next',
      scopes: [],
      own: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'offering', size: 'Standard_D4s_v5', zone, capacityType: 'on-demand' })),
      ttl: HOUR,
    },
  },
  locked: { want: { code: 'AZURE.LOCKED', then: 'stop', scopes: [] } },
  'subscription disabled': { want: { code: 'AZURE.SUBSCRIPTION', then: 'stop', scopes: [] } },
  'not registered': { want: { code: 'AZURE.SUBSCRIPTION', then: 'stop', scopes: [] } },
  'not registered (feature)': {
    failure: {
      code: 'InvalidParameter',
      status: 400,
      isOutage: false,
      message: "The property is not valid because the 'Microsoft.Compute/EncryptionAtHost' feature is not enabled for this subscription.",
    },
    want: { code: 'AZURE.SUBSCRIPTION', then: 'stop', scopes: [] },
  },
  'limit of the network': { want: { code: 'AZURE.NETWORK_LIMIT', then: 'stop', scopes: [] } },
  'limit of the network (backend pool)': {
    failure: {
      code: 'InvalidRequest',
      status: 400,
      isOutage: false,
      message: 'The backend address pool x exceeds the maximum of 5000 members.',
    },
    want: { code: 'AZURE.NETWORK_LIMIT', then: 'stop', scopes: [] },
  },
  'resource group or parent not found': { want: { code: 'AZURE.NOT_FOUND', then: 'stop', scopes: [] } },
  'request too large': { want: { code: 'AZURE.FAILED', then: 'stop', scopes: [] } },
  'not authorised': { want: { code: 'AZURE.FORBIDDEN', then: 'stop', scopes: [] } },
  'request refused for another reason': {
    want: {
      code: 'AZURE.FAILED',
      then: 'next',
      scopes: [],
      own: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1', capacityType: 'on-demand' }],
      ttl: 10 * MINUTE,
    },
  },
}

describe('a refused launch', () => {
  it.each(Object.entries(ROWS))('%s', (name, { failure, attempt = ON_DEMAND, want }) => {
    const row = name.replace(/ \((spot|regional|precondition|feature|backend pool)\)$/, '')
    const refusal = launchRefusal(failure ?? azureFailure(row), attempt, NOW, 'nodeclaim/x')
    expect(refusal?.problem.message).toContain(`(${row})`)
    const { unavailable = [], own = [] } = refusal ?? {}
    const scopes = { scopes: unavailable.map((entry) => entry.scope), own: own.map((entry) => entry.scope) }
    expect({ code: refusal?.problem.code, then: refusal?.then, ...scopes }).toEqual({
      code: want.code,
      then: want.then,
      scopes: want.scopes,
      own: want.own ?? [],
    })
    if (want.ttl !== undefined) expect(new Set([...unavailable, ...own].map((entry) => entry.until - NOW))).toEqual(new Set([want.ttl]))
  })

  it.each(REFUSAL_TABLE)('blocks what it refused, or asks for another step: $name', (row) => {
    for (const attempt of [ON_DEMAND, SPOT, REGIONAL, { ...ON_DEMAND, family: '' }]) {
      const { unavailable = [], own = [] } = launchRefusal(azureFailure(row.name), attempt, NOW, 'x') ?? {}
      const type = instanceType({ name: attempt.size, cpus: attempt.cpus, family: attempt.family })
      expect([...unavailable, ...own].some((each) => contains(each, type, attempt))).toBe('blocks' in row)
    }
  })

  it.each(BLOCKING)('tells other clusters only what holds for all of the region: $name', ({ code, concerns }) => {
    const isOfRegion = /^AZURE\.(QUOTA|ALLOCATION|SKU_NOT_AVAILABLE)/.test(code)
    expect(concerns).toBe(isOfRegion ? undefined : 'the NodeClass')
  })

  it('has a test row for each row of the table', () => {
    expect(REFUSAL_TABLE.map((row) => row.name).filter((name) => !(name in ROWS))).toEqual([])
  })

  it.each(BUSY_RESOURCE_CODES)('is no throttling if one resource is still changing, whatever the status: %s', (code) => {
    for (const status of [409, 429]) {
      const refusal = launchRefusal({ code, status, message: 'again', isOutage: false }, ON_DEMAND, NOW, 'x')
      expect(refusal).toMatchObject({ then: 'retry', unavailable: [], problem: { code: 'AZURE.FAILED', retryAfterMs: 5000 } })
    }
  })

  it('does not name Azure if Joiner itself waits', () => {
    const message = 'joiner waits 9 s before PUT x'
    const failure = { code: '', status: 429, message, isOutage: false, retryAfterMs: 9000, isLocal: true } as const
    expect(launchRefusal(failure, ON_DEMAND, NOW, 'nodeclaim/x')?.problem).toMatchObject({
      ...{ code: 'AZURE.THROTTLED', message: `nodeclaim/x (throttled): ${message}`, retryAfterMs: 9000, isLocal: true },
    })
  })

  it('says how long Azure asked to wait', () => {
    const refusal = launchRefusal(
      { code: 'TooManyRequests', status: 429, message: '', isOutage: false, retryAfterMs: 7000 },
      ON_DEMAND,
      NOW,
      'x',
    )
    expect(refusal?.problem.retryAfterMs).toBe(7000)
  })

  it('blocks the size alone when its family is not known', () => {
    const refusal = launchRefusal(azureFailure('family quota'), { ...ON_DEMAND, family: '' }, NOW, 'x')
    expect(refusal?.unavailable.map((entry) => entry.scope)).toEqual([
      { kind: 'offering', size: 'Standard_D4s_v5', capacityType: 'on-demand' },
    ])
  })

  it.each([{ code: 'ECONNRESET' }, { code: 'InternalServerError', status: 500 }])(
    'says nothing about the offering when Azure is down: %j',
    (failure) => {
      expect(launchRefusal({ message: '', isOutage: true, ...failure }, ON_DEMAND, NOW, 'x')).toBeUndefined()
    },
  )
})
