import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { words } from '../../../base/text.ts'
import { parseResourceSku, type SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { LEFT_OUT, type LeftOut, leftOutBy, usableSize } from './size.ts'

/** Sizes for each rule that leaves out sizes of a region. */
const LEFT_OUT_SIZES: { readonly [Rule in LeftOut]: readonly SizeRecord[] } = {
  restricted: [sku({ isRestricted: true }), sku({ name: 'Standard_DC8s_v3', isRestricted: true })],
  aks: [sku({ name: 'Standard_B1ms', capabilities: { vCPUs: '2', MemoryGB: '8' } }), sku({ name: 'Standard_E64is_v3' })],
  confidential: [sku({ name: 'Standard_DC8s_v3' })],
  constrained: [sku({ name: 'Standard_E8-4ds_v5' })],
  name: [sku({ name: 'Standard_quantum1' })],
  small: [
    sku({ capabilities: { vCPUs: '1' } }),
    sku({ capabilities: { vCPUs: 'many' } }),
    sku({ capabilities: { MemoryGB: '3.4' } }),
    sku({ capabilities: { MemoryGB: '' } }),
  ],
  gpu: [sku({ name: 'Standard_NV4as_v4', capabilities: { GPUs: '1' } })],
}

describe('a size nobody can use', () => {
  const cases = Object.entries(LEFT_OUT_SIZES).flatMap(([rule, records]) => records.map((record) => [rule, record.name, record] as const))
  it.each(cases)('is left out by the rule %s: %s', (rule, _name, record) => {
    expect([leftOutBy(record), usableSize(record)]).toEqual([rule, undefined])
  })

  it('is named by each rule that there is', () => {
    expect(Object.keys(LEFT_OUT_SIZES).sort()).toEqual(Object.keys(LEFT_OUT).sort())
    expect(leftOutBy(sku({}))).toBeUndefined()
  })

  it('is not one at the limits', () => {
    expect(usableSize(sku({ capabilities: { vCPUs: '2', MemoryGB: '3.5' } }))).toMatchObject({
      cpus: 2,
      memoryGib: 3.5,
      arch: 'amd64',
      generations: ['1', '2'],
    })
  })
})

describe('the published sizes of a region', () => {
  const read = (region: string) =>
    (JSON.parse(readFileSync(`../shared/data/resource-skus.${region}.json`, 'utf8')) as unknown[]).map((record) =>
      parseResourceSku(record, region),
    )
  const usable = (region: string) =>
    read(region)
      .flatMap((record) => (record === undefined ? [] : [usableSize(record)]))
      .flatMap((size) => (size === undefined ? [] : [size.record.size]))
      .sort()
  const missing = !existsSync('../shared/data/resource-skus.southcentralus.json')

  it.skipIf(missing)('lose A0, B1s, DC8s_v3 and M8-2ms (skipped without ../shared/data)', () => {
    expect(usable('southcentralus')).toEqual(
      words(
        'B20ms D128ds_v6 D16plds_v5 D2_v2 D2_v3 D2_v5 D2as_v6 D2s_v3 D4s_v3 D64s_v3 DS2_v2 E4d_v5',
        'F16s_v2 NC16as_T4_v3 NC24ads_A100_v4 NC6s_v3',
      ),
    )
  })

  it.skipIf(missing)('have no zones in a region without any (skipped without ../shared/data)', () => {
    expect(read('westcentralus').flatMap((record) => record?.zones ?? [])).toEqual([])
  })
})
