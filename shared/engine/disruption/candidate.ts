import { defined } from '../../base/defined.ts'
import { largestOf } from '../../base/lists.ts'
import type { Reason } from '../../model/decision.ts'
import { vmSizeName, zoneName } from '../../model/ids.ts'
import type { CapacityType } from '../../model/instanceType.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { LaunchChoice } from '../../model/launchPlan.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { type EpochMs, epochMs, later } from '../../model/units.ts'
import type { Sight } from '../cluster/sight.ts'
import { labelsOf, type StateNode } from '../cluster/stateNode.ts'
import { blockingBudgets } from '../pod/eviction.ts'
import { isDoNotDisrupt, isEvictable } from '../pod/podPredicates.ts'
import { isResting } from './commands/backOff.ts'

/** A machine of a pool that is up and staying. */
export type Candidate = { readonly machine: StateNode; readonly node: Node; readonly claim: NodeClaim; readonly pool: NodePool }

/** Machines whose pool may want them gone. Those that are coming up, going, of a static pool, or of another provider are not among them. */
export function candidatesOf(machines: readonly StateNode[], { objects }: Sight): readonly Candidate[] {
  const pools = new Map<string | undefined, NodePool>(objects.nodePool.map((pool) => [pool.name, pool]))
  return machines.flatMap((machine) => {
    const { claim, node } = machine
    const pool = pools.get(labelsOf(machine)[LABEL.nodePool])
    if (claim === undefined || node === undefined || !machine.isInitialized || machine.isGoing) return []
    if (!isOurs(claim.spec.nodeClassRef)) return []
    return pool === undefined || pool.replicas !== undefined ? [] : [{ machine, node, claim, pool }]
  })
}

/** Why the machine must stay for now, apart from what it would save; undefined when nothing forbids its end. */
export function protectionOf({ machine, node, claim }: Candidate, sight: Sight): Reason | undefined {
  const { takenAt, nominations, commands, backOffs, objects } = sight
  if (node.meta.annotations[ANNOTATION.doNotDisrupt] === 'true') {
    return reasonOf(claim, 'DISRUPTION.DO_NOT_DISRUPT', `its node is annotated ${ANNOTATION.doNotDisrupt}`)
  }
  if (nominations.some((each) => each.claim === claim.name && each.until > takenAt)) {
    return reasonOf(claim, 'DISRUPTION.NOMINATED', 'a pod is expected on it')
  }
  if (commands.some(({ replacements }) => replacements.includes(claim.name))) {
    return reasonOf(claim, 'DISRUPTION.NOMINATED', 'a move under way waits for it')
  }
  if (isResting(claim, backOffs, takenAt))
    return reasonOf(claim, 'DISRUPTION.RESTING', 'a move of its node came to nothing a short while ago')
  const held = machine.pods.find((pod) => isDoNotDisrupt(pod, takenAt))
  if (held !== undefined) return reasonOf(claim, 'DISRUPTION.DO_NOT_DISRUPT', `pod ${held.key} is annotated ${ANNOTATION.doNotDisrupt}`)
  const guarded = machine.pods.find((pod) => isEvictable(pod, takenAt) && blockingBudgets(pod, objects.podDisruptionBudget).length > 0)
  return guarded === undefined ? undefined : reasonOf(claim, 'DISRUPTION.PDB', `a pod disruption budget holds pod ${guarded.key}`)
}

/** When the machine last gained or began to lose a pod, as far as can be seen, or came up. */
function lastPodEvent({ machine, claim }: Candidate): EpochMs {
  const initialized = claim.status.conditions.find((each) => each.type === 'Initialized')?.lastTransitionAt ?? claim.meta.createdAt
  // A deletion time lies ahead while a pod ends; what counts is not later than now, which the caller compares with.
  const events = machine.pods.flatMap((pod) => [pod.scheduledAt ?? pod.createdAt, pod.deletedAt ?? pod.createdAt])
  return epochMs(largestOf(events, Math.max(initialized, claim.status.lastPodEventAt ?? initialized)))
}

/** When the machine has been quiet for long enough; undefined: never. */
export function quietAt(candidate: Candidate): EpochMs | undefined {
  const { consolidateAfter } = candidate.pool.disruption
  return consolidateAfter === 'Never' ? undefined : later(lastPodEvent(candidate), consolidateAfter)
}

/** What the machine is and costs, by its labels; undefined when they do not say. */
export function choiceOf({ machine, claim }: Candidate, { instanceTypes }: Sight): LaunchChoice | undefined {
  const labels = labelsOf(machine)
  const size = labels[LABEL.instanceType]
  const zone = labels[LABEL.zone]
  const capacityType = CAPACITY_TYPES.find((each) => each === labels[LABEL.capacityType])
  if (size === undefined || zone === undefined || capacityType === undefined) return undefined
  const type = instanceTypes.get(claim.spec.nodeClassRef.name)?.find((each) => each.name === size)
  const offering = type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType)
  return defined({ size: vmSizeName(size), zone: zoneName(zone), capacityType, price: offering?.price })
}

export function reasonOf(claim: NodeClaim, code: ProblemCode, message: string): Reason {
  return { code, subject: { kind: 'nodeClaim', name: claim.name }, message }
}

const CAPACITY_TYPES: readonly CapacityType[] = ['on-demand', 'spot', 'reserved']
