import { describe, expect, it } from 'vitest'
import { candidateOf, claim, clusterConfig, nodeClass } from '../../../../test/azure/harness.ts'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { valueOf } from '../../../../test/conformance/harness.ts'
import { zoneName } from '../../../model/ids.ts'
import { SYSCTL_NAMES } from '../../../wire/schema/sysctlNames.ts'
import { buildInstanceTypes } from '../sizes/instanceTypes.ts'
import { usableSize } from '../sizes/size.ts'
import { apiServerName, bootVariables } from './bootVariables.ts'
import { bootScript, customData, STAND_IN_TOKEN } from './customData.ts'

const PLACE = {
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'eastus',
  resourceGroups: ['MC_(a)_b_eastus'],
  subnetId: '/subscriptions/s/resourceGroups/net-rg/providers/Microsoft.Network/virtualNetworks/v1/subnets/nodes',
}

type Change = {
  config?: Parameters<typeof clusterConfig>[1]
  spec?: Parameters<typeof nodeClass>[0]
  claim?: Parameters<typeof claim>[1]
  size?: Parameters<typeof sku>[0]
  capacityType?: 'on-demand' | 'spot'
  imageId?: string
}

const IMAGE = '/CommunityGalleries/g/images/2404gen2containerd/versions/202608.21.0'

function input(change: Change = {}) {
  const config = clusterConfig(PLACE, { apiServer: 'https://127.0.0.1:6443', ...change.config })
  const theClass = nodeClass(change.spec)
  const size = usableSize(sku(change.size ?? {}))
  const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, theClass, config)
  if (type === undefined) throw new Error('the size must serve')
  const candidate = candidateOf(type, { zone: zoneName('eastus-1'), capacityType: change.capacityType ?? 'on-demand' })
  return {
    claim: claim('one', change.claim),
    nodeClass: theClass,
    candidate,
    config,
    imageId: change.imageId ?? IMAGE,
    bootstrapToken: 'abcdef.0123456789abcdef',
  }
}

const variables = (change?: Change): Record<string, string> => Object.fromEntries(bootVariables(input(change)))
const flags = (change?: Change): string[] => (variables(change)['KUBELET_FLAGS'] ?? '').split(' ')
const labels = (change?: Change): Record<string, string> =>
  Object.fromEntries((variables(change)['KUBELET_NODE_LABELS'] ?? '').split(',').map((pair) => pair.split('=')))
const flagOf = (list: readonly string[], flag: string) => list.find((entry) => entry.startsWith(`${flag}=`))?.slice(flag.length + 1)

