import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseSizeName, versionLabel } from './sizeName.ts'

const FAMILIES = '../shared/data/vm-size-families.json'

describe('a size name', () => {
  const cases = {
    'general purpose with premium storage': {
      size: 'D4s_v3',
      want: { family: 'D', subfamily: '', cpus: 4, features: 's', version: 'v3', series: 'Ds_v3' },
    },
    'constrained CPUs': { size: 'E8-4ds_v5', want: { family: 'E', cpus: 8, constrainedCpus: 4, features: 'ds', series: 'Eds_v5' } },
    'an accelerator in the name': {
      size: 'NC16as_T4_v3',
      want: { family: 'N', subfamily: 'C', cpus: 16, accelerator: 'T4', series: 'NCas_v3' },
    },
    'the accelerator is no part of the series': { size: 'NC24ads_A100_v4', want: { accelerator: 'A100', series: 'NCads_v4' } },
    'an accelerator only the series names': { size: 'NC6s_v3', want: { accelerator: 'V100', series: 'NCs_v3' } },
    'no version': { size: 'B20ms', want: { family: 'B', cpus: 20, features: 'ms', series: 'Bms' } },
    'constrained without a version': { size: 'M8-2ms', want: { family: 'M', cpus: 8, constrainedCpus: 2 } },
    'three feature letters': { size: 'D16plds_v5', want: { features: 'plds', series: 'Dplds_v5' } },
    'a disambiguating number': { size: 'M416s_8_v2', want: { cpus: 416, series: 'Ms_v2' } },
    'an accelerator with a prefix': { size: 'NC24lds_xl_RTXPRO6000BSE_v6', want: { accelerator: 'RTXPRO6000BSE', series: 'NClds_v6' } },
    'a network marker': { size: 'ND128isr_NDR_GB200_v6', want: { subfamily: 'D', accelerator: 'GB200', series: 'NDisr_v6' } },
    'a confidential child': { size: 'DC16ads_cc_v5', want: { isConfidentialChild: true, series: 'DCads_v5' } },
    'a promotion': { size: 'DS2_v2_Promo', want: { isPromo: true, family: 'D', subfamily: 'S', version: 'v2' } },
  }
  it.each(Object.entries(cases))('with %s', (_sentence, { size, want }) => {
    expect(parseSizeName(size)).toMatchObject(want)
  })

  it.each(['', 'Standard_D2s_v3', 'd4s_v3', 'D', 'D4s_v3_extra!'])('%j is none', (text) => {
    expect(parseSizeName(text)).toBeUndefined()
  })

  it('has version 1 when it names none', () => {
    const names = ['B20ms', 'D4s_v3', 'D2as_v6'].map((size) => parseSizeName(size))
    expect(names.map((name) => name && versionLabel(name))).toEqual(['1', '3', '6'])
  })

  it.skipIf(!existsSync(FAMILIES))(`reads all 1502 published names (skipped without ${FAMILIES})`, () => {
    const published: unknown = JSON.parse(readFileSync(FAMILIES, 'utf8'))
    const names = Object.keys(published as Record<string, string>)
    const refused = names.filter((name) => parseSizeName(name.replace(/^(Standard|Basic)_/, '')) === undefined)
    expect({ count: names.length, refused }).toEqual({ count: 1502, refused: [] })
  })
})
