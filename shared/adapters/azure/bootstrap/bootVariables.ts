import { ownValue } from '../../../base/values.ts'
import { cloudOf } from '../../../model/cloud.ts'
import type { LaunchCandidate } from '../../../model/instance.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { type DriverPin, driverPin } from '../images/driverPins.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { isAtLeast } from '../images/imageFamily.ts'
import { parseSubnetId } from '../machines/subnetId.ts'
import { archOf } from '../sizes/archOf.ts'
import { driverNeed, gpuSize, needsFabricManager } from '../sizes/gpuSizes.ts'
import { streamsArtifacts } from './artifactStreaming.ts'
import { containerdConfig } from './containerdConfig.ts'
import { fixedVariables } from './fixedVariables.ts'
import { kubeletFlags, pauseImage } from './kubeletFlags.ts'
import { localDnsVariables } from './localDns.ts'
import { bootLabels } from './nodeLabels.ts'
import { outboundVariables } from './outboundVariables.ts'
import { systemVariables } from './systemSettings.ts'

export type BootInput = {
  readonly claim: NodeClaim
  readonly nodeClass: NodeClass
  readonly candidate: LaunchCandidate
  readonly config: ClusterConfig
  /** The image of the machine, with its version. */
  readonly imageId: string
  /** The bootstrap token of this machine, as `id.secret`. No other machine has it. */
  readonly bootstrapToken: string
}

/** The variables for the provisioning scripts of the node image, sorted by name. */
export function bootVariables(input: BootInput): readonly (readonly [name: string, value: string])[] {
  const variables: Record<string, string> = {
    ...fixedVariables(cloudOf(input.config.location)),
    ...clusterVariables(input),
    ...outboundVariables(input.config),
    ...downloadVariables(input),
    ...gpuVariables(input),
    ...systemVariables(input.nodeClass.spec.linuxOsConfig),
    ARTIFACT_STREAMING_ENABLED: String(streamsArtifacts(input.nodeClass, input.candidate)),
    ...localDnsVariables(input.nodeClass, input.config),
    ...kubeletVariables(input),
  }
  return Object.entries(variables).sort(([first], [second]) => (first < second ? -1 : 1))
}

/** The address of the API server as `host`, or as `host:port` if the port is not the default of the scheme. */
export function apiServerName(apiServer: string): string {
  return new URL(apiServer).host
}

function clusterVariables({ nodeClass, config }: BootInput): Record<string, string> {
  const subnet = parseSubnetId(nodeClass.spec.vnetSubnetId ?? config.vnetSubnetId)
  const isBare = config.networkPlugin === 'none' || config.networkPluginMode === 'overlay' || config.networkDataplane === 'cilium'
  return {
    ADMINUSER: config.adminUsername,
    API_SERVER_NAME: apiServerName(config.apiServer),
    KUBE_CA_CRT: config.caBundle,
    TENANT_ID: config.tenantId ?? '',
    SUBSCRIPTION_ID: config.subscriptionId,
    LOCATION: config.location,
    RESOURCE_GROUP: config.nodeResourceGroup,
    SUBNET: subnet.subnet,
    VIRTUAL_NETWORK: subnet.network,
    VIRTUAL_NETWORK_RESOURCE_GROUP: subnet.group,
    NETWORK_SECURITY_GROUP: config.networkSecurityGroup ?? '',
    ROUTE_TABLE: config.routeTable ?? '',
    NETWORK_PLUGIN: isBare ? 'none' : config.networkPlugin,
    NETWORK_POLICY: config.networkPolicy,
    USER_ASSIGNED_IDENTITY_ID: config.kubeletIdentityClientId,
  }
}

function downloadVariables({ nodeClass, candidate, config }: BootInput): Record<string, string> {
  const version = kubernetesVersionOf(nodeClass, config)
  const arch = archOf(candidate.instanceType)
  const provider = credentialProviderVersion(version)
  const { binaryMirror: mirror } = cloudOf(config.location).facts
  return {
    KUBERNETES_VERSION: version,
    KUBE_BINARY_URL: isAtLeast(version, 34) ? '' : `${mirror}/kubernetes/v${version}/binaries/kubernetes-node-linux-${arch}.tar.gz`,
    CREDENTIAL_PROVIDER_DOWNLOAD_URL:
      provider === undefined
        ? ''
        : `${mirror}/cloud-provider-azure/v${provider}/binaries/azure-acr-credential-provider-linux-${arch}-v${provider}.tar.gz`,
    VNET_CNI_PLUGINS_URL: `${mirror}/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-${arch}-v1.4.32.tgz`,
    CNI_PLUGINS_URL: `${mirror}/cni-plugins/v1.1.1/binaries/cni-plugins-linux-${arch}-v1.1.1.tgz`,
  }
}

function credentialProviderVersion(version: string): string | undefined {
  if (!isAtLeast(version, 30)) return undefined
  const byMinor: Readonly<Record<string, string>> = { '30': '1.30.12', '31': '1.31.6', '32': '1.32.5' }
  return ownValue(byMinor, version.split('.')[1] ?? '') ?? '1.33.0'
}

function gpuVariables(input: BootInput): Record<string, string> {
  const driver = driverOf(input)
  if (driver === undefined) {
    return {
      GPU_NODE: 'false',
      CONFIG_GPU_DRIVER_IF_NEEDED: 'false',
      GPU_NEEDS_FABRIC_MANAGER: 'false',
      GPU_DRIVER_VERSION: '',
      GPU_DRIVER_TYPE: '',
      GPU_IMAGE_SHA: '',
    }
  }
  return {
    GPU_NODE: 'true',
    CONFIG_GPU_DRIVER_IF_NEEDED: 'true',
    GPU_NEEDS_FABRIC_MANAGER: String(needsFabricManager(input.candidate.choice.size)),
    GPU_DRIVER_VERSION: driver.version,
    GPU_DRIVER_TYPE: driver.kind,
    GPU_IMAGE_SHA: driver.imageSuffix,
  }
}

function kubeletVariables(input: BootInput): Record<string, string> {
  const { claim, nodeClass, candidate, config, bootstrapToken } = input
  const labels = bootLabels(claim, nodeClass, candidate, config)
  return {
    TLS_BOOTSTRAP_TOKEN: bootstrapToken,
    KUBELET_FLAGS: kubeletFlags(claim, nodeClass, candidate.instanceType, config)
      .map(([flag, value]) => `${flag}=${value}`)
      .join(' '),
    KUBELET_NODE_LABELS: labels.map(([key, value]) => `${key}=${value}`).join(','),
    CONTAINERD_CONFIG_CONTENT: base64(
      containerdConfig({
        hasGpuDriver: installsDriver(nodeClass, candidate),
        streamsArtifacts: streamsArtifacts(input.nodeClass, input.candidate),
        pauseImage: pauseImage(config),
      }),
    ),
  }
}

/** The driver container of the machine. Undefined if it installs no driver. */
function driverOf({ nodeClass, candidate, imageId }: BootInput): DriverPin | undefined {
  return installsDriver(nodeClass, candidate) ? driverPin(driverNeed(candidate.choice.size), imageId) : undefined
}

export function installsDriver(nodeClass: NodeClass, candidate: LaunchCandidate): boolean {
  const hasGpu = (candidate.instanceType.capacity['nvidia.com/gpu'] ?? 0) > 0
  return hasGpu && nodeClass.spec.gpuMode === 'Driver' && gpuSize(candidate.choice.size)?.vendor === 'nvidia'
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