describe('customData', () => {
  it('is the boot script of the token in base64, the same bytes for the same input', () => {
    const token = 'abcdef.0123456789abcdef'
    const made = () => customData(valueOf(bootScript({ ...input(), bootstrapToken: STAND_IN_TOKEN })), token)
    expect(Buffer.from(made(), 'base64').toString('utf8')).toBe(valueOf(bootScript({ ...input(), bootstrapToken: token })))
    expect(made()).toBe(made())
  })

  it('gives the token to its own variable, whatever other values say', () => {
    const asked = input({ claim: { taints: [{ key: 'says', value: STAND_IN_TOKEN, effect: 'NoSchedule' }] } })
    const script = valueOf(bootScript({ ...asked, bootstrapToken: STAND_IN_TOKEN }))
    const text = Buffer.from(customData(script, 'abcdef.0123456789abcdef'), 'base64').toString('utf8')
    expect(text.match(/abcdef\.0123456789abcdef/g)).toHaveLength(1)
    expect(text).toContain("\nTLS_BOOTSTRAP_TOKEN='abcdef.0123456789abcdef'\n")
    expect(text).toContain(`says=${STAND_IN_TOKEN}:NoSchedule`)
  })

  it('is refused beyond 65,535 bytes, and never longer otherwise', () => {
    const bytesWith = (count: number) => {
      const taints = Array.from({ length: count }, (_, index) => ({
        key: `team.example.com/${index}`,
        value: 'v'.repeat(60),
        effect: 'NoSchedule' as const,
      }))
      return bootScript({ ...input({ claim: { taints } }), bootstrapToken: STAND_IN_TOKEN })
    }
    for (let count = 0; count < 1_000; count += 50) {
      const script = bytesWith(count)
      if (script.ok) expect(Buffer.from(customData(script.value, 'abcdef.0123456789abcdef'), 'base64').length).toBeLessThanOrEqual(65_535)
      else expect(script.error).toMatchObject({ code: 'NODECLASS.INVALID', message: expect.stringContaining('and Azure takes 65535') })
    }
    expect([bytesWith(50).ok, bytesWith(950).ok]).toEqual([true, false])
  })

  it('gives every value to the shell as it is', () => {
    expect(valueOf(bootScript(input({ config: { clusterName: 'x', networkPolicy: 'cilium', networkDataplane: 'cilium' } })))).toContain(
      "\nNETWORK_POLICY='cilium'\n",
    )
    expect(valueOf(bootScript(input()))).toContain("\nTLS_BOOTSTRAP_TOKEN='abcdef.0123456789abcdef'\n")
  })

  it('names the API server with its port only where it is unusual', () => {
    expect(['https://api.example.com', 'https://api.example.com:443', 'https://127.0.0.1:6443'].map(apiServerName)).toEqual([
      'api.example.com',
      'api.example.com',
      '127.0.0.1:6443',
    ])
  })

  it('says where the node is and what it may be', () => {
    expect(variables()).toMatchObject({
      API_SERVER_NAME: '127.0.0.1:6443',
      KUBE_CA_CRT: 'Y2E=',
      LOCATION: 'eastus',
      RESOURCE_GROUP: 'MC_(a)_b_eastus',
      SUBNET: 'nodes',
      VIRTUAL_NETWORK: 'v1',
      VIRTUAL_NETWORK_RESOURCE_GROUP: 'net-rg',
      NETWORK_PLUGIN: 'none',
      KUBERNETES_VERSION: '1.34.2',
      KUBE_BINARY_URL: '',
      ADMINUSER: 'azureuser',
      GPU_NODE: 'false',
    })
  })

  it('downloads what the version needs', () => {
    const old = variables({ config: { kubernetesVersion: '1.31.3' } })
    expect([old['KUBE_BINARY_URL'], old['CREDENTIAL_PROVIDER_DOWNLOAD_URL']]).toEqual([
      'https://acs-mirror.azureedge.net/kubernetes/v1.31.3/binaries/kubernetes-node-linux-amd64.tar.gz',
      'https://acs-mirror.azureedge.net/cloud-provider-azure/v1.31.6/binaries/azure-acr-credential-provider-linux-amd64-v1.31.6.tar.gz',
    ])
  })

  it.each([
    ['1.29.1', 'amd64', undefined],
    ['1.30.1', 'amd64', '1.30.12'],
    ['1.31.1', 'arm64', '1.31.6'],
    ['1.32.1', 'amd64', '1.32.5'],
    ['1.33.1', 'arm64', '1.33.0'],
    ['1.36.0', 'amd64', '1.33.0'],
  ])('BS-08 downloads the credential provider of Kubernetes %s for %s: %s', (kubernetesVersion, arch, version) => {
    const size = arch === 'arm64' ? { name: 'Standard_D2ps_v5', capabilities: { CpuArchitectureType: 'Arm64' } } : {}
    const url = variables({ config: { kubernetesVersion }, size })['CREDENTIAL_PROVIDER_DOWNLOAD_URL']
    const mirror = 'https://acs-mirror.azureedge.net/cloud-provider-azure'
    expect(url).toBe(
      version === undefined ? '' : `${mirror}/v${version}/binaries/azure-acr-credential-provider-linux-${arch}-v${version}.tar.gz`,
    )
  })

  it.each([
    ['azure', '', 'azure', 'azure', {}],
    [
      'azure',
      'overlay',
      'azure',
      'none',
      { 'kubernetes.azure.com/azure-cni-overlay': 'true', 'kubernetes.azure.com/podnetwork-type': 'overlay' },
    ],
    ['none', '', 'azure', 'none', {}],
    [
      'azure',
      'overlay',
      'cilium',
      'none',
      { 'kubernetes.azure.com/azure-cni-overlay': 'true', 'kubernetes.azure.com/ebpf-dataplane': 'cilium' },
    ],
    ['azure', '', 'cilium', 'none', { 'kubernetes.azure.com/ebpf-dataplane': 'cilium' }],
  ] as const)(
    'BS-04 follows the network: plugin %s, mode %j, data plane %s',
    (networkPlugin, networkPluginMode, networkDataplane, want, given) => {
      const change: Change = { config: { networkPlugin, networkPluginMode, networkDataplane } }
      const keys = ['azure-cni-overlay', 'podnetwork-type', 'ebpf-dataplane'].map((key) => `kubernetes.azure.com/${key}`)
      expect(variables(change)['NETWORK_PLUGIN']).toBe(want)
      expect(Object.keys(labels(change)).filter((key) => keys.includes(key) && !(key in given) && networkPluginMode === '')).toEqual([])
      expect(labels(change)).toMatchObject(given)
    },
  )

  it('installs the driver of an NVIDIA size, unless the class brings its own', () => {
    const size = { name: 'Standard_NC4as_T4_v3', capabilities: { vCPUs: '4', MemoryGB: '28', GPUs: '1' } }
    expect(variables({ size })).toMatchObject({ GPU_NODE: 'true', GPU_DRIVER_TYPE: 'cuda-lts', GPU_DRIVER_VERSION: '580.159.04' })
    const old = IMAGE.replace('202608.21.0', '202606.01.0')
    expect(variables({ size, imageId: old })).toMatchObject({ GPU_DRIVER_TYPE: 'cuda', GPU_DRIVER_VERSION: '580.126.09' })
    expect(bootScript(input({ size, imageId: IMAGE.replace('202608.21.0', '202409.01.0') }))).toMatchObject({
      error: { code: 'NODECLASS.INVALID', object: 'aksnodeclass/default', message: expect.stringContaining('202409.01.0') },
    })
    expect(variables({ size, spec: { gpuMode: 'None' } })).toMatchObject({ GPU_NODE: 'false', GPU_DRIVER_TYPE: '' })
  })
})

