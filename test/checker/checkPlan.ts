import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { checkClaim } from './checkClaim.ts'
import { checkLimits } from './checkLimits.ts'
import { checkTargets, fitsUnmanaged } from './checkTargets.ts'

/** Everything a provisioning decision promises that Kubernetes, the pools or Azure would not keep. Empty: nothing found. */
export function checkPlan(snapshot: ClusterSnapshot, decision: Decision): readonly string[] {
  const creates = decision.actions.filter((action): action is CreateClaim => action.kind === 'createClaim')
  const pods = new Map<string, Pod>(snapshot.objects.pod.map((pod) => [pod.uid, pod]))
  return [
    ...checkNames(snapshot, creates),
    ...checkEachPodOnce(snapshot, decision, creates),
    ...creates.flatMap((create) => checkClaim(snapshot, create, podsOf(create, pods))),
    ...checkLimits(snapshot, creates),
    ...checkTargets(snapshot, decision, creates),
    ...checkUnsupported(snapshot, decision, pods),
  ]
}

function podsOf(create: CreateClaim, pods: ReadonlyMap<string, Pod>): readonly Pod[] {
  return create.pods.flatMap(({ uid }) => pods.get(uid) ?? [])
}

function checkNames({ objects, drafts }: ClusterSnapshot, creates: readonly CreateClaim[]): readonly string[] {
  const taken = new Set<string>([...objects.nodeClaim, ...drafts].map((each) => each.name))
  return creates.flatMap(({ draft: { name } }) => {
    const problems: string[] = []
    if (taken.has(name)) problems.push(`claim ${name}: the name is taken`)
    if (`aks-${name}`.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) problems.push(`claim ${name}: not a name for a machine`)
    taken.add(name)
    return problems
  })
}

/** A pod is placed once, on something, or refused with a code; not both. */
function checkEachPodOnce(snapshot: ClusterSnapshot, decision: Decision, creates: readonly CreateClaim[]): readonly string[] {
  const claims = new Map<string, Set<string>>()
  const note = (uid: string, claim: string): unknown => claims.set(uid, (claims.get(uid) ?? new Set()).add(claim))
  const made = creates.flatMap(({ pods, draft }) => pods.map((pod) => `${pod.uid} ${draft.name}`))
  for (const { pods, draft } of creates) for (const pod of pods) note(pod.uid, draft.name)
  for (const action of decision.actions) if (action.kind === 'nominate') note(action.pod.uid, action.claim)
  const refused = new Set(decision.reasons.filter((each) => each.subject.kind === 'pod').map((each) => each.subject.name))
  const problems = new Set(made).size === made.length ? [] : ['a claim lists a pod twice']
  for (const pod of snapshot.objects.pod) {
    const places = claims.get(pod.uid)?.size ?? 0
    if (places > 1) problems.push(`pod ${pod.key}: placed ${places} times`)
    if (places > 0 && refused.has(pod.key)) problems.push(`pod ${pod.key}: placed and refused`)
    if (places > 0 && !wantsPlace(snapshot, pod)) problems.push(`pod ${pod.key}: placed though it needs no place`)
    if (places === 0 && !refused.has(pod.key) && isWaiting(pod) && !fitsUnmanaged(snapshot, pod)) {
      problems.push(`pod ${pod.key}: neither placed nor refused`)
    }
  }
  return problems
}

function isWaiting(pod: Pod): boolean {
  const isOwnedByNode = pod.owner?.kind === 'DaemonSet' || pod.owner?.kind === 'Node'
  const isFree = pod.nodeName === undefined && pod.nominatedNodeName === undefined && pod.deletedAt === undefined
  return pod.unschedulableSince !== undefined && isFree && pod.schedulingGates.length === 0 && !isOwnedByNode && pod.phase === 'Pending'
}

function wantsPlace({ objects }: ClusterSnapshot, pod: Pod): boolean {
  if (isWaiting(pod)) return true
  const node = objects.node.find((each) => each.name === pod.nodeName)
  const claim = objects.nodeClaim.find((each) => node?.providerId !== undefined && each.status.providerId === node.providerId)
  return claim === undefined
    ? node?.meta.deletedAt !== undefined
    : claim.meta.deletedAt !== undefined || isTerminating(claim.status.conditions)
}

function isTerminating(conditions: readonly { readonly type: string; readonly status: string }[]): boolean {
  return conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
}

/** Constraints no rule here checks: a placed pod must not have them. */
function checkUnsupported(snapshot: ClusterSnapshot, decision: Decision, pods: ReadonlyMap<string, Pod>): readonly string[] {
  const isStrict = snapshot.settings.preferencePolicy === 'Respect'
  const placed = decision.actions.flatMap((action) => (action.kind === 'nominate' ? (pods.get(action.pod.uid) ?? []) : []))
  return placed.flatMap((pod) => {
    const found = [
      pod.topologySpread.some((each) => isStrict || each.whenUnsatisfiable === 'DoNotSchedule') ? 'topology spread' : '',
      pod.podAffinity.required.length + pod.podAntiAffinity.required.length > 0 ? 'pod affinity' : '',
      isStrict && pod.podAffinity.preferred.length + pod.podAntiAffinity.preferred.length > 0 ? 'preferred pod affinity' : '',
      isStrict && pod.preferredNodeTerms.length > 0 ? 'preferred node affinity' : '',
      pod.volumes.length > 0 ? 'volumes' : '',
      pod.hostPorts.length > 0 ? 'host ports' : '',
      pod.resourceClaims.length > 0 ? 'resource claims' : '',
    ].filter((each) => each !== '')
    return found.map((each) => `pod ${pod.key}: placed though nothing checks its ${each}`)
  })
}
