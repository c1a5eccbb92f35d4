import type { NodeClassSpec } from '../../../model/nodeClass.ts'

/** The family after defaults are worked out for a Kubernetes version. */
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

/** Definitions that serve, best first. FIPS images are in the shared galleries only. */
export function imageDefinitions(
  family: ResolvedFamily,
  spec: Pick<NodeClassSpec, 'fipsMode' | 'trustedLaunch'>,
  gallery: 'community' | 'shared',
): readonly ImageDefinition[] {
  const isFips = spec.fipsMode === 'FIPS'
  if (isFips && gallery !== 'shared') return []
  const trusted = isTrustedLaunch(spec)
  switch (family) {
    case 'Ubuntu2004':
      return isFips && !trusted ? [gen2('2004gen2fipscontainerd'), gen1('2004fipscontainerd')] : []
    case 'Ubuntu2204':
      if (isFips) return trusted ? [gen2('2204gen2fipsTLcontainerd')] : []
      return ubuntu('22', trusted)
    case 'Ubuntu2404':
      return isFips ? [] : ubuntu('24', trusted)
    case 'AzureLinux':
      if (isFips) return trusted ? [] : [gen2('V2gen2fips'), gen1('V2fips')]
      return azureLinux('V2', trusted)
    case 'AzureLinux3':
      if (isFips) return trusted ? [] : [gen2('V3gen2fips'), gen1('V3fips'), arm('V3gen2arm64fips')]
      return azureLinux('V3', trusted)
  }
}

/** `1.34.2` is at least 1.34: only the minor is compared. */
export function isAtLeast(kubernetesVersion: string, minor: number): boolean {
  return Number(kubernetesVersion.split('.')[1] ?? 0) >= minor
}

function ubuntu(release: string, trusted: boolean): ImageDefinition[] {
  if (trusted) return [gen2(`${release}04gen2TLcontainerd`)]
  return [gen2(`${release}04gen2containerd`), gen1(`${release}04containerd`), arm(`${release}04gen2arm64containerd`)]
}

function azureLinux(version: string, trusted: boolean): ImageDefinition[] {
  return trusted ? [gen2(`${version}gen2TL`)] : [gen2(`${version}gen2`), gen1(version), arm(`${version}gen2arm64`)]
}

const gen1 = (name: string): ImageDefinition => ({ name, arch: 'amd64', generation: '1' })
const gen2 = (name: string): ImageDefinition => ({ name, arch: 'amd64', generation: '2' })
const arm = (name: string): ImageDefinition => ({ name, arch: 'arm64', generation: '2' })