describe('the operating system', () => {
  const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString('utf8')
  const sysctls = (change?: Change) => decoded(variables(change)['SYSCTL_CONTENT']).split('\n')

  it('has kernel settings of its own that a class may change', () => {
    expect(sysctls()).toContain('net.core.somaxconn=16384')
    const linuxOsConfig = { sysctls: { netCoreSomaxconn: 65_536, vmMaxMapCount: 262_144, netIPv4TCPTwReuse: true } }
    const set = sysctls({ spec: { linuxOsConfig } })
    expect(set).toEqual(expect.arrayContaining(['net.core.somaxconn=65536', 'vm.max_map_count=262144', 'net.ipv4.tcp_tw_reuse=1']))
    expect(set.filter((line) => line.startsWith('net.core.somaxconn'))).toHaveLength(1)
  })

  it('knows every kernel setting that the class may name', () => {
    const said = Object.fromEntries(Object.keys(SYSCTL_NAMES).map((field) => [field, field.endsWith('PortRange') ? '1024 65535' : 70_000]))
    const lines = sysctls({ spec: { linuxOsConfig: { sysctls: said } } })
    expect(Object.values(SYSCTL_NAMES).filter((name) => !lines.some((line) => line.startsWith(`${name}=`)))).toEqual([])
  })

  it("keeps the port of Azure's agent out of the ports that the kernel hands out", () => {
    const reserved = (range: string) =>
      sysctls({ spec: { linuxOsConfig: { sysctls: { netIPv4IPLocalPortRange: range } } } }).filter((line) => line.includes('reserved'))
    expect([reserved('1024 65329'), reserved('1024 65330')]).toEqual([[], ['net.ipv4.ip_local_reserved_ports=65330']])
  })

  it.each([
    [undefined, ['false', '0', 'false', '', '']],
    [{ swapFileSize: '1Gi' }, ['true', '1049', 'false', '', '']],
    [{ transparentHugePageEnabled: 'madvise' }, ['false', '0', 'true', 'madvise', '']],
    [{ transparentHugePageDefrag: 'defer+madvise' }, ['false', '0', 'true', '', 'defer+madvise']],
  ])('of %j gets swap file and huge pages', (linuxOsConfig, want) => {
    const given = variables(linuxOsConfig === undefined ? {} : { spec: { linuxOsConfig } })
    const names = ['SHOULD_CONFIG_SWAP_FILE', 'SWAP_FILE_SIZE_MB', 'SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE', 'THP_ENABLED', 'THP_DEFRAG']
    expect(names.map((name) => given[name])).toEqual(want)
  })

  it.each([
    [{ sysctls: { netCoreSomaxconn: '1\nkernel.panic=1' } }, 'spec.linuxOSConfig.sysctls.netCoreSomaxconn'],
    [{ sysctls: { kernelPanic: 1 } }, 'spec.linuxOSConfig.sysctls.kernelPanic'],
    [{ swapFileSize: 'much' }, 'spec.linuxOSConfig.swapFileSize'],
    [{ transparentHugePageEnabled: 'yes' }, 'spec.linuxOSConfig.transparentHugePageEnabled'],
  ])('is refused what no machine can be told: %j', (linuxOsConfig, path) => {
    const script = bootScript(input({ spec: { linuxOsConfig } }))
    expect(script).toMatchObject({ ok: false, error: { code: 'NODECLASS.INVALID', object: 'aksnodeclass/default', path } })
  })

  it('streams artifacts where the class says so, on amd64', () => {
    const arm = { name: 'Standard_D2ps_v5', capabilities: { CpuArchitectureType: 'Arm64' } }
    const seen = (change: Change) => {
      const given = variables(change)
      return [given['ARTIFACT_STREAMING_ENABLED'], decoded(given['CONTAINERD_CONFIG_CONTENT']).includes('snapshotter = "overlaybd"')]
    }
    expect(seen({ spec: { artifactStreaming: true } })).toEqual(['true', true])
    expect([seen({}), seen({ size: arm })]).toEqual([
      ['false', false],
      ['false', false],
    ])
  })
})

