import { describe, expect, it } from 'vitest'
import { freeAddresses } from './freeAddresses.ts'

const used = (count: number) => ({ ipConfigurations: Array.from({ length: count }, () => ({})) })

describe('the free addresses of a subnet', () => {
  it.each([
    ['of one range', { addressPrefix: '10.0.0.0/24', ...used(10) }, 241],
    ['of several ranges, where Azure gives a list', { addressPrefix: '10.0.0.0/24', addressPrefixes: ['10.0.0.0/24', '10.1.0.0/29'] }, 254],
    ['of both families: those of IPv4', { addressPrefixes: ['10.0.0.0/29', 'fd00::/64'], ...used(1) }, 2],
    ['that is full', { addressPrefix: '10.0.0.0/29', ...used(3) }, 0],
    ['whose range is smaller than what Azure keeps', { addressPrefix: '10.0.0.0/31' }, 0],
    ['are not known without a range', used(1), undefined],
    ['are not known of a range that is none', { addressPrefix: '10.0.0.0' }, undefined],
    ['never run out with IPv6 alone', { addressPrefix: 'fd00::/64' }, undefined],
  ])('%s', (_what, subnet, free) => expect(freeAddresses(subnet)).toBe(free))
})
