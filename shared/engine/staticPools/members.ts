import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { FleetSnapshot } from '../cluster/fleetSnapshot.ts'
import { isEnding, type StateNode } from '../cluster/stateNode.ts'

/** A machine of a static pool. */
export type Member = {
  /** `replaced`: a disruption under way has another machine made for it, and then ends it. */
  readonly stage: 'active' | 'replaced' | 'deleting'
  /** Undefined if the claim is decided and the watch has not shown it yet. It counts, and cannot be ended yet. */
  readonly there?: { readonly claim: NodeClaim; readonly machine: StateNode }
}

/** The machines of the pool's claims, and claims that are on their way into the cluster. */
export function membersOf({ name }: NodePool, { fleet, drafts, commands }: FleetSnapshot): readonly Member[] {
  const replaced = new Set(commands.flatMap(({ candidates }) => candidates.map(({ uid }) => uid)))
  const members: Member[] = []
  for (const machine of fleet.of(name)) {
    const { claim } = machine
    if (claim === undefined || !isOurs(claim.spec.nodeClassRef)) continue
    const stage = isEnding(claim) ? 'deleting' : replaced.has(claim.meta.uid) ? 'replaced' : 'active'
    members.push({ stage, there: { claim, machine } })
  }
  for (const { nodePool } of drafts) if (nodePool === name) members.push({ stage: 'active' })
  return members
}
