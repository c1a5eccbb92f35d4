import { cloudOf } from '../../../model/cloud.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import { TAINT_KEY } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { type KubeletSettings, localDnsState, type NodeClass } from '../../../model/nodeClass.ts'
import { formatTaint, type Taint } from '../../../model/taint.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { isAtLeast, minorOf } from '../images/imageFamily.ts'
import { evictionMemoryMib } from '../sizes/capacity.ts'
import { CLUSTER_LISTENER } from './corefile.ts'
import { needsQuotaPeriodGate } from './quotaPeriod.ts'

const MIB = 1024 ** 2

const CIPHERS = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
]

/** The command line flags of the kubelet, sorted by name. `bootProblem` checks their values. */
export function kubeletFlags(
  claim: NodeClaim,
  nodeClass: NodeClass,
  instanceType: InstanceType,
  config: ClusterConfig,
): readonly (readonly [flag: string, value: string])[] {
  const version = kubernetesVersionOf(nodeClass, config)
  const flags: Record<string, string> = {
    ...fixedFlags(config, version),
    ...(localDnsState(nodeClass) === 'Enabled' ? { '--cluster-dns': CLUSTER_LISTENER } : {}),
    ...versionFlags(version, config),
    ...gateFlags(version, nodeClass.spec.kubelet),
    ...sizeFlags(instanceType, version),
    ...classFlags(nodeClass.spec.kubelet),
    '--register-with-taints': bootTaints(claim).map(formatTaint).join(','),
  }
  return Object.entries(flags).sort(([first], [second]) => (first < second ? -1 : 1))
}

/** The image of the container that holds the namespaces of a pod. */
export function pauseImage({ location }: Pick<ClusterConfig, 'location'>): string {
  return `${cloudOf(location).facts.imageRegistry}/oss/kubernetes/pause:3.6`
}

/** All taints of the claim, with the unregistered taint. That taint keeps pods away until the labels of the claim are on the node. */
export function bootTaints(claim: NodeClaim): readonly Taint[] {
  const taints = [...claim.spec.taints, ...claim.spec.startupTaints]
  const hasUnregistered = taints.some((taint) => taint.key === TAINT_KEY.unregistered)
  return hasUnregistered ? taints : [...taints, { key: TAINT_KEY.unregistered, effect: 'NoExecute' }]
}

function fixedFlags(config: ClusterConfig, version: string): Record<string, string> {
  return {
    '--address': '0.0.0.0',
    '--anonymous-auth': 'false',
    '--authentication-token-webhook': 'true',
    '--authorization-mode': 'Webhook',
    '--cgroups-per-qos': 'true',
    '--client-ca-file': '/etc/kubernetes/certs/ca.crt',
    '--cloud-provider': 'external',
    '--cluster-dns': config.dnsServiceIp,
    '--cluster-domain': 'cluster.local',
    '--enforce-node-allocatable': 'pods',
    '--event-qps': '0',
    // Upstream sets only the memory threshold, which removes the default disk thresholds. They are set here, or a full disk would break the node.
    '--eviction-hard': `memory.available<${evictionMemoryMib(version)}Mi,nodefs.available<10%,nodefs.inodesFree<5%`,
    '--image-gc-high-threshold': '85',
    '--image-gc-low-threshold': '80',
    '--kubeconfig': '/var/lib/kubelet/kubeconfig',
    '--node-status-update-frequency': '10s',
    '--pod-manifest-path': '/etc/kubernetes/manifests',
    '--pod-max-pids': '-1',
    '--protect-kernel-defaults': 'true',
    '--read-only-port': '0',
    '--resolv-conf': '/run/systemd/resolve/resolv.conf',
    '--rotate-certificates': 'true',
    '--streaming-connection-idle-timeout': '4h',
    '--tls-cert-file': '/etc/kubernetes/certs/kubeletserver.crt',
    '--tls-cipher-suites': CIPHERS.join(','),
    '--tls-private-key-file': '/etc/kubernetes/certs/kubeletserver.key',
  }
}

function versionFlags(version: string, config: ClusterConfig): Record<string, string> {
  return {
    ...(isAtLeast(version, 31) ? {} : { '--keep-terminated-pod-volumes': 'false' }),
    ...(isAtLeast(version, 34) ? {} : { '--cloud-config': '/etc/kubernetes/azure.json' }),
    ...(isAtLeast(version, 35) ? {} : { '--pod-infra-container-image': pauseImage(config) }),
    ...(isAtLeast(version, 30)
      ? {
          '--image-credential-provider-config': '/var/lib/kubelet/credential-provider-config.yaml',
          '--image-credential-provider-bin-dir': '/var/lib/kubelet/credential-provider',
        }
      : { '--azure-container-registry-config': '/etc/kubernetes/azure.json' }),
  }
}

/** The feature gates. A kubelet exits if its version does not know a gate, and if the gate of a setting is off. */
function gateFlags(version: string, { cpuCfsQuotaPeriod }: KubeletSettings): Record<string, string> {
  const gates = [
    ...(isAtLeast(version, 30) ? [] : ['DisableKubeletCloudCredentialProviders=false']),
    ...(cpuCfsQuotaPeriod !== undefined && needsQuotaPeriodGate(cpuCfsQuotaPeriod, minorOf(version))
      ? ['CustomCPUCFSQuotaPeriod=true']
      : []),
  ]
  return gates.length === 0 ? {} : { '--feature-gates': gates.join(',') }
}

/** The flags that depend on the instance type. The reservation is its overhead, so that node and scheduler agree to the byte. */
function sizeFlags(instanceType: InstanceType, version: string): Record<string, string> {
  const memoryMib = Math.round((instanceType.overhead['memory'] ?? 0) / MIB) - evictionMemoryMib(version)
  return {
    '--kube-reserved': `cpu=${instanceType.overhead['cpu'] ?? 0}m,memory=${memoryMib}Mi`,
    '--max-pods': String(instanceType.capacity['pods'] ?? 110),
    '--system-reserved': 'cpu=0,memory=0',
  }
}

function classFlags(kubelet: KubeletSettings): Record<string, string> {
  const flags: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ['--cpu-manager-policy', kubelet.cpuManagerPolicy],
    ['--cpu-cfs-quota', kubelet.cpuCfsQuota],
    ['--cpu-cfs-quota-period', kubelet.cpuCfsQuotaPeriod],
    ['--image-gc-high-threshold', kubelet.imageGcHighThresholdPercent],
    ['--image-gc-low-threshold', kubelet.imageGcLowThresholdPercent],
    ['--topology-manager-policy', kubelet.topologyManagerPolicy],
    ['--allowed-unsafe-sysctls', kubelet.allowedUnsafeSysctls?.join(',')],
    ['--container-log-max-size', kubelet.containerLogMaxSize],
    ['--container-log-max-files', kubelet.containerLogMaxFiles],
    ['--pod-max-pids', kubelet.podPidsLimit],
    ['--fail-swap-on', kubelet.failSwapOn],
  ]
  return Object.fromEntries(flags.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))
}
