/** The limit on replacements by the free addresses of their subnets: for a while, both machines of a replacement are there. */
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import { createAddresses } from '../../cluster/subnetAddresses.ts'
import { reasonOf } from '../candidates/candidate.ts'
import type { MoveRule } from '../moves/moveRule.ts'

export function addressesRule({ subnetRooms }: FleetSnapshot): MoveRule {
  const addresses = createAddresses(subnetRooms)
  return {
    refusal({ candidates: [first], replacements = [] }) {
      const subnet = addresses.fullFor(replacements.map(({ draft }) => draft))
      if (subnet === undefined || first === undefined) return undefined
      const message = `subnet ${subnet} has no address left for the nodes that the move makes before its own nodes go (${replacements.length}); use a larger subnet, or let nodes end`
      return reasonOf(first.claim, 'AZURE.SUBNET_FULL', message, { needed: replacements.length })
    },
    begin: ({ replacements = [] }) => addresses.take(replacements.map(({ draft }) => draft)),
    // Addresses become free with machines that go, and each is a change of the cluster. Others are seen at the next look at the subnet.
    wakes: () => [],
    mark: addresses.mark,
  }
}
