import { describe, expect, it } from 'vitest'
import { vmSizeName, zoneName } from '../../../model/ids.ts'
import { epochMs } from '../../../model/units.ts'
import type { ArmFailure } from '../armFailure.ts'
import { type LaunchAttempt, launchRefusal } from './launchRefusal.ts'
import { REFUSAL_TABLE } from './refusalTable.ts'

const NOW = epochMs(1_000_000)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const zones = ['eastus-1', 'eastus-2', '0'].map(zoneName)
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
const quota = (what: string, limit = 10) => ({
  code: 'OperationNotAllowed',
  message: `results in exceeding approved ${what}. Current Limit: ${limit}, Current Usage: 8`,
})

type Row = {
  failure: Pick<ArmFailure, 'code'> & Partial<ArmFailure>
  attempt?: LaunchAttempt
  /** `own`: scopes that are blocked for this claim only. */
  want: { code: string; then: string; scopes: object[]; own?: object[]; ttl?: number }
}

/** One test row for each row of the table, with the name of the row as key. If a row has two variants, the key is extended. */
const ROWS: Record<string, Row> = {
  'spot quota of the region': {
    failure: quota('LowPriorityCores quota'),
    attempt: SPOT,
    want: { code: 'AZURE.QUOTA.SPOT', then: 'next', scopes: [{ kind: 'capacityType', capacityType: 'spot' }], ttl: HOUR },
  },
  'spot not allowed for the subscription': {
    failure: { code: 'AzureSpotFeatureNotEnabledForSubscription' },
    attempt: SPOT,
    want: { code: 'AZURE.SKU_NOT_AVAILABLE', then: 'next', scopes: [{ kind: 'capacityType', capacityType: 'spot' }], ttl: HOUR },
  },
  'size not sold as spot': {
    failure: { code: 'AzureSpotIsNotSupportedForThisVMSize' },
    attempt: SPOT,
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', capacityType: 'spot' }],
      ttl: 23 * HOUR,
    },
  },
  'family quota of zero': {
    failure: quota('standardDSv5Family Cores quota', 0),
    want: {
      code: 'AZURE.QUOTA.FAMILY',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, capacityType: 'on-demand' }],
      ttl: HOUR,
    },
  },
  'family quota': {
    failure: quota('standardDSv5Family Cores quota'),
    want: {
      code: 'AZURE.QUOTA.FAMILY',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, capacityType: 'on-demand' }],
      ttl: 10 * MINUTE,
    },
  },
  'size not available': {
    failure: { code: 'SkuNotAvailable' },
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'offering', size: 'Standard_D4s_v5', zone, capacityType: 'on-demand' })),
      ttl: 23 * HOUR,
    },
  },
  'size not available (spot)': {
    failure: { code: 'SkuNotAvailable' },
    attempt: SPOT,
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'offering', size: 'Standard_D4s_v5', zone, capacityType: 'spot' })),
      ttl: HOUR,
    },
  },
  'size not available (regional)': {
    failure: { code: 'SkuNotAvailable' },
    attempt: REGIONAL,
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'offering', size: 'Standard_D4s_v5', zone: '0', capacityType: 'on-demand' }],
    },
  },
  'zone out of room': {
    failure: { code: 'ZonalAllocationFailed' },
    want: {
      code: 'AZURE.ALLOCATION.ZONE',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, zone: 'eastus-1' }],
      ttl: HOUR,
    },
  },
  'region out of room': {
    failure: { code: 'AllocationFailed' },
    want: {
      code: 'AZURE.ALLOCATION.REGION',
      then: 'next',
      scopes: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'family', family: 'dsv5', minCpus: 4, zone })),
      ttl: HOUR,
    },
  },
  'region out of room (regional)': {
    failure: { code: 'AllocationFailed' },
    attempt: REGIONAL,
    want: { code: 'AZURE.ALLOCATION.REGION', then: 'next', scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, zone: '0' }] },
  },
  'zone out of room under these constraints': {
    failure: { code: 'OverconstrainedZonalAllocationRequest' },
    want: {
      code: 'AZURE.ALLOCATION.OVERCONSTRAINED_ZONE',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, zone: 'eastus-1', capacityType: 'on-demand' }],
      ttl: HOUR,
    },
  },
  'region out of room under these constraints': {
    failure: { code: 'OverconstrainedAllocationRequest' },
    attempt: SPOT,
    want: {
      code: 'AZURE.ALLOCATION.OVERCONSTRAINED',
      then: 'next',
      scopes: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'family', family: 'dsv5', minCpus: 4, zone, capacityType: 'spot' })),
      ttl: HOUR,
    },
  },
  'quota of the region': {
    failure: quota('Total Regional Cores quota'),
    want: { code: 'AZURE.QUOTA.REGION', then: 'next', scopes: [{ kind: 'capacityType', capacityType: 'on-demand' }], ttl: 3 * MINUTE },
  },
  'size not supported for the subscription': {
    failure: { code: 'BadRequest', message: 'size X is not supported for subscription Y' },
    want: { code: 'AZURE.SKU_NOT_AVAILABLE', then: 'next', scopes: [{ kind: 'offering', size: 'Standard_D4s_v5' }], ttl: 23 * HOUR },
  },
  'zone not supported by the size': {
    failure: { code: 'InvalidAvailabilityZone' },
    want: {
      code: 'AZURE.SKU_NOT_AVAILABLE',
      then: 'next',
      scopes: [{ kind: 'family', family: 'dsv5', minCpus: 4, zone: 'eastus-1', capacityType: 'on-demand' }],
    },
  },
  throttled: { failure: { code: 'TooManyRequests', status: 429 }, want: { code: 'AZURE.THROTTLED', then: 'retry', scopes: [] } },
  'subnet full': { failure: { code: 'SubnetIsFull' }, want: { code: 'AZURE.SUBNET_FULL', then: 'stop', scopes: [] } },
  'interface reserved': { failure: { code: 'NicReservedForAnotherVm' }, want: { code: 'AZURE.NIC_RESERVED', then: 'retry', scopes: [] } },
  'machine exists': {
    failure: { code: 'PropertyChangeNotAllowed', status: 409 },
    want: { code: 'AZURE.PROPERTY_CHANGE', then: 'retry', scopes: [] },
  },
  'machine exists (precondition)': {
    failure: { code: '', status: 412 },
    want: { code: 'AZURE.PROPERTY_CHANGE', then: 'retry', scopes: [] },
  },
  'earlier resource still changing': {
    failure: { code: 'AnotherOperationInProgress' },
    want: { code: 'AZURE.FAILED', then: 'retry', scopes: [] },
  },
  'interface or reference gone': {
    failure: { code: 'InvalidResourceReference', status: 400 },
    want: { code: 'AZURE.FAILED', then: 'retry', scopes: [] },
  },
  'image not found': { failure: { code: 'ImageNotFound', status: 404 }, want: { code: 'AZURE.IMAGE_NOT_FOUND', then: 'stop', scopes: [] } },
  'denied by policy': {
    failure: { code: 'RequestDisallowedByPolicy', status: 403 },
    want: { code: 'AZURE.POLICY_DENIED', then: 'next', scopes: [], own: [{ kind: 'offering', size: 'Standard_D4s_v5' }], ttl: HOUR },
  },
  'not authorised': { failure: { code: 'AuthorizationFailed', status: 403 }, want: { code: 'AZURE.FORBIDDEN', then: 'stop', scopes: [] } },
  'request refused for another reason': {
    failure: { code: 'InvalidParameter', status: 400 },
    want: {
      code: 'AZURE.FAILED',
      then: 'next',
      scopes: [],
      own: ['eastus-1', 'eastus-2'].map((zone) => ({ kind: 'offering', size: 'Standard_D4s_v5', zone, capacityType: 'on-demand' })),
      ttl: 3 * MINUTE,
    },
  },
}

