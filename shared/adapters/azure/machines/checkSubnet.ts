import type { NodeClass } from '../../../model/nodeClass.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { armFailure, isNotFound } from '../armFailure.ts'
import { platformSignal } from '../platformSignal.ts'
import type { MachineDeps } from './machineDeps.ts'
import { parseSubnetId } from './subnetId.ts'

/** How long an answer is used. A missing subnet is read again sooner. */
const BELIEVED_MS = { there: 180_000, missing: 60_000 }
/** The timeout of the read. It is short, because a decision waits for the answer. */
const LIMIT_MS = 5_000
const SUBNET_READ = 'Microsoft.Network/virtualNetworks/subnets/read'
const SUBNET_ROLE = 'Joiner subnet (Network Contributor with rbac=builtIn)'

type Answer = { readonly at: EpochMs; readonly found: Problem | undefined }

/** Returns a function that checks the subnet of a NodeClass. A NodeClass without one uses the subnet of the cluster, which is in the settings. */
export function createSubnetCheck(deps: MachineDeps): (nodeClass: NodeClass, signal: AbortSignalLike) => Promise<Problem | undefined> {
  const answers = new Map<string, Answer>()
  return async ({ spec }, signal) => {
    if (spec.vnetSubnetId === undefined) return undefined
    const elsewhere = outsideNetwork(deps, spec.vnetSubnetId)
    if (elsewhere !== undefined) return elsewhere
    const known = answers.get(spec.vnetSubnetId)
    const now = deps.clock.now()
    if (known !== undefined && now - known.at < (known.found === undefined ? BELIEVED_MS.there : BELIEVED_MS.missing)) return known.found
    const found = await lookFor(deps, spec.vnetSubnetId, signal)
    answers.set(spec.vnetSubnetId, { at: now, found })
    return found
  }
}

function outsideNetwork({ config }: MachineDeps, id: string): Problem | undefined {
  const networkOf = (subnet: string): string => subnet.toLowerCase().replace(/\/subnets\/[^/]*$/, '')
  if (networkOf(id) === networkOf(config.vnetSubnetId)) return undefined
  const message = `spec.vnetSubnetID ${id} is not in the cluster's virtual network ${config.vnetSubnetId.replace(/\/subnets\/[^/]*$/i, '')}; name one of its subnets`
  return problem('NODECLASS.INVALID', message, { path: 'spec.vnetSubnetID' })
}

/**
 * Reads a subnet and returns the problem with it. The app can only read subnets that it has a role on. Azure gives the same answer for a subnet that
 * does not exist and for one without a role. If the read fails for another reason, the NodeClass counts as valid: a launch will show the problem.
 */
async function lookFor(deps: MachineDeps, id: string, signal: AbortSignalLike): Promise<Problem | undefined> {
  const { group, network, subnet } = parseSubnetId(id)
  try {
    const { subnets } = await deps.clients.network()
    await subnets.get(group, network, subnet, { abortSignal: platformSignal(signal, LIMIT_MS) })
    return undefined
  } catch (error) {
    if (isNotFound(error)) {
      const message = `spec.vnetSubnetID ${id} does not exist in Azure; create the subnet, or name one that exists`
      return problem('AZURE.NOT_FOUND', message, { path: 'spec.vnetSubnetID' })
    }
    if (signal.aborted) throw error
    const { code, message, status } = armFailure(error)
    if (status === 403) {
      const lacks = `the app lacks ${SUBNET_READ} on spec.vnetSubnetID ${id}, or there is no such subnet: Azure says the same of both`
      const said = `${lacks}; name a subnet of the cluster's subnetIds, or add it there and deploy again, which gives the app the role ${SUBNET_ROLE} on it`
      return problem('AZURE.FORBIDDEN', said, { path: 'spec.vnetSubnetID' })
    }
    deps.telemetry.warn('a subnet could not be looked at', { subnet: id, azureCode: code, because: message })
    return undefined
  }
}
