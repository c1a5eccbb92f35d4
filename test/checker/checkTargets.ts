import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { Taint } from '../../shared/model/taint.ts'
import { checkOutcomes, daemonRuns, newestOf, totalOf } from './checkClaim.ts'
import { isGoneFrom, isOfDaemonSet, runsOn, toleratesAll } from './kubernetesRules.ts'
import { allocatable, outcomesOf } from './outcomes.ts'

/** Pods promised to what is there already: nodes, launched claims, claims and drafts that may still become several sizes. */
export function checkTargets(snapshot: ClusterSnapshot, decision: Decision, creates: readonly CreateClaim[]): readonly string[] {
  const made = new Set<string>(creates.map((create) => create.draft.name))
  const podByUid = new Map<string, Pod>(snapshot.objects.pod.map((pod) => [pod.uid, pod]))
  const byClaim = new Map<string, Pod[]>()
  for (const action of decision.actions) {
    if (action.kind !== 'nominate' || made.has(action.claim)) continue
    const pod = podByUid.get(action.pod.uid)
    byClaim.set(action.claim, [...(byClaim.get(action.claim) ?? []), ...(pod === undefined ? [] : [pod])])
  }
  return [...byClaim].flatMap(([name, pods]) => checkTarget(snapshot, name, pods).map((rule) => `claim ${name}: ${rule}`))
}

/** A node no claim made would take the pod, so nothing has to be said about it. */
export function fitsUnmanaged({ objects }: ClusterSnapshot, pod: Pod): boolean {
  const ids = new Set(objects.nodeClaim.map((each) => each.status.providerId))
  return objects.node.some((node) => {
    if (node.providerId !== undefined && ids.has(node.providerId)) return false
    return runsOn(pod, node.meta.labels) && toleratesAll(pod.tolerations, node.taints) && Object.keys(node.allocatable).length > 0
  })
}

function checkTarget(snapshot: ClusterSnapshot, name: string, pods: readonly Pod[]): readonly string[] {
  const claim = snapshot.objects.nodeClaim.find((each) => each.name === name)
  const draft = snapshot.drafts.find((each) => each.name === name)
  if (claim === undefined) {
    if (draft === undefined) return ['pods are promised to it, but there is no such claim']
    return checkOutcomes(snapshot, draft.spec, outcomesOf(snapshot, draft.spec, draft.labels), pods)
  }
  if (claim.meta.deletedAt !== undefined) return ['pods are promised to it, but it is being deleted']
  if (claim.status.providerId === undefined) {
    return checkOutcomes(snapshot, claim.spec, outcomesOf(snapshot, claim.spec, claim.meta.labels), pods)
  }
  const node = snapshot.objects.node.find((each) => each.providerId === claim.status.providerId)
  return checkMachine(snapshot, claim, node, pods)
}

function checkMachine(snapshot: ClusterSnapshot, claim: NodeClaim, node: Node | undefined, pods: readonly Pod[]): readonly string[] {
  const { objects } = snapshot
  const isInitialized = node?.meta.labels['karpenter.sh/initialized'] === 'true'
  const isRegistered = node?.meta.labels['karpenter.sh/registered'] === 'true'
  const labels: Labels = { 'kubernetes.io/hostname': node?.name ?? '', ...(isRegistered ? node?.meta.labels : claim.meta.labels) }
  const taints = (isRegistered ? (node?.taints ?? []) : claim.spec.taints).filter((taint) => isInitialized || !isPassing(taint, claim))
  const bound = objects.pod.filter((pod) => node !== undefined && pod.nodeName === node.name && !isGoneFrom(pod))
  const free = node === undefined ? promised(snapshot, claim) : isInitialized ? node.allocatable : filled(node, claim)
  const missing = objects.daemonSet.filter((set) => daemonRuns(set, labels, taints)).map((set) => newestOf(set, objects.pod))
  const daemons = bound.filter(isOfDaemonSet)
  const expected = totalOf(missing)
  const present = totalOf(daemons)
  const problems: string[] = []
  for (const [name, amount] of totalOf([...bound, ...pods])) {
    const extra = Math.max(0, (expected.get(name) ?? 0) - (present.get(name) ?? 0))
    if (amount + extra > (free[name] ?? 0)) problems.push(`it has ${free[name] ?? 0} ${name}, ${amount + extra} would be asked of it`)
  }
  for (const pod of pods) {
    if (!runsOn(pod, labels)) problems.push(`pod ${pod.key} must not run there by its selectors`)
    if (!toleratesAll(pod.tolerations, taints)) problems.push(`pod ${pod.key} does not tolerate its taints`)
  }
  return problems
}

/** Before the status says it, a launched claim is as large as its size. */
function promised({ instanceTypes }: ClusterSnapshot, { status, spec, meta }: NodeClaim): Resources {
  if (Object.keys(status.allocatable).length > 0) return status.allocatable
  const type = instanceTypes.get(spec.nodeClassRef.name)?.find((each) => each.name === meta.labels['node.kubernetes.io/instance-type'])
  return type === undefined ? {} : allocatable(type)
}

/** Taints that go by themselves before the node is initialized. */
function isPassing(taint: Taint, claim: NodeClaim): boolean {
  const known = [
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
    'node.cloudprovider.kubernetes.io/uninitialized',
    'karpenter.sh/unregistered',
  ]
  const isStartup = claim.spec.startupTaints.some((each) => each.key === taint.key && each.effect === taint.effect)
  return isStartup || known.includes(taint.key) || taint.key.startsWith('readiness.k8s.io/')
}

function filled(node: Node, claim: NodeClaim): Resources {
  const reported = Object.entries(node.allocatable).filter(([, amount]) => amount !== 0)
  return { ...claim.status.allocatable, ...Object.fromEntries(reported) }
}
