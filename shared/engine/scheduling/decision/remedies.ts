/** Remedies of verdicts that depend on more than the kind: which field of which object to change. */
import type { ProblemCode } from '../../../model/problem.ts'
import type { NeighbourVerdict, Verdict } from './verdict.ts'

export function deviceRemedy({ resource, families, leftOutBy = [] }: Extract<Verdict, { kind: 'device' }>): string {
  if (families.length === 0)
    return `correct the name ${resource} in spec.containers.resources of the pod, or run the pod on an existing node`
  const fields = [
    ...new Set(
      leftOutBy.map(({ whose }) => (whose === 'pods' ? 'spec.nodeSelector or spec.affinity.nodeAffinity of the pod' : REQUIREMENTS)),
    ),
  ]
  return `allow sizes that have ${resource} in ${fields.join(' and ')}`
}

export const REQUIREMENTS = 'spec.template.spec.requirements of the nodepool'

export const OF_LABELS = {
  pods: 'change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool',
  volumes: `allow the place of the volumes in ${REQUIREMENTS} and in spec.affinity.nodeAffinity of the pod, or move a volume`,
  pool: `widen ${REQUIREMENTS}`,
  claim: `widen ${REQUIREMENTS}, for later nodeclaims`,
} as const

export const OF_CLAIMS = {
  'SCHEDULING.CLAIM_INVALID': `change ${REQUIREMENTS}, or the labels that the pods require`,
  'SCHEDULING.CLAIM_REFUSED':
    'change spec.template of the nodepool, or the pods, to what the API server accepts, or change the admission policy that refuses it',
  'SCHEDULING.MIN_VALUES': `lower minValues in ${REQUIREMENTS}, or allow more values`,
} as const

export const OF_RULES = {
  spread: 'allow more domains, or raise maxSkew in spec.topologySpreadConstraints of the pod',
  affinity: 'run such a pod where this pod may run, or loosen spec.affinity.podAffinity of the pod',
  antiAffinity: 'allow more domains, or loosen spec.affinity.podAntiAffinity of the pod',
  repelled: 'allow more domains, or loosen spec.affinity.podAntiAffinity of the other pods',
} as const satisfies { [rule in NeighbourVerdict['rule']]: string }

/** By the code of a NodePool that takes no part. Codes of Azure are left out: their messages say what to do. */
export const OF_POOL: { readonly [code in ProblemCode]?: string } = {
  'POOL.STATIC': 'raise spec.replicas, or let the pod use another nodepool',
  'POOL.PAUSED': 'find out why the nodes of the nodepool do not join; a change of nodepool or aksnodeclass ends the pause',
  'POOL.NOT_READY': 'read the conditions of the nodepool',
  'POOL.NO_INSTANCE_TYPE': `change ${REQUIREMENTS}`,
  'NODECLASS.NOT_FOUND': 'create that aksnodeclass, or correct spec.template.spec.nodeClassRef of the nodepool',
  'NODECLASS.NOT_READY': 'read the conditions of the aksnodeclass',
}
