import { describe, expect, it } from 'vitest'
import { NEWEST_MINOR, OLDEST_MINOR } from '../../../model/clusterFacts.ts'
import type { NodeClassSpec } from '../../../model/nodeClass.ts'
import { imageDefinitions, resolveFamily } from './imageFamily.ts'

const FAMILIES = ['Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'] as const
const VARIANTS = ['plain', 'trusted', 'FIPS', 'FIPS trusted'] as const

function specOf(imageFamily: NodeClassSpec['imageFamily'], variant: (typeof VARIANTS)[number]) {
  return {
    imageFamily,
    ...(variant.startsWith('FIPS') ? { fipsMode: 'FIPS' as const } : {}),
    ...(variant.endsWith('trusted') ? { trustedLaunch: { vtpm: true } } : {}),
  }
}

const minors = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, index) => OLDEST_MINOR + index)

/** The definitions of a combination, by first and last minor version that has them. */
function imagesOf(
  imageFamily: NodeClassSpec['imageFamily'],
  variant: (typeof VARIANTS)[number],
  gallery: 'community' | 'shared',
): readonly string[] {
  const spec = specOf(imageFamily, variant)
  const byMinor = minors.map((minor) => {
    const definitions = imageDefinitions(resolveFamily(spec, `1.${minor}.0`), spec, gallery)
    return [minor, definitions.map(({ name, arch, generation }) => `${name} ${arch}/${generation}`).join(', ')] as const
  })
  return [...Map.groupBy(byMinor, ([, images]) => images)].map(([images, rows]) => `1.${rows[0]?.[0]} to 1.${rows.at(-1)?.[0]}: ${images}`)
}

const NONE = '1.30 to 1.36: '
const U2204 = '2204gen2containerd amd64/2, 2204containerd amd64/1, 2204gen2arm64containerd arm64/2'
const U2404 = '2404gen2containerd amd64/2, 2404containerd amd64/1, 2404gen2arm64containerd arm64/2'
const U2204_FIPS = '2204gen2fipscontainerd amd64/2, 2204fipscontainerd amd64/1'
const U2204_FIPS_TRUSTED = '1.30 to 1.36: 2204gen2fipsTLcontainerd amd64/2'

type Table = { readonly [Family in (typeof FAMILIES)[number]]: { readonly [Variant in (typeof VARIANTS)[number]]: readonly string[] } }

/** Images of the shared galleries. The community galleries have those without FIPS. */
const IMAGES: Table = {
  Ubuntu: {
    plain: [`1.30 to 1.33: ${U2204}`, `1.34 to 1.36: ${U2404}`],
    trusted: ['1.30 to 1.36: 2204gen2TLcontainerd amd64/2'],
    FIPS: ['1.30 to 1.34: 2004gen2fipscontainerd amd64/2, 2004fipscontainerd amd64/1', `1.35 to 1.36: ${U2204_FIPS}`],
    'FIPS trusted': [U2204_FIPS_TRUSTED],
  },
  Ubuntu2204: {
    plain: [`1.30 to 1.36: ${U2204}`],
    trusted: ['1.30 to 1.36: 2204gen2TLcontainerd amd64/2'],
    FIPS: [`1.30 to 1.36: ${U2204_FIPS}`],
    'FIPS trusted': [U2204_FIPS_TRUSTED],
  },
  Ubuntu2404: {
    plain: [`1.30 to 1.36: ${U2404}`],
    trusted: ['1.30 to 1.36: 2404gen2TLcontainerd amd64/2'],
    FIPS: [NONE],
    'FIPS trusted': [NONE],
  },
  AzureLinux: {
    plain: ['1.30 to 1.36: V3gen2 amd64/2, V3 amd64/1, V3gen2arm64 arm64/2'],
    trusted: ['1.30 to 1.36: V3gen2TL amd64/2'],
    FIPS: ['1.30 to 1.36: V3gen2fips amd64/2, V3fips amd64/1, V3gen2arm64fips arm64/2'],
    'FIPS trusted': [NONE],
  },
}

const combinations = FAMILIES.flatMap((family) => VARIANTS.map((variant) => [family, variant] as const))

describe('the images of a class', () => {
  it.each(combinations)('of %s, %s, for each version of Kubernetes, architecture and generation', (family, variant) => {
    expect(imagesOf(family, variant, 'shared')).toEqual(IMAGES[family][variant])
    expect(imagesOf(family, variant, 'community')).toEqual(variant.startsWith('FIPS') ? [NONE] : IMAGES[family][variant])
  })

  it.each(combinations)('of %s, %s, are none that AKS has removed or does not support with the version', (family, variant) => {
    const named = imagesOf(family, variant, 'shared').join()
    expect(named).not.toMatch(/\bV2/)
    for (const line of imagesOf(family, variant, 'shared')) expect(line).not.toMatch(/1\.(3[5-9]): .*2004/)
  })
})
