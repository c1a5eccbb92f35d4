/** Pods that are planned, and pods that cannot be planned because no machine could help them, and why. */
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort, Pod } from '../../../../model/pod.ts'
import type { ProblemCode } from '../../../../model/problem.ts'
import { validateRequirement } from '../../../../model/requirementSpecs.ts'
import { operatorOf } from '../../../../model/requirements.ts'
import type { PodReplicas } from './podReplicas.ts'
import { type Awaited, awaitedClaims, type OnceClaims } from './podsToPlace.ts'
import { requiredTermsOf } from './relaxation.ts'
import type { VolumeIndex, VolumeNeeds } from './volumes.ts'

/** Replicas that are planned, with what their volumes require. */
export type Candidate = PodReplicas & {
  readonly volumes: VolumeNeeds
  /** True if the pods ask for resources and nothing else. Most pods do, and they need not be compared field by field. */
  readonly isPlain: boolean
}

function isPlain(pod: Pod): boolean {
  const { preferredNodeTerms, tolerations, topologySpread, podAffinity, podAntiAffinity } = pod
  if (preferredNodeTerms.length + tolerations.length + topologySpread.length > 0) return false
  if (podAffinity.required.length + podAffinity.preferred.length > 0) return false
  if (podAntiAffinity.required.length + podAntiAffinity.preferred.length > 0) return false
  if (pod.hostPorts.length + pod.volumes.length + pod.resourceClaims.length > 0) return false
  return namesNoNode(pod)
}

/** Reports whether the pod requires nothing of the labels of nodes. */
function namesNoNode({ requiredNodeTerms, nodeSelector }: Pod): boolean {
  if (requiredNodeTerms !== undefined) return false
  for (const _ in nodeSelector) return false
  return true
}

/** Reports whether the pod has to leave its node, and has preferences that it can give up. Such pods are told apart from pods that wait. */
export function isLeaving({ nodeName, preferredNodeTerms, podAffinity, podAntiAffinity, topologySpread }: Pod): boolean {
  if (nodeName === undefined) return false
  if (preferredNodeTerms.length + podAffinity.preferred.length + podAntiAffinity.preferred.length > 0) return true
  return topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
}

export type Refusal = {
  readonly code: ProblemCode
  readonly message: string
  /** Set if nothing is reported, since the user asked for it. */
  readonly silent?: true
}

const MEND_VOLUME = 'correct that persistentvolumeclaim, its storage class or its volume'

export type RefusedPods = { readonly pods: readonly Pod[]; readonly why: Refusal }
export type Admission = { readonly candidates: readonly Candidate[]; readonly refused: readonly RefusedPods[] }

export function admit(replicas: readonly PodReplicas[], volumes: VolumeIndex, once: OnceClaims = NO_ONCE_CLAIMS): Admission {
  const candidates: Candidate[] = []
  const refused: RefusedPods[] = []
  const awaitedBy = awaitedClaims(replicas, once)
  for (const each of replicas) {
    const { pod } = each
    const why = refusalOf(pod)
    if (why !== undefined) {
      refused.push({ pods: each.pods(), why })
      continue
    }
    const needs = volumes(pod)
    if ('problem' in needs) {
      refused.push({ pods: each.pods(), why: { code: 'POD.VOLUME', message: `${needs.problem}; to do: ${needs.toDo ?? MEND_VOLUME}` } })
      continue
    }
    const free = awaitedBy(pod) === undefined && each.count === 1 ? each : withoutAwaiting(each, awaitedBy, refused)
    if (free !== undefined) candidates.push({ ...free, volumes: needs, isPlain: isPlain(free.pod) })
  }
  return { candidates, refused }
}

const NO_ONCE_CLAIMS: OnceClaims = { isOncePod: () => false, userOf: () => undefined }

