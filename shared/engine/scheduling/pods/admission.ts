/** Pods that cannot take part, and why: what no machine could make right. */
import { LABEL } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { operatorOf } from '../../../model/requirements.ts'
import { validateRequirement } from '../../../model/requirementValidation.ts'
import { type Candidate, isPlain, namesNoNode } from './candidate.ts'
import { requiredTermsOf } from './requiredTerms.ts'
import type { Twins } from './twins.ts'
import type { VolumeIndex } from './volumes.ts'

export type Refusal = {
  readonly code: ProblemCode
  readonly message: string
  /** Nobody is told: the user asked for it. */
  readonly silent?: true
}

export type RefusedPods = { readonly pods: readonly Pod[]; readonly why: Refusal }
export type Admission = { readonly candidates: readonly Candidate[]; readonly refused: readonly RefusedPods[] }

export function admit(twins: readonly Twins[], volumes: VolumeIndex): Admission {
  const candidates: Candidate[] = []
  const refused: RefusedPods[] = []
  for (const each of twins) {
    const { pod } = each
    const why = refusalOf(pod)
    if (why !== undefined) {
      refused.push({ pods: each.pods(), why })
      continue
    }
    const needs = volumes(pod)
    if ('problem' in needs) refused.push({ pods: each.pods(), why: { code: 'POD.VOLUME', message: needs.problem } })
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
  return isOut ? { code: 'POD.OPT_OUT', message: `it asks for a node without the label ${LABEL.nodePool}`, silent: true } : undefined
}

function invalid(pod: Pod): Refusal | undefined {
  const selectors = Object.entries(pod.nodeSelector).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }))
  const expressions = (pod.requiredNodeTerms ?? []).flatMap((term) => term.matchExpressions)
  const problems = [...selectors, ...expressions].flatMap(validateRequirement)
  return problems.length === 0 ? undefined : { code: 'POD.INVALID', message: problems.map((each) => each.message).join('; ') }
}

function unsupported(pod: Pod): Refusal | undefined {
  if (pod.resourceClaims.length > 0) {
    return { code: 'POD.UNSUPPORTED_RESOURCE_CLAIM', message: 'resource claims are not handled yet; run the pod on a node that is there' }
  }
  const hasFields = (pod.requiredNodeTerms ?? []).some((term) => term.matchFields.length > 0)
  if (!hasFields) return undefined
  return { code: 'POD.UNSUPPORTED_MATCH_FIELDS', message: 'node affinity with matchFields names one machine, which no new machine can be' }
}
