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

describe('ZO-10: the zone of a machine', () => {
  it.each<[what: string, zones: string[] | undefined, want: string]>([
    ['is that of Azure in the region of the cluster', ['1'], 'eastus-1'],
    ['is none without a list', undefined, '0'],
    ['is none with an empty list', [], '0'],
    ['is the first of several: one such machine must not stop the list of the others', ['2', '3'], 'eastus-2'],
  ])('%s', (_what, zones, want) => {
    const vm = { name: 'joiner-a', ...(zones === undefined ? {} : { zones }) }
    expect(instanceOf({ ...vm, location: '' }, config, { kind: 'running' })?.zone).toBe(want)
  })
})
