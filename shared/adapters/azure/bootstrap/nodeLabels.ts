import { words } from '../../../base/text.ts'
import type { LaunchCandidate } from '../../../model/instance.ts'
import { LABEL, type Labels, LONGEST_BOOT_LABEL_KEY } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { localDnsState, type NodeClass } from '../../../model/nodeClass.ts'
import { type ClusterConfig, isOverlay } from '../../../wire/clusterConfig.ts'
import { AZURE_LABEL, clusterLabelValue } from '../azureLabels.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { isAtLeast, resolveFamily } from '../images/imageFamily.ts'
import { streamsArtifacts } from './artifactStreaming.ts'
import { oneValue } from './oneValue.ts'

/** The labels of the new node, sorted by key, so that the same launch gives the same text. */
export function nodeLabels(
  claim: NodeClaim,
  nodeClass: NodeClass,
  candidate: LaunchCandidate,
  config: ClusterConfig,
): readonly (readonly [key: string, value: string])[] {
  const merged: Record<string, string> = {
    ...baseLabels(nodeClass, config),
    ...(streamsArtifacts(nodeClass, candidate) ? { 'kubernetes.azure.com/artifactstreaming-enabled': 'true' } : {}),
    // This label shows that the node is ours before it has an owner, also for a claim without a NodePool.
    [LABEL.nodeClass]: nodeClass.name,
    ...claim.meta.labels,
    ...singleValued(claim),
    ...candidate.labels,
    ...launchLabels(candidate),
  }
  return Object.entries(merged)
    .filter(([key]) => isAllowed(key))
    .sort(([first], [second]) => (first < second ? -1 : 1))
}

/**
 * The labels that the kubelet gets at boot: those whose keys are not too long. The scripts of the image cut longer keys, domain included. With a cut
 * key, a kubelet registers a wrong label, or exits. `stepRegistration` writes the other labels when the node registers, before it may run pods.
 * (Azure/AgentBaker, validateKubeletNodeLabels of cse_config.sh, since 2026-05-26.)
 */
export function bootLabels(...launch: Parameters<typeof nodeLabels>): ReturnType<typeof nodeLabels> {
  return nodeLabels(...launch).filter(([key]) => key.length <= LONGEST_BOOT_LABEL_KEY)
}

function baseLabels(nodeClass: NodeClass, config: ClusterConfig): Labels {
  const version = kubernetesVersionOf(nodeClass, config)
  return {
    'kubernetes.azure.com/role': 'agent',
    [AZURE_LABEL.cluster]: clusterLabelValue(config.nodeResourceGroup),
    [LABEL.kubeletIdentity]: config.kubeletIdentityClientId,
    [AZURE_LABEL.mode]: 'user',
    [AZURE_LABEL.osSku]: nodeClass.spec.imageFamily === 'AzureLinux' ? 'AzureLinux' : 'Ubuntu',
    'kubernetes.azure.com/os-sku-requested': nodeClass.spec.imageFamily,
    'kubernetes.azure.com/os-sku-effective': effectiveOsSku(nodeClass, version),
    [LABEL.doNotSyncTaints]: 'true',
    'kubernetes.azure.com/localdns-state': localDnsState(nodeClass).toLowerCase(),
    ...(nodeClass.spec.fipsMode === 'FIPS' ? { [AZURE_LABEL.fips]: 'true' } : {}),
    ...(isOverlay(config) ? overlayLabels(nodeClass, version, config) : {}),
    // The Cilium agent runs only on nodes with this label. (Azure/karpenter-provider-azure, pkg/providers/labels, 2026-08-21.)
    ...(config.networkDataplane === 'cilium' ? { 'kubernetes.azure.com/ebpf-dataplane': 'cilium' } : {}),
  }
}

function overlayLabels(nodeClass: NodeClass, version: string, config: ClusterConfig): Labels {
  const subnet = (nodeClass.spec.vnetSubnetId ?? config.vnetSubnetId).split('/').at(-1) ?? ''
  return {
    'kubernetes.azure.com/network-subnet': subnet,
    'kubernetes.azure.com/azure-cni-overlay': 'true',
    'kubernetes.azure.com/podnetwork-type': 'overlay',
    'kubernetes.azure.com/network-stateless-cni': String(isAtLeast(version, 34)),
    ...(config.vnetGuid === undefined ? {} : { 'kubernetes.azure.com/nodenetwork-vnetguid': config.vnetGuid }),
  }
}

/** The labels of the capacity type. Both priority labels are right from the start. In upstream they are `regular` until registration. */
function launchLabels(candidate: LaunchCandidate): Labels {
  const { capacityType } = candidate.choice
  const priority = capacityType === 'spot' ? 'spot' : 'regular'
  return { [LABEL.capacityType]: capacityType, [AZURE_LABEL.scaleSetPriority]: priority, [AZURE_LABEL.priority]: priority }
}

function effectiveOsSku(nodeClass: NodeClass, version: string): string {
  const family = resolveFamily(nodeClass.spec, version)
  return family === 'Ubuntu2004' ? 'Ubuntu' : family
}

function singleValued(claim: NodeClaim): Labels {
  return Object.fromEntries(claim.spec.requirements.flatMap((requirement) => oneValue(requirement)))
}

const OWN_KUBELET_LABELS: ReadonlySet<string> = new Set([
  LABEL.hostname,
  LABEL.arch,
  LABEL.os,
  LABEL.instanceType,
  LABEL.zone,
  LABEL.region,
  ...words('beta.kubernetes.io/arch beta.kubernetes.io/os beta.kubernetes.io/instance-type'),
  ...words('failure-domain.beta.kubernetes.io/zone failure-domain.beta.kubernetes.io/region'),
])
const PROTECTED = /(^|\.)(kubernetes\.io|k8s\.io)$/
const KUBELET_NAMESPACES = /(^|\.)(kubelet|node)\.kubernetes\.io$/

/** Reports whether the NodeRestriction admission plugin lets a kubelet set the label on its own node. */
function isAllowed(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  return OWN_KUBELET_LABELS.has(key) || !PROTECTED.test(domain) || KUBELET_NAMESPACES.test(domain)
}
