/**
 * The taint of nodes that are planned to go with the next moves. Its effect is PreferNoSchedule: kube-scheduler sends new pods elsewhere if it can, so
 * that fewer pods must move.
 */
import { byKey } from '../../../base/lists.ts'
import type { TaintPlanned } from '../../../model/decision.ts'
import type { Node } from '../../../model/node.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import { isOurs } from '../../../model/nodeClass.ts'
import { isPlanned } from '../../../model/taint.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import { createFindings, type Finding } from '../../cluster/findings.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { isEnding, type StateNode } from '../../cluster/stateNode.ts'

/** A machine whose node has the taint, and the time of its plan. */
export type PlannedMachine = Tainted & { readonly plannedAt: EpochMs }

type Tainted = { readonly claim: NodeClaim; readonly node: Node }

/** How long a taint holds without a decision that plans moves: waiting pods that get places put such decisions off. */
const LONGEST = durationMs(60 * 60_000)
/** A taint of this age gets a new time if its node is still planned to go. */
const RENEWED_AFTER = durationMs(30 * 60_000)

/** Returns a function that finds the machines with the taint. A machine that ends keeps it. */
export function createPlannedMachines(): (snapshot: FleetSnapshot) => readonly PlannedMachine[] {
  const findings = createFindings<PlannedMachine>()
  return ({ fleet, takenAt }) => findings(fleet, takenAt, plannedMachine).found
}

function plannedMachine({ claim, node }: StateNode): Finding<PlannedMachine> {
  if (claim === undefined || node === undefined) return {}
  const plannedAt = plannedAtOf(node)
  if (plannedAt === undefined || isEnding(claim) || node.meta.deletedAt !== undefined || !isOurs(claim.spec.nodeClassRef)) return {}
  return { found: { claim, node, plannedAt } }
}

/** The time of the plan that the node's taint names. Undefined if the node does not have the taint. */
export function plannedAtOf({ taints }: Pick<Node, 'taints'>): EpochMs | undefined {
  const taint = taints.find(isPlanned)
  return taint && timeIn(taint.value)
}

/** A value that is no time counts as long ago. */
function timeIn(value = ''): EpochMs {
  return epochMs(SECONDS.test(value) ? Number(value) * 1_000 : 0)
}

const SECONDS = /^[0-9]{1,10}$/

export type Planning = {
  /** The machines that are planned to go next. `isWhole`: no other machines are. Undefined if this decision plans no moves. */
  readonly next: { readonly machines: readonly Tainted[]; readonly isWhole: boolean } | undefined
  readonly planned: readonly PlannedMachine[]
  /** Claims that go now. Their nodes lose the taint when they get the taint that closes them. */
  readonly going: ReadonlySet<string>
  /** The most nodes with the taint. */
  readonly most: number
  readonly now: EpochMs
}

/** The taints to write: each differs from what the node has. */
export function taintsToWrite({ next, planned, going, most, now }: Planning): readonly TaintPlanned[] {
  const before = new Map(planned.map((each) => [each.claim.name, each.plannedAt]))
  const kept = next?.isWhole === true ? [] : planned.filter((each) => now < later(each.plannedAt, LONGEST))
  const names = new Set(kept.map(({ claim }) => claim.name))
  for (const { claim } of next?.machines ?? []) if (names.size < most) names.add(claim.name)
  const gone = planned.filter(({ claim }) => !names.has(claim.name) && !going.has(claim.name))
  const due = (next?.machines ?? []).filter(({ claim }) => {
    const since = before.get(claim.name)
    return names.has(claim.name) && (since === undefined || now >= later(since, RENEWED_AFTER))
  })
  return [
    ...gone.map(({ node }): TaintPlanned => ({ kind: 'taintPlanned', node: node.name, uid: node.meta.uid })),
    ...due.map(({ node }): TaintPlanned => ({ kind: 'taintPlanned', node: node.name, uid: node.meta.uid, plannedAt: now })),
  ].sort(byKey(({ node }) => node))
}
