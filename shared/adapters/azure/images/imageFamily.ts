import { InternalError } from '../../../base/result.ts'
import type { NodeClassSpec } from '../../../model/nodeClass.ts'

/** The image family after the defaults for a Kubernetes version were applied. */
export type ResolvedFamily = 'Ubuntu2004' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux3'

export type ImageDefinition = { readonly name: string; readonly arch: 'amd64' | 'arm64'; readonly generation: '1' | '2' }

export function isTrustedLaunch(spec: Pick<NodeClassSpec, 'trustedLaunch'>): boolean {
  return spec.trustedLaunch?.vtpm === true || spec.trustedLaunch?.secureBoot === true
}

type ImageWish = Pick<NodeClassSpec, 'imageFamily' | 'fipsMode' | 'trustedLaunch'>

/** Which family a class gets, from a minor version of Kubernetes on. The first row that fits decides. */
type FamilyRow = {
  readonly imageFamily: NodeClassSpec['imageFamily']
  /** Undefined: with and without. */
  readonly trusted?: boolean
  readonly fips?: boolean
  readonly fromMinor: number
  readonly resolved: ResolvedFamily
}

/**
 * Sources, read on 2026-11-29:
 *
 * - Ubuntu with trusted launch, and 24.04 from 1.34 on: Azure/karpenter-provider-azure, pkg/providers/imagefamily.
 * - Ubuntu with FIPS: 22.04 from 1.35 on, 20.04 before, as AKS has it: Azure/karpenter-provider-azure pull request 1843; Azure/AgentBaker pull request
 *   8828 (20.04 does not support 1.35).
 * - Azure Linux 2 is not among the rows: AKS removed its images on 2026-10-31, and Azure Linux 3 replaces it on older versions, too: Azure/AKS issue
 *   4988, and "Configure AKSNodeClass resources" of learn.microsoft.com.
 */
const FAMILY_ROWS: readonly FamilyRow[] = [
  { imageFamily: 'Ubuntu2204', fromMinor: 0, resolved: 'Ubuntu2204' },
  { imageFamily: 'Ubuntu2404', fromMinor: 0, resolved: 'Ubuntu2404' },
  { imageFamily: 'AzureLinux', fromMinor: 0, resolved: 'AzureLinux3' },
  { imageFamily: 'Ubuntu', trusted: true, fromMinor: 0, resolved: 'Ubuntu2204' },
  { imageFamily: 'Ubuntu', fips: true, fromMinor: 35, resolved: 'Ubuntu2204' },
  { imageFamily: 'Ubuntu', fips: true, fromMinor: 0, resolved: 'Ubuntu2004' },
  { imageFamily: 'Ubuntu', fromMinor: 34, resolved: 'Ubuntu2404' },
  { imageFamily: 'Ubuntu', fromMinor: 0, resolved: 'Ubuntu2204' },
]

export function resolveFamily(spec: ImageWish, kubernetesVersion: string): ResolvedFamily {
  const [trusted, fips] = [isTrustedLaunch(spec), spec.fipsMode === 'FIPS']
  const row = FAMILY_ROWS.find(
    (each) =>
      each.imageFamily === spec.imageFamily &&
      (each.trusted ?? trusted) === trusted &&
      (each.fips ?? fips) === fips &&
      isAtLeast(kubernetesVersion, each.fromMinor),
  )
  if (row === undefined) throw new InternalError(`no row for image family ${spec.imageFamily}`)
  return row.resolved
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

/** The minor version of a version such as `1.34.2`. 0 if the text is not a version: the boot script refuses the text by its name. */
export function minorOf(kubernetesVersion: string): number {
  const minor = Number(kubernetesVersion.split('.')[1] ?? 0)
  return Number.isInteger(minor) ? minor : 0
}

const gen1 = (name: string): ImageDefinition => ({ name, arch: 'amd64', generation: '1' })
const gen2 = (name: string): ImageDefinition => ({ name, arch: 'amd64', generation: '2' })
const arm = (name: string): ImageDefinition => ({ name, arch: 'arm64', generation: '2' })

type Variants = { readonly [Variant in 'plain' | 'trusted' | 'fips' | 'fipsTrusted']?: readonly ImageDefinition[] }

/**
 * The image definitions that AKS publishes. Variants that do not exist are left out. Source: Azure/AgentBaker, pkg/agent/datamodel/sig_config.go, read
 * on 2026-11-29.
 */
const DEFINITIONS: { readonly [Family in ResolvedFamily]: Variants } = {
  Ubuntu2004: { fips: [gen2('2004gen2fipscontainerd'), gen1('2004fipscontainerd')] },
  Ubuntu2204: {
    plain: [gen2('2204gen2containerd'), gen1('2204containerd'), arm('2204gen2arm64containerd')],
    trusted: [gen2('2204gen2TLcontainerd')],
    fips: [gen2('2204gen2fipscontainerd'), gen1('2204fipscontainerd')],
    fipsTrusted: [gen2('2204gen2fipsTLcontainerd')],
  },
  Ubuntu2404: {
    plain: [gen2('2404gen2containerd'), gen1('2404containerd'), arm('2404gen2arm64containerd')],
    trusted: [gen2('2404gen2TLcontainerd')],
  },
  AzureLinux3: {
    plain: [gen2('V3gen2'), gen1('V3'), arm('V3gen2arm64')],
    trusted: [gen2('V3gen2TL')],
    fips: [gen2('V3gen2fips'), gen1('V3fips'), arm('V3gen2arm64fips')],
  },
}
