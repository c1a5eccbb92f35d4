import { describe, expect, it } from 'vitest'
import { bootVariables } from '../../shared/adapters/azure/bootstrap/bootVariables.ts'
import { chooseImage } from '../../shared/adapters/azure/images/imageChoice.ts'
import { interfaceBody } from '../../shared/adapters/azure/machines/interfaceBody.ts'
import { machineBody } from '../../shared/adapters/azure/machines/machineBody.ts'
import { machineTags } from '../../shared/adapters/azure/machines/tags.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { diskFacts, osDiskOf } from '../../shared/adapters/azure/sizes/osDisk.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { fleetSnapshotOf } from '../../shared/engine/cluster/fleet.ts'
import { classConditions } from '../../shared/engine/status/conditions.ts'
import type { KubeletSettings, NodeClassSpec } from '../../shared/model/nodeClass.ts'
import { durationMs } from '../../shared/model/units.ts'
import { SYSCTL_NAMES } from '../../shared/wire/schema/sysctlNames.ts'
import { localDns } from '../builders/localDns.ts'
import { snapshot } from '../builders/snapshot.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from './harness.ts'
import { sku } from './skuBuilder.ts'

// No field of a node class is silently ignored: it reaches the machine, excludes sizes, or a condition says that it has no effect.

const SUBNET = '/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes'
const CONFIG = clusterConfig(
  {
    subscriptionId: '00000000-0000-4000-8000-000000000001',
    tenantId: '00000000-0000-4000-8000-000000000002',
    location: 'eastus',
    resourceGroups: ['mc_a'],
    subnetId: SUBNET,
  },
  { images: { gallery: 'shared' } },
)
const SKU = sku({
  name: 'Standard_NC4as_T4_v3',
  family: 'standardNCASTv3Family',
  capabilities: {
    vCPUs: '4',
    MemoryGB: '28',
    GPUs: '1',
    EphemeralOSDiskSupported: 'True',
    CachedDiskBytes: String(300 * 1024 ** 3),
  },
})

/** A value other than the default for every field. The type requires a row for a new field. */
const KUBELET: { readonly [Field in keyof Required<KubeletSettings>]: KubeletSettings[Field] } = {
  cpuManagerPolicy: 'static',
  cpuCfsQuota: false,
  cpuCfsQuotaPeriod: '5ms',
  imageGcHighThresholdPercent: 90,
  imageGcLowThresholdPercent: 70,
  topologyManagerPolicy: 'restricted',
  allowedUnsafeSysctls: ['net.*'],
  containerLogMaxSize: '10Mi',
  containerLogMaxFiles: 3,
  podPidsLimit: 100,
  failSwapOn: false,
}
const SPEC: { readonly [Field in keyof Required<NodeClassSpec>]: readonly NodeClassSpec[Field][] } = {
  vnetSubnetId: [SUBNET.replace('nodes', 'others')],
  osDiskSizeGb: [256],
  osDiskType: ['Managed'],
  imageFamily: ['AzureLinux', 'Ubuntu2204'],
  fipsMode: ['FIPS'],
  tags: [{ team: 'a' }],
  maxPods: [30],
  kubelet: Object.entries(KUBELET).map(([field, value]) => ({ [field]: value })),
  gpuMode: ['None'],
  encryptionAtHost: [true],
  trustedLaunch: [{ vtpm: true }, { secureBoot: true }],
  artifactStreaming: [true],
  localDns: [localDns('Preferred'), localDns('Required')],
  linuxOsConfig: [
    { swapFileSize: '1Gi' },
    { transparentHugePageEnabled: 'never' },
    { transparentHugePageDefrag: 'never' },
    ...Object.keys(SYSCTL_NAMES).map((field) => ({ sysctls: { [field]: field.endsWith('PortRange') ? '2000 60000' : 70_001 } })),
  ],
}

/** Everything that a field of a node class can change, as text. */
function effectsOf(spec: Partial<NodeClassSpec>): string {
  const theClass = nodeClass(spec)
  const size = usableSize(SKU)
  const types = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, theClass, CONFIG)
  const conditions = classConditions(theClass, fleetSnapshotOf(snapshot()))
  const [type] = types
  if (type === undefined) return JSON.stringify(['no size serves', conditions])
  const made = { claim: claim('one'), nodeClass: theClass, candidate: candidateOf(type), config: CONFIG }
  const tags = machineTags(made.claim, theClass, CONFIG)
  const request = { ...made, bootstrapToken: async () => '', within: durationMs(1) }
  const vm = machineBody({
    name: 'n',
    request,
    config: CONFIG,
    tags,
    interfaceId: '/i',
    imageId: '/i',
    customData: '',
    disk: size && osDiskOf(diskFacts(size), theClass.spec),
  })
  const nic = interfaceBody('n', { instanceType: type, nodeClass: theClass, config: CONFIG, poolIds: CONFIG.backendPoolIds, tags })
  const image = chooseImage(theClass, CONFIG, { arch: 'amd64', generations: ['1', '2'] })
  return JSON.stringify([
    type,
    bootVariables({ ...made, imageId: image ?? '', bootstrapToken: 'abcdef.0123456789abcdef' }),
    vm,
    nic,
    image,
    conditions,
  ])
}

describe('what a class says', () => {
  const cases = Object.entries(SPEC).flatMap(([field, values]) => values.map((value) => [field, value] as const))
  it.each(cases)('of %s, %j, has an effect or is said to have none', (field, value) => {
    expect(effectsOf({ [field]: value })).not.toBe(effectsOf({}))
  })
})
