import { describe, expect, it } from 'vitest'
import { clusterConfig } from '../../../../test/azure/harness.ts'
import { instanceOf } from './instanceOf.ts'

const GUID = '00000000-0000-4000-8000-00000000a001'
const SUBNET = `/subscriptions/${GUID}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n`
const config = clusterConfig({ subscriptionId: GUID, tenantId: GUID, location: 'eastus', resourceGroups: ['g'], subnetId: SUBNET })

const TAGGED = { 'joiner.dev_claim-created': '1700000000000' }

describe('the age of a machine', () => {
  it.each([
    ['is what Azure says', { timeCreated: new Date(1_800_000_000_000), tags: TAGGED }, 1_800_000_000_000],
    ['is that of its claim if Azure does not say', { tags: TAGGED }, 1_700_000_000_000],
    ['is not known without both', {}, undefined],
    ['is not known with a tag that is no time', { tags: { 'joiner.dev_claim-created': 'x' } }, undefined],
  ])('%s', (_what, vm, age) => {
    expect(instanceOf({ name: 'joiner-a', location: 'eastus', ...vm }, config, { kind: 'running' })?.createdAt).toBe(age)
  })
})
