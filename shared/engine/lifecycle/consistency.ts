import type { ClaimAction, ClaimObservation, ClaimStep, ConditionChange } from '../../model/claimStep.ts'
import { findCondition } from '../../model/condition.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { amountOf } from '../../model/resources.ts'
import { becomes, isTrue, statusActions } from './claimStatus.ts'
import { warning } from './ending.ts'

/** The least share of the promised capacity that a node must report. Kernels and firmware keep some of it. */
const LEAST_SHARE = 0.9

export type Consistency = { readonly change: ConditionChange; readonly events: readonly ClaimAction[] }

/** Compares the capacity of the node with the capacity that the claim was promised. */
export function consistencyOf(claim: NodeClaim, node: Node): Consistency {
  const issue = whatIsShort(claim, node)
  if (issue === undefined) return { change: becomes(TYPE), events: [] }
  const change = { type: TYPE, status: 'False', reason: 'ConsistencyCheckFailed', message: issue } as const
  return { change, events: [{ kind: 'publish', event: warning(claim, 'FailedConsistencyCheck', issue) }] }
}

/** Updates ConsistentStateFound on an initialized claim when its node has changed. */
export function stepConsistency(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes } = observation
  const [node] = nodes
  if (!isTrue(claim, 'Initialized') || node === undefined || nodes.length > 1) return undefined
  if (isConsistencyKnown(claim, node)) return undefined
  const { change, events } = consistencyOf(claim, node)
  return { actions: [...statusActions(observation, [change]), ...events], reasons: [] }
}

/** Reports whether ConsistentStateFound on the claim is true of the node. */
export function isConsistencyKnown(claim: NodeClaim, node: Node): boolean {
  return findCondition(claim.status.conditions, TYPE)?.status === consistencyOf(claim, node).change.status
}

const TYPE = 'ConsistentStateFound'

function whatIsShort(claim: NodeClaim, node: Node): string | undefined {
  const short = Object.keys(claim.spec.requests)
    .sort()
    .find((name) => {
      const promised = amountOf(claim.status.capacity, name)
      return amountOf(claim.spec.requests, name) > 0 && promised > 0 && amountOf(node.capacity, name) < promised * LEAST_SHARE
    })
  if (short === undefined) return undefined
  const [promised, had] = [amountOf(claim.status.capacity, short), amountOf(node.capacity, short)]
  const share = ((had / promised) * 100).toFixed(1)
  return `expected ${promised} of resource ${short}, but found ${had} (${share}% of expected)`
}
