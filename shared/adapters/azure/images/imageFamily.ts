import type { NodeClassSpec } from '../../../model/nodeClass.ts'

/** The image family after the defaults for a Kubernetes version were applied. */
export type ResolvedFamily = 'Ubuntu2004' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux' | 'AzureLinux3'

export type ImageDefinition = { readonly name: string; readonly arch: 'amd64' | 'arm64'; readonly generation: '1' | '2' }

export function isTrustedLaunch(spec: Pick<NodeClassSpec, 'trustedLaunch'>): boolean {
  return spec.trustedLaunch?.vtpm === true || spec.trustedLaunch?.secureBoot === true
}

export function resolveFamily(
  spec: Pick<NodeClassSpec, 'imageFamily' | 'fipsMode' | 'trustedLaunch'>,
  kubernetesVersion: string,
): ResolvedFamily {
  switch (spec.imageFamily) {
    case 'Ubuntu2204':
    case 'Ubuntu2404':
      return spec.imageFamily
    case 'AzureLinux':
      return isAtLeast(kubernetesVersion, 32) ? 'AzureLinux3' : 'AzureLinux'
    case 'Ubuntu':
      if (isTrustedLaunch(spec)) return 'Ubuntu2204'
      if (spec.fipsMode === 'FIPS') return 'Ubuntu2004'
      return isAtLeast(kubernetesVersion, 34) ? 'Ubuntu2404' : 'Ubuntu2204'
  }
}

/** The image definitions that can be used, best first. FIPS images are only in the shared galleries. */
export function imageDefinitions(
  family: ResolvedFamily,
  spec: Pick<NodeClassSpec, 'fipsMode' | 'trustedLaunch'>,
  gallery: 'community' | 'shared',
): readonly ImageDefinition[] {
  const trusted = isTrustedLaunch(spec)
  if (spec.fipsMode !== 'FIPS') return DEFINITIONS[family][trusted ? 'trusted' : 'plain'] ?? []
  return gallery === 'shared' ? (DEFINITIONS[family][trusted ? 'fipsTrusted' : 'fips'] ?? []) : []
}

/** Reports whether a version such as `1.34.2` has at least this minor version. Only the minor version is compared. */
export function isAtLeast(kubernetesVersion: string, minor: number): boolean {
  return minorOf(kubernetesVersion) >= minor
}

export function minorOf(kubernetesVersion: string): number {
  return Number(kubernetesVersion.split('.')[1] ?? 0)
}

const gen1 = (name: string): ImageDefinition => ({ name, arch: 'amd64', generation: '1' })
const gen2 = (name: string): ImageDefinition => ({ name, arch: 'amd64', generation: '2' })
const arm = (name: string): ImageDefinition => ({ name, arch: 'arm64', generation: '2' })

type Variants = { readonly [Variant in 'plain' | 'trusted' | 'fips' | 'fipsTrusted']?: readonly ImageDefinition[] }

/** The image definitions that AKS publishes. Variants that do not exist are left out. */
const DEFINITIONS: { readonly [Family in ResolvedFamily]: Variants } = {
  Ubuntu2004: { fips: [gen2('2004gen2fipscontainerd'), gen1('2004fipscontainerd')] },
  Ubuntu2204: {
    plain: [gen2('2204gen2containerd'), gen1('2204containerd'), arm('2204gen2arm64containerd')],
    trusted: [gen2('2204gen2TLcontainerd')],
    fipsTrusted: [gen2('2204gen2fipsTLcontainerd')],
  },
  Ubuntu2404: {
    plain: [gen2('2404gen2containerd'), gen1('2404containerd'), arm('2404gen2arm64containerd')],
    trusted: [gen2('2404gen2TLcontainerd')],
  },
  AzureLinux: {
    plain: [gen2('V2gen2'), gen1('V2'), arm('V2gen2arm64')],
    trusted: [gen2('V2gen2TL')],
    fips: [gen2('V2gen2fips'), gen1('V2fips')],
  },
  AzureLinux3: {
    plain: [gen2('V3gen2'), gen1('V3'), arm('V3gen2arm64')],
    trusted: [gen2('V3gen2TL')],
    fips: [gen2('V3gen2fips'), gen1('V3fips'), arm('V3gen2arm64fips')],
  },
}