describe('a refused launch', () => {
  it.each(Object.entries(ROWS))('%s', (name, { failure, attempt = ON_DEMAND, want }) => {
    const refusal = launchRefusal({ message: 'no', isOutage: false, ...failure }, attempt, NOW, 'nodeclaim/x')
    expect(refusal?.problem.message).toContain(`(${name.replace(/ \((spot|regional|precondition)\)$/, '')})`)
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

  it.each(REFUSAL_TABLE)('tells other clusters only what holds for all of the region: $name', ({ code, blocks, concerns }) => {
    const isOfRegion = /^AZURE\.(QUOTA|ALLOCATION|SKU_NOT_AVAILABLE)/.test(code)
    if (blocks !== 'nothing') expect(concerns).toBe(isOfRegion ? undefined : 'the claim')
  })

  it('has a test row for each row of the table', () => {
    expect(REFUSAL_TABLE.map((row) => row.name).filter((name) => !(name in ROWS))).toEqual([])
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
    const refusal = launchRefusal({ code: 'ZonalAllocationFailed', message: '', isOutage: false }, { ...ON_DEMAND, family: '' }, NOW, 'x')
    expect(refusal?.unavailable.map((entry) => entry.scope)).toEqual([{ kind: 'offering', size: 'Standard_D4s_v5', zone: 'eastus-1' }])
  })

  it.each([{ code: 'ECONNRESET' }, { code: 'InternalServerError', status: 500 }])(
    'says nothing about the offering when Azure is down: %j',
    (failure) => {
      expect(launchRefusal({ message: '', isOutage: true, ...failure }, ON_DEMAND, NOW, 'x')).toBeUndefined()
    },
  )
})
