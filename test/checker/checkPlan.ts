import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { withAwaited } from './awaitedPods.ts'
import { checkChoice } from './checkChoice.ts'
import { checkDefinition } from './checkDefinition.ts'
import { checkPlacement } from './checkPlacement.ts'
import { checkReservations } from './checkReservations.ts'
import { runsOn, toleratesAll } from './kubernetesRules.ts'
import { placedPods } from './placedPods.ts'
import { placementOfDecision } from './placement.ts'
import { describeViolation, type Violation, violation } from './violation.ts'

/** Everything that a provisioning decision promises and that Kubernetes, the pools or Azure would not keep, in words. Empty if nothing is wrong. */
export function checkPlan(snapshot: ClusterSnapshot, decision: Decision): readonly string[] {
  return violationsOf(snapshot, decision).map(describeViolation)
}

export function violationsOf(given: ClusterSnapshot, decision: Decision): readonly Violation[] {
  const snapshot = withAwaited(given)
  const creates = decision.actions.filter((action): action is CreateClaim => action.kind === 'createClaim')
  return [
    ...checkNames(snapshot, creates),
    ...checkEachPodOnce(snapshot, decision, creates),
    ...creates.flatMap((create) => checkChoice(snapshot, create)),
    ...creates.flatMap(checkDefinition),
    ...checkReservations(snapshot, creates),
    ...checkPlacement(snapshot, placementOfDecision(decision)),
  ]
}

function checkNames({ objects, drafts }: ClusterSnapshot, creates: readonly CreateClaim[]): readonly Violation[] {
  const taken = new Set<string>([...objects.nodeClaim, ...drafts].map((each) => each.name))
  return creates.flatMap(({ draft: { name } }) => {
    const problems: Violation[] = []
    if (taken.has(name)) problems.push(violation('name', `claim ${name}`, 'the name is taken'))
    if (`joiner-${name}`.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
      problems.push(violation('name', `claim ${name}`, 'not a name for a machine'))
    }
    taken.add(name)
    return problems
  })
}

/** Checks that each pod is either placed once or refused with a code. */
function checkEachPodOnce(snapshot: ClusterSnapshot, decision: Decision, creates: readonly CreateClaim[]): readonly Violation[] {
  const claims = new Map<string, Set<string>>()
  const note = (uid: string, claim: string): unknown => claims.set(uid, (claims.get(uid) ?? new Set()).add(claim))
  const made = creates.flatMap(({ pods, draft }) => pods.map((pod) => `${pod.uid} ${draft.name}`))
  for (const { pod, claim } of placedPods(decision)) note(pod.uid, claim)
  const refused = new Set(decision.reasons.filter((each) => each.subject.kind === 'pod').map((each) => each.subject.name))
  const problems = new Set(made).size === made.length ? [] : [violation('once', 'the plan', 'a claim lists a pod twice')]
  for (const pod of snapshot.objects.pod) {
    const says = (message: string): unknown => problems.push(violation('once', `pod ${pod.key}`, message))
    const places = claims.get(pod.uid)?.size ?? 0
    if (places > 1) says(`placed ${places} times`)
    if (places > 0 && !wantsPlace(snapshot, pod)) says('placed though it needs no place')
    if (places === 0 && !refused.has(pod.key) && isWaiting(pod) && !fitsUnmanaged(snapshot, pod)) says('neither placed nor refused')
  }
  return problems
}

/** Reports whether a node without a claim would take the pod. Then the decision need not mention the pod. */
function fitsUnmanaged({ objects }: ClusterSnapshot, pod: Pod): boolean {
  const ids = new Set(objects.nodeClaim.map((each) => each.status.providerId))
  return objects.node.some((node) => {
    if (node.providerId !== undefined && ids.has(node.providerId)) return false
    const labels = { 'kubernetes.io/hostname': node.name, ...node.meta.labels }
    return runsOn(pod, labels) && toleratesAll(pod.tolerations, node.taints) && Object.keys(node.allocatable).length > 0
  })
}

function isWaiting(pod: Pod): boolean {
  return pod.unschedulableSince !== undefined && isFree(pod)
}

function isFree(pod: Pod): boolean {
  const isOwnedByNode = pod.owner?.kind === 'DaemonSet' || pod.owner?.kind === 'Node'
  const isUnbound = pod.nodeName === undefined && pod.deletedAt === undefined
  return isUnbound && pod.schedulingGates.length === 0 && !isOwnedByNode && pod.phase === 'Pending'
}

function wantsPlace({ objects }: ClusterSnapshot, pod: Pod): boolean {
  const isTwinOfWaiting = () => objects.pod.some((each) => each.owner?.uid === pod.owner?.uid && isWaiting(each))
  if (isWaiting(pod) || (isFree(pod) && pod.owner !== undefined && isTwinOfWaiting())) return true
  const node = objects.node.find((each) => each.name === pod.nodeName)
  const claim = objects.nodeClaim.find((each) => node?.providerId !== undefined && each.status.providerId === node.providerId)
  return claim === undefined
    ? node?.meta.deletedAt !== undefined
    : claim.meta.deletedAt !== undefined || isTerminating(claim.status.conditions)
}

function isTerminating(conditions: readonly { readonly type: string; readonly status: string }[]): boolean {
  return conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
}
