/** Finds pods that cannot be planned because no machine could help them, and says why. */
import { LABEL } from '../../../../model/labels.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { ProblemCode } from '../../../../model/problem.ts'
import { operatorOf } from '../../../../model/requirements.ts'
import { validateRequirement } from '../../../../model/requirementValidation.ts'
import { type Candidate, isPlain, namesNoNode } from './candidate.ts'
import type { PodReplicas } from './podReplicas.ts'
import { requiredTermsOf } from './requiredTerms.ts'
import type { VolumeIndex } from './volumes.ts'

export type Refusal = {
  readonly code: ProblemCode
  readonly message: string
  /** Set if nothing is reported, since the user asked for it. */
  readonly silent?: true
}

const MEND_VOLUME = 'correct that persistentvolumeclaim, its storage class or its volume'

export type RefusedPods = { readonly pods: readonly Pod[]; readonly why: Refusal }
export type Admission = { readonly candidates: readonly Candidate[]; readonly refused: readonly RefusedPods[] }

export function admit(replicas: readonly PodReplicas[], volumes: VolumeIndex): Admission {
  const candidates: Candidate[] = []
  const refused: RefusedPods[] = []
  for (const each of replicas) {
    const { pod } = each
    const why = refusalOf(pod)
    if (why !== undefined) {
      refused.push({ pods: each.pods(), why })
      continue
    }
    const needs = volumes(pod)
    if ('problem' in needs)
      refused.push({ pods: each.pods(), why: { code: 'POD.VOLUME', message: `${needs.problem}; to do: ${MEND_VOLUME}` } })
    else candidates.push({ ...each, volumes: needs, isPlain: isPlain(pod) })
  }
  return { candidates, refused }
}

function refusalOf(pod: Pod): Refusal | undefined {
  const isFree = namesNoNode(pod) && pod.resourceClaims.length === 0
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
  const hasFields = (pod.requiredNodeTerms ?? []).some((term) => term.matchFields.length > 0)
  if (!hasFields) return undefined
  const message = 'node affinity with matchFields names an existing node, which no new node can be; to do: select nodes by label'
  return { code: 'POD.UNSUPPORTED_MATCH_FIELDS', message }
}
