/** How the value of a kubelet flag is written. */
export type FlagKind =
  | { readonly kind: 'bool' | 'text' | 'duration' | 'list' | 'amounts' | 'thresholds' | 'taints' | 'pairs' }
  | { readonly kind: 'integer'; readonly least: number; readonly most?: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }

/** A flag of the kubelet. The flag is unknown from the Kubernetes minor version `until` on. */
export type Flag = FlagKind & { readonly until?: number }

const text = { kind: 'text' } as const
const bool = { kind: 'bool' } as const
const duration = { kind: 'duration' } as const
const list = { kind: 'list' } as const
const integer = (least: number, most?: number) => ({ kind: 'integer' as const, least, ...(most === undefined ? {} : { most }) })
const choice = (...values: readonly string[]) => ({ kind: 'choice' as const, values })

/**
 * The flags that a simulated kubelet understands. A kubelet does not start with a flag that is not listed here. Source of the version that dropped
 * a flag: kubernetes/kubernetes, cmd/kubelet/app/options and pkg/kubelet/config of 1.29.15, 1.30.14, 1.31.13, 1.32.9, 1.33.5, 1.34.2, 1.35.0
 * and 1.36.1, read 2026-11.
 */
export const KUBELET_FLAGS: { readonly [name: string]: Flag } = {
  address: text,
  'allowed-unsafe-sysctls': list,
  'anonymous-auth': bool,
  'authentication-token-webhook': bool,
  'authorization-mode': choice('AlwaysAllow', 'Webhook'),
  'azure-container-registry-config': { ...text, until: 30 },
  'bootstrap-kubeconfig': text,
  'cgroup-driver': choice('cgroupfs', 'systemd'),
  'cgroups-per-qos': bool,
  'client-ca-file': text,
  'cloud-config': { ...text, until: 34 },
  'cloud-provider': choice('external', ''),
  'cluster-dns': list,
  'cluster-domain': text,
  config: text,
  'container-log-max-files': integer(2),
  'container-log-max-size': text,
  'container-runtime-endpoint': text,
  'cpu-cfs-quota': bool,
  'cpu-cfs-quota-period': duration,
  'cpu-manager-policy': choice('none', 'static'),
  'enable-server': bool,
  'enforce-node-allocatable': list,
  'event-qps': integer(0),
  'eviction-hard': { kind: 'thresholds' },
  'eviction-max-pod-grace-period': integer(0),
  'eviction-soft': { kind: 'thresholds' },
  'eviction-soft-grace-period': { kind: 'pairs' },
  'fail-swap-on': bool,
  'feature-gates': { kind: 'pairs' },
  'hostname-override': text,
  'image-credential-provider-bin-dir': text,
  'image-credential-provider-config': text,
  'image-gc-high-threshold': integer(0, 100),
  'image-gc-low-threshold': integer(0, 100),
  'keep-terminated-pod-volumes': { ...bool, until: 31 },
  'kube-reserved': { kind: 'amounts' },
  'kube-reserved-cgroup': text,
  kubeconfig: text,
  'max-pods': integer(1),
  'node-ip': text,
  'node-labels': { kind: 'pairs' },
  'node-status-update-frequency': duration,
  'pod-infra-container-image': { ...text, until: 35 },
  'pod-manifest-path': text,
  'pod-max-pids': integer(-1),
  'protect-kernel-defaults': bool,
  'read-only-port': integer(0, 65535),
  'register-node': bool,
  'register-with-taints': { kind: 'taints' },
  'resolv-conf': text,
  'root-dir': text,
  'rotate-certificates': bool,
  'rotate-server-certificates': bool,
  'runtime-cgroups': text,
  'runtime-request-timeout': duration,
  'seccomp-default': bool,
  'serialize-image-pulls': bool,
  'streaming-connection-idle-timeout': duration,
  'system-reserved': { kind: 'amounts' },
  'system-reserved-cgroup': text,
  'tls-cert-file': text,
  'tls-cipher-suites': list,
  'tls-min-version': text,
  'tls-private-key-file': text,
  'topology-manager-policy': choice('none', 'best-effort', 'restricted', 'single-numa-node'),
  'topology-manager-scope': choice('container', 'pod'),
  v: integer(0),
  'volume-plugin-dir': text,
}
