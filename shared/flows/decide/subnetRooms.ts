import type { SubnetShare } from '../../model/clusterSnapshot.ts'
import { findCondition } from '../../model/condition.ts'
import type { NodeClassName } from '../../model/ids.ts'
import type { NodeClaim, NodeClaimDraft } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'
import type { SubnetState } from '../../ports/cloudProvider.ts'

type Coming = {
  readonly claims: readonly NodeClaim[]
  /** Claims that are decided and not made yet. */
  readonly drafts: readonly NodeClaimDraft[]
}

/**
 * For how many more machines the subnet of each class has addresses. The answer of Azure may be minutes old: machines that it may not count yet are
 * taken off. A machine may be taken off although Azure counted it; then the next answer gives its address back.
 */
export function subnetRoomsOf(
  states: ReadonlyMap<NodeClassName, SubnetState>,
  { claims, drafts }: Coming,
): ReadonlyMap<NodeClassName, SubnetShare> {
  const rooms = new Map([...states].flatMap(([name, { room }]) => (room === undefined ? [] : [[name, room] as const])))
  const coming = [
    ...claims.map((claim) => ({ name: claim.spec.nodeClassRef.name, launchedAt: launchedAt(claim) })),
    ...drafts.map(({ spec }) => ({ name: spec.nodeClassRef.name, launchedAt: undefined })),
  ]
  return new Map(
    [...rooms].map(([name, { subnet, machines, at }]) => {
      const isNotCounted = ({ name: other, launchedAt: since }: (typeof coming)[number]): boolean =>
        rooms.get(other)?.subnet === subnet && (since === undefined || since >= at)
      return [name, { subnet, machines: Math.max(0, machines - coming.filter(isNotCounted).length) }]
    }),
  )
}

function launchedAt({ status }: NodeClaim): EpochMs | undefined {
  const launched = findCondition(status.conditions, 'Launched')
  return launched?.status === 'True' ? launched.lastTransitionAt : undefined
}
