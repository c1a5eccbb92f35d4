import { DEFAULT_MACHINE_NAMES, instanceNameOf, nodeClaimName, nodePoolName, vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { Instance } from '../../shared/model/instance.ts'
import { ago, MINUTE } from './clock.ts'
import { DEFAULT_SIZE, providerIdOf } from './nodeClaim.ts'

export type InstanceShape = Partial<Omit<Instance, 'claim' | 'size' | 'zone'>> & {
  readonly claim?: string
  readonly size?: string
  readonly zone?: string
}

/** The running VM of claim `default-aaaaa`. */
export function instance(shape: InstanceShape = {}): Instance {
  const { claim = 'default-aaaaa', size = DEFAULT_SIZE, zone = 'eastus-1', ...overrides } = shape
  return {
    name: instanceNameOf(nodeClaimName(claim), DEFAULT_MACHINE_NAMES),
    claim: nodeClaimName(claim),
    nodePool: nodePoolName('default'),
    providerId: providerIdOf(claim),
    size: vmSizeName(size),
    zone: zoneName(zone),
    capacityType: 'on-demand',
    createdAt: ago(9 * MINUTE),
    state: { kind: 'running' },
    ...overrides,
  }
}
