import { isManagedSubnet, type NodeClass } from '../../../model/nodeClass.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { CloudProvider, SubnetState } from '../../../ports/cloudProvider.ts'
import { armFailure, isNotFound } from '../armFailure.ts'
import { platformSignal } from '../platformSignal.ts'
import { isNodeSubnet, maxPodsOf } from '../sizes/maxPods.ts'
import { freeAddresses } from './freeAddresses.ts'
import type { MachineDeps } from './machineDeps.ts'
import { parseSubnetId } from './subnetId.ts'

/** How long an answer is used. A missing subnet is read again sooner. */
const BELIEVED_MS = { there: 180_000, missing: 60_000 }
/** The timeout of the read. It is short, because a decision waits for the answer. */
const LIMIT_MS = 5_000
const SUBNET_READ = 'Microsoft.Network/virtualNetworks/subnets/read'
const SUBNET_ROLE = 'Joiner subnet (Network Contributor with rbac=builtIn)'

type Answer = { readonly at: EpochMs; readonly state: SubnetState }

/**
 * Returns a function that checks the subnet of a NodeClass: whether it is there, and has addresses for a machine. A NodeClass without one uses the
 * subnet of the cluster, which is in the settings and was there when the cluster was made.
 */
export function createSubnetCheck(deps: MachineDeps): CloudProvider['subnetState'] {
  const answers = new Map<string, Answer>()
  return async ({ spec }, signal) => {
    const elsewhere = spec.vnetSubnetId === undefined ? undefined : outsideNetwork(deps, spec.vnetSubnetId)
    if (elsewhere !== undefined) return { problem: elsewhere }
    const asked = askedOf(deps, spec)
    const known = answers.get(asked.key)
    const at = deps.clock.now()
    if (known !== undefined && at - known.at < (known.state.problem === undefined ? BELIEVED_MS.there : BELIEVED_MS.missing))
      return known.state
    const state = await lookFor(deps, asked, at, signal)
    answers.set(asked.key, { at, state })
    return state
  }
}

/** `isNamed`: the NodeClass names the subnet. `needed`: the addresses of a machine. */
type Asked = { readonly id: string; readonly isNamed: boolean; readonly needed: number; readonly key: string }

function askedOf({ config }: MachineDeps, spec: NodeClass['spec']): Asked {
  const [id, isNamed] = [spec.vnetSubnetId ?? config.vnetSubnetId, spec.vnetSubnetId !== undefined]
  const needed = isNodeSubnet(config) ? maxPodsOf(spec, config) : 1
  return { id, isNamed, needed, key: `${id} ${isNamed} ${needed}` }
}

function withoutRoom(id: string, free: number, needed: number): Problem | undefined {
  if (free >= needed) return undefined
  const message = `subnet ${id} has ${Math.max(0, free)} free addresses and a machine needs ${needed}; use a larger subnet in spec.vnetSubnetID, or let nodes end`
  return problem('AZURE.SUBNET_FULL', message, { path: 'spec.vnetSubnetID' })
}

function outsideNetwork({ config }: MachineDeps, id: string): Problem | undefined {
  const networkOf = (subnet: string): string => subnet.toLowerCase().replace(/\/subnets\/[^/]*$/, '')
  if (networkOf(id) === networkOf(config.vnetSubnetId)) return besideManaged(config, id)
  const message = `spec.vnetSubnetID ${id} is not in the cluster's virtual network ${config.vnetSubnetId.replace(/\/subnets\/[^/]*$/i, '')}; name one of its subnets`
  return problem('NODECLASS.INVALID', message, { path: 'spec.vnetSubnetID' })
}

/** AKS keeps security group and route table on its own subnet only: machines in another subnet of its network would have neither. */
function besideManaged({ vnetSubnetId, nodeResourceGroup }: MachineDeps['config'], id: string): Problem | undefined {
  if (!isManagedSubnet(vnetSubnetId, nodeResourceGroup) || isManagedSubnet(id, nodeResourceGroup)) return undefined
  const message = `spec.vnetSubnetID ${id} is in the virtual network that AKS made, where nodes may be in ${vnetSubnetId} only; leave the field out, or use a cluster with a virtual network of your own`
  return problem('NODECLASS.INVALID', message, { path: 'spec.vnetSubnetID' })
}

/**
 * Reads a subnet and returns the problem with it. The app can only read subnets that it has a role on. Azure gives the same answer for a subnet that
 * does not exist and for one without a role. If the read fails for another reason, the NodeClass counts as valid: a launch will show the problem.
 */
async function lookFor(deps: MachineDeps, { id, isNamed, needed }: Asked, at: EpochMs, signal: AbortSignalLike): Promise<SubnetState> {
  const { group, network, subnet } = parseSubnetId(id)
  try {
    const { subnets } = await deps.clients.network()
    const read = await subnets.get(group, network, subnet, { abortSignal: platformSignal(signal, LIMIT_MS) })
    const free = freeAddresses(read)
    if (free === undefined) return {}
    const room = { subnet: id.toLowerCase(), machines: Math.max(0, Math.floor(free / needed)), at }
    return { problem: withoutRoom(id, free, needed), room }
  } catch (error) {
    // The subnet of the cluster may be in a network of a user, where the app may join it but not read it.
    if (!isNamed && !signal.aborted) return {}
    if (isNotFound(error)) {
      const message = `spec.vnetSubnetID ${id} does not exist in Azure; create the subnet, or name one that exists`
      return { problem: problem('AZURE.NOT_FOUND', message, { path: 'spec.vnetSubnetID' }) }
    }
    if (signal.aborted) throw error
    const { code, message, status } = armFailure(error)
    if (status === 403) {
      const lacks = `the app lacks ${SUBNET_READ} on spec.vnetSubnetID ${id}, or there is no such subnet: Azure says the same of both`
      const said = `${lacks}; name a subnet of the cluster's subnetIds, or add it there and deploy again, which gives the app the role ${SUBNET_ROLE} on it`
      return { problem: problem('AZURE.FORBIDDEN', said, { path: 'spec.vnetSubnetID' }) }
    }
    deps.telemetry.warn('a subnet could not be looked at', { subnet: id, azureCode: code, because: message })
    return {}
  }
}
