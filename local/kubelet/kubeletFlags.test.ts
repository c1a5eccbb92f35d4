import { describe, expect, it } from 'vitest'
import { parseKubeletFlags } from './kubeletFlags.ts'

const MINOR = 33
const GOOD =
  '--address=0.0.0.0 --cloud-provider=external --max-pods=110 --kube-reserved=cpu=100m,memory=1843Mi --system-reserved=cpu=0,memory=0 --eviction-hard=memory.available<750Mi'

const REFUSED: { readonly [sentence: string]: { readonly flags: string; readonly minor?: number; readonly want: string } } = {
  'a flag nobody knows': { flags: '--colour=red', want: 'failed to parse kubelet flag: unknown flag: --colour' },
  'a member every object has is no flag': { flags: '--constructor=1', want: 'failed to parse kubelet flag: unknown flag: --constructor' },
  'a flag that an old version had': {
    flags: '--cloud-config=/f',
    minor: 34,
    want: 'failed to parse kubelet flag: unknown flag: --cloud-config',
  },
  'the pause image from 1.35': {
    flags: '--pod-infra-container-image=x',
    minor: 35,
    want: 'failed to parse kubelet flag: unknown flag: --pod-infra-container-image',
  },
  'a word that is no flag': { flags: 'run', want: 'unknown command run' },
  'no value': { flags: '--max-pods', want: 'failed to parse kubelet flag: flag needs an argument: --max-pods' },
  'no number': {
    flags: '--max-pods=many',
    want: 'failed to parse kubelet flag: invalid argument "many" for "--max-pods" flag: must be an integer of at least 1',
  },
  'no amount': {
    flags: '--kube-reserved=cpu=100x',
    want: 'failed to parse kubelet flag: invalid argument "cpu=100x" for "--kube-reserved" flag: must be resource=quantity pairs such as cpu=100m,memory=1638Mi',
  },
  'no taint effect': {
    flags: '--register-with-taints=a=b',
    want: 'failed to parse kubelet flag: invalid argument "a=b" for "--register-with-taints" flag: must be taints such as key=value:NoSchedule',
  },
  'no threshold': {
    flags: '--eviction-hard=memory<1',
    want: 'failed to parse kubelet flag: invalid argument "memory<1" for "--eviction-hard" flag: must be thresholds such as memory.available<750Mi',
  },
  'image collection that could not stop': {
    flags: `${GOOD} --image-gc-high-threshold=70 --image-gc-low-threshold=80`,
    want: 'invalid configuration: image-gc-low-threshold 80 must be less than image-gc-high-threshold 70',
  },
  'pods enforced without their cgroups': {
    flags: `${GOOD} --cgroups-per-qos=false`,
    want: 'invalid configuration: enforce-node-allocatable pods needs cgroups-per-qos',
  },
  'reserved amounts enforced without the cgroups of pods': {
    flags: `${GOOD} --enforce-node-allocatable=kube-reserved --kube-reserved-cgroup=/kube --cgroups-per-qos=false`,
    want: 'invalid configuration: enforce-node-allocatable kube-reserved needs cgroups-per-qos',
  },
  'reserved amounts enforced without their cgroup': {
    flags: `${GOOD} --enforce-node-allocatable=pods,system-reserved`,
    want: 'invalid configuration: enforce-node-allocatable system-reserved needs system-reserved-cgroup',
  },
  'a value enforced twice': {
    flags: `${GOOD} --enforce-node-allocatable=pods,pods`,
    want: 'invalid configuration: enforce-node-allocatable has "pods" twice',
  },
  'nothing and something enforced': {
    flags: `${GOOD} --enforce-node-allocatable=none,pods`,
    want: 'invalid configuration: enforce-node-allocatable has "none" beside other values',
  },
  'static cpus with nothing reserved': {
    flags: '--cloud-provider=external --cpu-manager-policy=static',
    want: 'invalid configuration: cpu-manager-policy static needs cpu in kube-reserved or system-reserved',
  },
  'a gate nobody knows': {
    flags: `${GOOD} --feature-gates=Colours=true`,
    want: 'failed to set feature gates from initial flags-based config: unrecognized feature gate: Colours',
  },
  'a gate that this version no longer has': {
    flags: `${GOOD} --feature-gates=DisableKubeletCloudCredentialProviders=true`,
    want: 'failed to set feature gates from initial flags-based config: unrecognized feature gate: DisableKubeletCloudCredentialProviders',
  },
  'a gate that is locked': {
    flags: `${GOOD} --feature-gates=DisableKubeletCloudCredentialProviders=false`,
    minor: 31,
    want: 'failed to set feature gates from initial flags-based config: cannot set feature gate DisableKubeletCloudCredentialProviders to false, feature is locked to true',
  },
  'a period whose gate is off': {
    flags: `${GOOD} --cpu-cfs-quota-period=5ms`,
    minor: 35,
    want: 'invalid configuration: cpuCFSQuotaPeriod (--cpu-cfs-quota-period) 5ms requires feature gate CustomCPUCFSQuotaPeriod',
  },
  'a period that no kernel takes': {
    flags: `${GOOD} --cpu-cfs-quota-period=2s --feature-gates=CustomCPUCFSQuotaPeriod=true`,
    want: 'invalid configuration: cpuCFSQuotaPeriod (--cpu-cfs-quota-period) 2s must be between 1ms and 1sec, inclusive',
  },
  'no external cloud provider': { flags: '--max-pods=10', want: 'cloud-provider must be external: the node would never be initialized' },
}

describe('parseKubeletFlags', () => {
  it('reads what shows on the node', () => {
    const flags = `${GOOD} --register-with-taints=karpenter.sh/unregistered:NoExecute,team=a:NoSchedule --anonymous-auth=false --rotate-certificates`
    expect(parseKubeletFlags(flags, MINOR)).toEqual({
      ok: true,
      value: {
        hostname: undefined,
        maxPods: 110,
        reserved: { cpu: 100, memory: 1843 * 2 ** 20 },
        eviction: { memoryBytes: 750 * 2 ** 20, memoryPart: 0, diskPart: 0 },
        taints: [
          { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
          { key: 'team', value: 'a', effect: 'NoSchedule' },
        ],
        labels: [],
      },
    })
  })

  it.each([
    ['the usual period needs no gate', `${GOOD} --cpu-cfs-quota-period=0.1s`, 29],
    ['another period with its gate', `${GOOD} --cpu-cfs-quota-period=5ms --feature-gates=CustomCPUCFSQuotaPeriod=true`, 29],
    ['another period where the gate is on', `${GOOD} --cpu-cfs-quota-period=5ms`, 36],
    ['a gate that may still be set', `${GOOD} --feature-gates=DisableKubeletCloudCredentialProviders=false`, 30],
  ])('takes: %s', (_, flags, minor) => expect(parseKubeletFlags(flags, minor)).toMatchObject({ ok: true }))

  for (const [sentence, { flags, minor, want }] of Object.entries(REFUSED)) {
    it(`refuses: ${sentence}`, () => expect(parseKubeletFlags(flags, minor ?? MINOR)).toEqual({ ok: false, error: want }))
  }
})