describe('kubelet flags', () => {
  it('reserve what the instance type takes off its capacity', () => {
    expect([flagOf(flags(), '--kube-reserved'), flagOf(flags(), '--max-pods'), flagOf(flags(), '--cluster-dns')]).toEqual([
      'cpu=100m,memory=2048Mi',
      '250',
      '10.0.0.10',
    ])
  })

  it('keep the disk thresholds beside the one for memory', () => {
    expect(flagOf(flags(), '--eviction-hard')).toBe('memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%')
  })

  it('carry all taints of the claim and the one that keeps pods away until registration', () => {
    const spec = {
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' as const }],
      startupTaints: [{ key: 'c', effect: 'NoExecute' as const }],
    }
    expect(flagOf(flags({ claim: spec }), '--register-with-taints')).toBe('a=b:NoSchedule,c:NoExecute,karpenter.sh/unregistered:NoExecute')
  })

  it('follow the version', () => {
    const at = (version: string) => flags({ config: { kubernetesVersion: version } }).map((flag) => flag.split('=')[0])
    const optional = [
      '--keep-terminated-pod-volumes',
      '--cloud-config',
      '--pod-infra-container-image',
      '--image-credential-provider-config',
    ]
    const present = (version: string) => optional.filter((flag) => at(version).includes(flag))
    expect([present('1.30.1'), present('1.33.1'), present('1.34.1'), present('1.35.1')]).toEqual([
      optional,
      optional.slice(1),
      optional.slice(2),
      optional.slice(3),
    ])
  })

  it('name the gate of a period where the kubelet would exit without it', () => {
    const gates = (cpuCfsQuotaPeriod: string, version: string) =>
      flagOf(flags({ spec: { kubelet: { cpuCfsQuotaPeriod } }, config: { kubernetesVersion: version } }), '--feature-gates')
    expect([gates('100ms', '1.34.1'), gates('5ms', '1.34.1'), gates('5ms', '1.36.0')]).toEqual([
      undefined,
      'CustomCPUCFSQuotaPeriod=true',
      undefined,
    ])
    expect(gates('5ms', '1.29.1')).toBe('DisableKubeletCloudCredentialProviders=false,CustomCPUCFSQuotaPeriod=true')
  })

  it.each(['999us', '1001ms', '2s', '0s'])('refuses a period of %s', (cpuCfsQuotaPeriod) => {
    expect(bootScript(input({ spec: { kubelet: { cpuCfsQuotaPeriod } } }))).toMatchObject({
      ok: false,
      error: { code: 'NODECLASS.INVALID', path: 'spec.kubelet.cpuCFSQuotaPeriod' },
    })
  })

  it('take what the class sets', () => {
    const kubelet = {
      cpuManagerPolicy: 'static',
      imageGcHighThresholdPercent: 70,
      podPidsLimit: 99,
      failSwapOn: false,
      allowedUnsafeSysctls: ['a', 'b'],
    }
    const set = flags({ spec: { kubelet } })
    expect(
      ['--cpu-manager-policy', '--image-gc-high-threshold', '--pod-max-pids', '--fail-swap-on', '--allowed-unsafe-sysctls'].map((flag) =>
        flagOf(set, flag),
      ),
    ).toEqual(['static', '70', '99', 'false', 'a,b'])
  })
})

