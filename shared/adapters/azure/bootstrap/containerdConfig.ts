/** containerd's configuration; with a GPU driver the default runtime hands the devices through. */
export function containerdConfig(hasGpuDriver: boolean): string {
  const runtime = hasGpuDriver ? 'nvidia-container-runtime' : 'runc'
  const binary = hasGpuDriver ? '/usr/bin/nvidia-container-runtime' : '/usr/bin/runc'
  return `version = 2
oom_score = 0
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "mcr.microsoft.com/oss/kubernetes/pause:3.6"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "${runtime}"
${runtimeSection(runtime, binary)}
${runtimeSection('untrusted', binary)}
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
  [plugins."io.containerd.grpc.v1.cri".registry.headers]
    X-Meta-Source-Client = ["azure/aks"]
[metrics]
  address = "0.0.0.0:10257"
`
}

function runtimeSection(name: string, binary: string): string {
  const path = `plugins."io.containerd.grpc.v1.cri".containerd.runtimes.${name}`
  return `    [${path}]
      runtime_type = "io.containerd.runc.v2"
      [${path}.options]
        BinaryName = "${binary}"
        SystemdCgroup = true`
}
