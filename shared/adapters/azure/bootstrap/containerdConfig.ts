export type ContainerdNeeds = { readonly hasGpuDriver: boolean; readonly streamsArtifacts: boolean; readonly pauseImage: string }

/**
 * The configuration of containerd. With a GPU driver, the default runtime passes the devices to containers. With artifact streaming, the snapshotter
 * `overlaybd` unpacks images. The scripts of the image start it. (Azure/AgentBaker, pkg/agent/baker.go of 2026-08-21.)
 */
export function containerdConfig({ hasGpuDriver, streamsArtifacts, pauseImage }: ContainerdNeeds): string {
  const runtime = hasGpuDriver ? 'nvidia-container-runtime' : 'runc'
  const binary = hasGpuDriver ? '/usr/bin/nvidia-container-runtime' : '/usr/bin/runc'
  return `version = 2
oom_score = 0
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "${runtime}"
${streamsArtifacts ? STREAMING : ''}${runtimeSection(runtime, binary)}
${runtimeSection('untrusted', binary)}
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
  [plugins."io.containerd.grpc.v1.cri".registry.headers]
    X-Meta-Source-Client = ["azure/aks"]
[metrics]
  address = "0.0.0.0:10257"
${streamsArtifacts ? STREAMING_PLUGIN : ''}`
}

const STREAMING = `    snapshotter = "overlaybd"
    disable_snapshot_annotations = false
`
const STREAMING_PLUGIN = `[proxy_plugins.overlaybd]
  type = "snapshot"
  address = "/run/overlaybd-snapshotter/overlaybd.sock"
`

function runtimeSection(name: string, binary: string): string {
  const path = `plugins."io.containerd.grpc.v1.cri".containerd.runtimes.${name}`
  return `    [${path}]
      runtime_type = "io.containerd.runc.v2"
      [${path}.options]
        BinaryName = "${binary}"
        SystemdCgroup = true`
}