/** The pods that wait for no claim. The others are refused. */
function withoutAwaiting(
  replicas: PodReplicas,
  awaitedBy: (pod: Pod) => Awaited | undefined,
  refused: RefusedPods[],
): PodReplicas | undefined {
  // All replicas have the same claims, so at most one of them waits for none of these.
  if (replicas.pod.volumes.length === 0) return replicas
  const free: Pod[] = []
  for (const pod of replicas.pods()) {
    const awaited = awaitedBy(pod)
    if (awaited === undefined) free.push(pod)
    else refused.push({ pods: [pod], why: { code: 'POD.VOLUME', message: onceText(awaited) } })
  }
  const [first] = free
  return first === undefined ? undefined : { pod: first, count: free.length, pods: () => free }
}

function onceText({ claim, user }: Awaited): string {
  const how = user.nodeName === undefined ? `goes to pod ${user.key} first` : `is used by pod ${user.key}`
  return `persistentvolumeclaim ${claim} is ReadWriteOncePod and ${how}; to do: wait until that pod is gone, or use access mode ReadWriteOnce`
}

function refusalOf(pod: Pod): Refusal | undefined {
  const isFree = namesNoNode(pod) && pod.resourceClaims.length === 0 && pod.schedulingGroup === undefined
  return isFree ? undefined : (optOut(pod) ?? invalid(pod) ?? unsupported(pod))
}

function optOut(pod: Pod): Refusal | undefined {
  const isOut = requiredTermsOf(pod).some((requirements) => {
    const pool = requirements.get(LABEL.nodePool)
    return pool !== undefined && operatorOf(pool) === 'DoesNotExist'
  })
  return isOut ? { code: 'POD.OPT_OUT', message: `the pod asks for a node without the label ${LABEL.nodePool}`, silent: true } : undefined
}

function invalid(pod: Pod): Refusal | undefined {
  const selectors = Object.entries(pod.nodeSelector).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }))
  const expressions = (pod.requiredNodeTerms ?? []).flatMap((term) => term.matchExpressions)
  const problems = [...selectors, ...expressions].flatMap(validateRequirement)
  if (problems.length === 0) return undefined
  const said = problems.map((each) => each.message).join('; ')
  return { code: 'POD.INVALID', message: `${said}; to do: correct spec.nodeSelector or spec.affinity.nodeAffinity of the pod` }
}

function unsupported(pod: Pod): Refusal | undefined {
  if (pod.resourceClaims.length > 0) {
    return {
      code: 'POD.UNSUPPORTED_RESOURCE_CLAIM',
      message: `spec.resourceClaims (${pod.resourceClaims.join(', ')}) is not supported; to do: remove spec.resourceClaims, or run the pod on an existing node`,
    }
  }
  if (pod.schedulingGroup !== undefined) {
    return {
      code: 'POD.UNSUPPORTED_SCHEDULING_GROUP',
      message: `the pod belongs to scheduling group ${pod.schedulingGroup}, and groups that are bound together are not supported; to do: remove spec.schedulingGroup (in Kubernetes 1.35: spec.workloadRef), or run the pods on existing nodes`,
    }
  }
  const hasFields = (pod.requiredNodeTerms ?? []).some((term) => term.matchFields.length > 0)
  if (!hasFields) return undefined
  const message = 'node affinity with matchFields names an existing node, which no new node can be; to do: select nodes by label'
  return { code: 'POD.UNSUPPORTED_MATCH_FIELDS', message }
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::'])

/** Reports whether a port of one clashes with a port of the other on one machine. */
export function portsClash(first: readonly HostPort[], second: readonly HostPort[]): boolean {
  return first.some((one) => second.some((other) => portClashes(one, other)))
}

/** An unspecified address takes the port on every address. */
function portClashes(one: HostPort, other: HostPort): boolean {
  if (one.port !== other.port || one.protocol !== other.protocol) return false
  return one.ip === other.ip || ANY_ADDRESS.has(one.ip) || ANY_ADDRESS.has(other.ip)
}