describe('node labels', () => {
  it('stand in order and name size, place and pool', () => {
    const keys = Object.keys(labels())
    expect(keys).toEqual([...keys].sort())
    expect(labels()).toMatchObject({
      'node.kubernetes.io/instance-type': 'Standard_D2s_v5',
      'topology.kubernetes.io/zone': 'eastus-1',
      'karpenter.sh/nodepool': 'default',
      'karpenter.azure.com/aksnodeclass': 'default',
      'karpenter.sh/do-not-sync-taints': 'true',
      'kubernetes.azure.com/cluster': 'MC_-a-_b_eastus',
      'kubernetes.azure.com/network-subnet': 'nodes',
      'kubernetes.azure.com/os-sku-effective': 'Ubuntu2404',
    })
  })

  it.each([
    ['on-demand', 'regular'],
    ['spot', 'spot'],
  ] as const)('say the priority of a machine that is %s', (capacityType, priority) => {
    expect(labels({ capacityType })).toMatchObject({
      'karpenter.sh/capacity-type': capacityType,
      'kubernetes.azure.com/priority': priority,
      'kubernetes.azure.com/scalesetpriority': priority,
    })
  })

  it.each([
    ['Ubuntu', '1.33.1', 'Ubuntu', 'Ubuntu2204'],
    ['Ubuntu', '1.34.1', 'Ubuntu', 'Ubuntu2404'],
    ['Ubuntu2204', '1.34.1', 'Ubuntu', 'Ubuntu2204'],
    ['Ubuntu2404', '1.33.1', 'Ubuntu', 'Ubuntu2404'],
    ['AzureLinux', '1.34.1', 'AzureLinux', 'AzureLinux3'],
  ] as const)(
    'LB-03, LB-04 name the system of %s on Kubernetes %s: %s, in effect %s',
    (imageFamily, kubernetesVersion, system, effective) => {
      const given = labels({ spec: { imageFamily }, config: { kubernetesVersion } })
      expect(given['kubernetes.azure.com/os-sku']).toBe(system)
      expect(given['kubernetes.azure.com/os-sku-requested']).toBe(imageFamily)
      expect(given['kubernetes.azure.com/os-sku-effective']).toBe(effective)
    },
  )

  it.each([
    ['amd64', true, 'true'],
    ['amd64', false, undefined],
    ['amd64', undefined, undefined],
    ['arm64', undefined, undefined],
  ])('LB-07 say that artifacts are streamed: %s, %s in the class', (arch, artifactStreaming, want) => {
    const size = arch === 'arm64' ? { name: 'Standard_D2ps_v5', capabilities: { CpuArchitectureType: 'Arm64' } } : {}
    const spec = artifactStreaming === undefined ? {} : { artifactStreaming }
    expect(labels({ size, spec })['kubernetes.azure.com/artifactstreaming-enabled']).toBe(want)
  })

  it('LB-01, LB-02 have each label of which the claim and the size leave one value, and no other', () => {
    const requirements = [
      { key: 'example.com/one', operator: 'In' as const, values: ['a'] },
      { key: 'example.com/two', operator: 'In' as const, values: ['a', 'b'] },
      { key: 'example.com/not', operator: 'NotIn' as const, values: ['a'] },
    ]
    const given = labels({ claim: { requirements } })
    expect(requirements.map(({ key }) => given[key])).toEqual(['a', undefined, undefined])
    expect(given['karpenter.azure.com/sku-cpu']).toBe('2')
    expect('karpenter.azure.com/sku-hyperv-generation' in given).toBe(false)
  })

  it('leave out what a kubelet may not give itself', () => {
    const requirements = [
      'node-restriction.kubernetes.io/a',
      'x.k8s.io/b',
      'node.kubernetes.io/c',
      'kubelet.kubernetes.io/d',
      'example.com/e',
    ].map((key) => ({ key, operator: 'In' as const, values: ['1'] }))
    const given = labels({ claim: { requirements } })
    expect(requirements.map(({ key }) => given[key])).toEqual([undefined, undefined, '1', '1', '1'])
  })
})
