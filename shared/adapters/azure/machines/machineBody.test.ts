import { describe, expect, it } from 'vitest'
import { candidateOf, claim, clusterConfig, nodeClass } from '../../../../test/azure/harness.ts'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { zoneName } from '../../../model/ids.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { ClusterConfigInput } from '../../../wire/clusterConfig.ts'
import { AZURE_LABEL } from '../azureLabels.ts'
import { buildInstanceTypes } from '../sizes/instanceTypes.ts'
import { usableSize } from '../sizes/size.ts'
import { type MachineInput, machineBody } from './machineBody.ts'

const GROUP = '/subscriptions/s/resourceGroups/g/providers'
const PLACE = {
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
  location: 'eastus',
  resourceGroups: ['mc_a'],
  subnetId: `${GROUP}/Microsoft.Network/virtualNetworks/v/subnets/nodes`,
}

type Given = {
  readonly spec?: Partial<NodeClass['spec']>
  readonly requirements?: NodeClaim['spec']['requirements']
  readonly config?: Partial<ClusterConfigInput>
  readonly zone?: string
  readonly zones?: string[]
  readonly disk?: MachineInput['disk']
}

function bodyOf({ spec, requirements = [], config: over, zone = 'eastus-1', zones = ['1', '2', '3'], disk }: Given) {
  const config = clusterConfig(PLACE, over)
  const theClass = nodeClass(spec)
  const size = usableSize(sku({ zones }))
  const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, theClass, config)
  if (type === undefined) throw new Error('the size must serve')
  const candidate = candidateOf(type, { zone: zoneName(zone), capacityType: 'on-demand' })
  const request = { claim: claim('one', { requirements }), nodeClass: theClass, candidate }
  return machineBody({ name: 'n', request, config, tags: {}, interfaceId: '/i', imageId: '/g', customData: '', disk })
}

describe('the body of a machine', () => {
  it.each([
    [undefined, undefined],
    [true, { encryptionAtHost: true }],
    [false, { encryptionAtHost: false }],
  ])('VM-15 says what the class says of encryption at host: %s', (encryptionAtHost, want) => {
    expect(bodyOf({ spec: encryptionAtHost === undefined ? {} : { encryptionAtHost } }).securityProfile).toEqual(want)
  })

  it.each([
    [undefined, undefined],
    [{ vtpm: true }, [false, true]],
    [{ secureBoot: true }, [true, false]],
    [{ vtpm: true, secureBoot: true }, [true, true]],
    [{ vtpm: false, secureBoot: false }, undefined],
  ])('VM-16 says what the class says of trusted launch: %j', (trustedLaunch, want) => {
    const uefi = want === undefined ? undefined : { secureBootEnabled: want[0], vTpmEnabled: want[1] }
    const wanted = uefi === undefined ? undefined : { securityType: 'TrustedLaunch', uefiSettings: uefi }
    expect(bodyOf({ spec: trustedLaunch === undefined ? {} : { trustedLaunch } }).securityProfile).toEqual(wanted)
  })

  it.each([
    ['In', ['true'], true],
    ['In', ['false'], false],
    ['In', ['true', 'false'], false],
    ['NotIn', ['true'], false],
    ['NotIn', ['false'], true],
    ['Exists', [], false],
  ] as const)('VM-17 has ultra disks only if the claim wants them and nothing else: %s %j', (operator, values, want) => {
    const asked = { key: AZURE_LABEL.ultraSsd, operator, values: [...values] }
    expect(bodyOf({ requirements: [asked] }).additionalCapabilities).toEqual(want ? { ultraSSDEnabled: true } : undefined)
    expect(bodyOf({}).additionalCapabilities).toBeUndefined()
  })

  it.each([undefined, 'CacheDisk', 'NvmeDisk'] as const)('VM-28 encrypts its disk with the set, wherever the disk is: %s', (placement) => {
    const disk: MachineInput['disk'] =
      placement === undefined ? { kind: 'managed', storageAccountType: 'Premium_LRS', tier: 'P10' } : { kind: 'ephemeral', placement }
    const diskEncryptionSetId = `${GROUP}/Microsoft.Compute/diskEncryptionSets/d`
    const { osDisk } = bodyOf({ disk, config: { diskEncryptionSetId } }).storageProfile ?? {}
    const kind = placement === undefined ? { storageAccountType: 'Premium_LRS' } : {}
    expect(osDisk?.managedDisk).toEqual({ ...kind, diskEncryptionSet: { id: diskEncryptionSetId } })
    expect(osDisk?.diffDiskSettings?.placement).toBe(placement)
  })

  it('leaves the kind of its disk to Azure if the size is not in the list of sizes', () => {
    expect(bodyOf({}).storageProfile?.osDisk).toEqual({ name: 'n', diskSizeGB: 128, createOption: 'FromImage', deleteOption: 'Delete' })
  })

  it('VM-10 has the user of the settings, and the key where sshd looks for it', () => {
    const { osProfile } = bodyOf({ config: { adminUsername: 'operator' } })
    expect([osProfile?.adminUsername, osProfile?.linuxConfiguration?.ssh?.publicKeys?.[0]?.path]).toEqual([
      'operator',
      ['', 'home', 'operator', '.ssh', 'authorized_keys'].join('/'),
    ])
  })

  it('ZO-02, ZO-04 has a zone only if it is to be in one', () => {
    expect(bodyOf({}).zones).toEqual(['1'])
    expect('zones' in bodyOf({ zone: '0' })).toBe(false)
    expect('zones' in bodyOf({ zone: '0', zones: [] })).toBe(false)
  })
})
