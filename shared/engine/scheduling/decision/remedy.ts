/** What a user can do about a verdict: which field of which object to change. */
import type { ProblemCode } from '../../../model/problem.ts'
import type { NeighbourVerdict, Verdict } from './verdict.ts'

/** What to do, as an order in lower case. Undefined if the text of the verdict says so already, or if nothing can be done. */
export function remedyOf(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case 'pool':
      // The condition of a NodePool that is not ready may say what to do.
      return verdict.message.includes('to do: ') ? undefined : OF_POOL[verdict.code]
    case 'quota':
      return undefined
    case 'noTerm':
      return 'give each term of spec.affinity.nodeAffinity of the pod an expression, or remove it'
    case 'taints':
      return 'add a toleration to spec.tolerations of the pod, or use a nodepool without that taint'
    case 'labels':
    case 'sizes':
      return OF_LABELS[verdict.whose]
    case 'offering':
      return `allow more zones, instance types or capacity types in ${REQUIREMENTS}`
    case 'amount':
    case 'atOnce':
      return `lower the resource requests of the pod, or allow larger instance types in ${REQUIREMENTS}`
    case 'device':
      return deviceRemedy(verdict)
    case 'disks':
      return `mount fewer volumes in the pod, or allow instance types that attach more disks in ${REQUIREMENTS}`
    case 'daemons':
      return `lower the requests of the DaemonSets, or allow larger instance types in ${REQUIREMENTS}`
    case 'ports':
      return `change spec.containers.ports.hostPort of the pod${verdict.takenBy === 'daemons' ? ' or of the DaemonSet' : ''}`
    case 'daemonNeighbours':
      return 'change spec.affinity.podAntiAffinity of the pod or of the DaemonSet, or keep the DaemonSet off the nodes of the nodepool'
    case 'reservation':
      return 'make the reservation larger, or allow other capacity types in spec.template.spec.requirements of the nodepool'
    case 'limit':
      return `raise spec.limits.${verdict.resource} of the nodepool, or remove nodes of the nodepool`
    case 'minValues':
      return `lower minValues of ${verdict.label} in ${REQUIREMENTS}, or allow more values`
    case 'claim':
      return OF_CLAIMS[verdict.code]
    case 'neighbours':
      return verdict.left === undefined
        ? OF_RULES[verdict.rule]
        : 'make room on these nodes, or loosen spec.affinity.podAffinity of the pod'
    case 'neighboursTogether':
      return `loosen one of these rules in spec.affinity or spec.topologySpreadConstraints of the pod`
    case 'neighboursLeave':
      return remedyOf(verdict.verdict)
    case 'noRoom':
      return 'wait; the next decision looks at the pod again'
  }
}

function deviceRemedy({ resource, families, leftOutBy = [] }: Extract<Verdict, { kind: 'device' }>): string {
  if (families.length === 0)
    return `correct the name ${resource} in spec.containers.resources of the pod, or run the pod on an existing node`
  const fields = [
    ...new Set(
      leftOutBy.map(({ whose }) => (whose === 'pods' ? 'spec.nodeSelector or spec.affinity.nodeAffinity of the pod' : REQUIREMENTS)),
    ),
  ]
  return `allow sizes that have ${resource} in ${fields.join(' and ')}`
}

const REQUIREMENTS = 'spec.template.spec.requirements of the nodepool'

const OF_LABELS = {
  pods: 'change spec.nodeSelector or spec.affinity.nodeAffinity of the pod, or the labels and requirements in spec.template of the nodepool',
  volumes: `allow the place of the volumes in ${REQUIREMENTS} and in spec.affinity.nodeAffinity of the pod, or move a volume`,
  pool: `widen ${REQUIREMENTS}`,
  claim: `widen ${REQUIREMENTS}, for later nodeclaims`,
} as const

const OF_CLAIMS = {
  'SCHEDULING.CLAIM_INVALID': `change ${REQUIREMENTS}, or the labels that the pods require`,
  'SCHEDULING.CLAIM_REFUSED':
    'change spec.template of the nodepool, or the pods, to what the API server accepts, or change the admission policy that refuses it',
  'SCHEDULING.MIN_VALUES': `lower minValues in ${REQUIREMENTS}, or allow more values`,
} as const

const OF_RULES = {
  spread: 'allow more domains, or raise maxSkew in spec.topologySpreadConstraints of the pod',
  affinity: 'run such a pod where this pod may run, or loosen spec.affinity.podAffinity of the pod',
  antiAffinity: 'allow more domains, or loosen spec.affinity.podAntiAffinity of the pod',
  repelled: 'allow more domains, or loosen spec.affinity.podAntiAffinity of the other pods',
} as const satisfies { [rule in NeighbourVerdict['rule']]: string }

/** By the code of a NodePool that takes no part. Codes of Azure are left out: their messages say what to do. */
const OF_POOL: { readonly [code in ProblemCode]?: string } = {
  'POOL.STATIC': 'raise spec.replicas, or let the pod use another nodepool',
  'POOL.PAUSED': 'find out why the nodes of the nodepool do not join; a change of nodepool or aksnodeclass ends the pause',
  'POOL.NOT_READY': 'read the conditions of the nodepool',
  'POOL.NO_INSTANCE_TYPE': `change ${REQUIREMENTS}`,
  'NODECLASS.NOT_FOUND': 'create that aksnodeclass, or correct spec.template.spec.nodeClassRef of the nodepool',
  'NODECLASS.NOT_READY': 'read the conditions of the aksnodeclass',
}
