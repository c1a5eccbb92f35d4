import { Fault, problem } from '../../../model/problem.ts'

export type SubnetId = { readonly group: string; readonly network: string; readonly subnet: string }

const FORM = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Network\/virtualNetworks\/([^/]+)\/subnets\/([^/]+)$/i

/**
 * Splits the resource id of a subnet and keeps its spelling. Throws a Fault for another form, though settings and NodeClasses were checked before.
 */
export function parseSubnetId(id: string): SubnetId {
  const [, group, network, subnet] = FORM.exec(id) ?? []
  if (group === undefined || network === undefined || subnet === undefined) {
    throw new Fault('read subnet id', problem('NODECLASS.INVALID', `subnet ${id}: must be the full resource id of a subnet`))
  }
  return { group, network, subnet }
}
