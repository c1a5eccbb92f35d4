/** What users read about each kind of verdict: one row a kind. */
import type { ProblemCode } from '../../../model/problem.ts'
import type { Fields, NeighbourVerdict, Verdict } from './verdict.ts'
import {
  claimText,
  deviceText,
  limitText,
  neighbourText,
  offeringText,
  portsText,
  shortfallText,
  shown,
  sizesText,
  togetherText,
} from './verdictTexts.ts'

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

type Row<Each extends Verdict> = {
  /** The code that Events and reasons carry. */
  code(verdict: Each): ProblemCode
  /** The verdict in words: lower case, without a final stop, with amounts as a manifest writes them. */
  text(verdict: Each): string
  /** What to do, as an order in lower case. Undefined if the text says so already, or if nothing can be done. */
  remedy(verdict: Each): string | undefined
  /** The numbers and names of the verdict, as a Reason carries them. Absent if the verdict has none. */
  fields?(verdict: Each): Fields | undefined
}

const NEIGHBOUR_CODES = {
  spread: 'SCHEDULING.SPREAD',
  affinity: 'SCHEDULING.AFFINITY',
  antiAffinity: 'SCHEDULING.ANTI_AFFINITY',
  repelled: 'SCHEDULING.ANTI_AFFINITY',
} as const satisfies { [rule in NeighbourVerdict['rule']]: ProblemCode }

const LARGER = `allow larger instance types in ${REQUIREMENTS}`

const TABLE: { readonly [Kind in Verdict['kind']]: Row<Extract<Verdict, { kind: Kind }>> } = {
  pool: {
    code: ({ code }) => code,
    text: ({ message }) => message,
    // The condition of a NodePool that is not ready may say what to do.
    remedy: ({ code, message }) => (message.includes('to do: ') ? undefined : OF_POOL[code]),
    fields: ({ fields }) => fields,
  },
  noTerm: {
    code: () => 'SCHEDULING.REQUIREMENT',
    text: () => 'the required node affinity of the pod matches no node',
    remedy: () => 'give each term of spec.affinity.nodeAffinity of the pod an expression, or remove it',
  },
  taints: {
    code: () => 'SCHEDULING.TAINT',
    text: ({ taints }) => `untolerated taint ${taints.join(', ')}`,
    remedy: () => 'add a toleration to spec.tolerations of the pod, or use a nodepool without that taint',
  },
  labels: {
    code: codeOfLabels,
    text: ({ message }) => message,
    remedy: ({ whose }) => OF_LABELS[whose],
  },
  sizes: {
    code: codeOfLabels,
    text: sizesText,
    remedy: ({ whose }) => OF_LABELS[whose],
  },
  quota: {
    code: ({ code }) => code,
    text: ({ message }) => message,
    remedy: () => undefined,
    fields: ({ quota, region, limit, used }) => ({ quota, region, limit, used }),
  },
  offering: {
    code: () => 'SCHEDULING.OFFERING',
    text: offeringText,
    remedy: () => `allow more zones, instance types or capacity types in ${REQUIREMENTS}`,
    fields: ({ instanceTypes }) => (instanceTypes === undefined ? undefined : { instanceTypes }),
  },
  amount: {
    code: () => 'SCHEDULING.RESOURCES',
    text: shortfallText,
    remedy: () => `lower the resource requests of the pod, or ${LARGER}`,
    fields: ({ resource, asked, had, shortBy }) => ({ resource, asked, had, shortBy }),
  },
  device: {
    code: () => 'SCHEDULING.RESOURCES',
    text: deviceText,
    remedy: deviceRemedy,
    fields: ({ resource, asked }) => ({ resource, asked, had: 0, shortBy: asked }),
  },
  disks: {
    code: () => 'SCHEDULING.VOLUME',
    text: shortfallText,
    remedy: () => `mount fewer volumes in the pod, or allow instance types that attach more disks in ${REQUIREMENTS}`,
    fields: ({ driver, asked, had, shortBy }) => ({ driver, asked, had, shortBy }),
  },
  atOnce: {
    code: () => 'SCHEDULING.RESOURCES',
    text: ({ instanceTypes }) => `none of ${instanceTypes} instance types has enough of every resource at once`,
    remedy: () => `lower the resource requests of the pod, or ${LARGER}`,
  },
  daemons: {
    code: () => 'SCHEDULING.RESOURCES',
    text: ({ instanceTypes }) =>
      `the DaemonSets alone request more than ${instanceTypes === undefined ? 'it has' : `any of ${instanceTypes} instance types has`}`,
    remedy: () => `lower the requests of the DaemonSets, or ${LARGER}`,
  },
  ports: {
    code: () => 'SCHEDULING.PORT',
    text: portsText,
    remedy: ({ takenBy }) => `change spec.containers.ports.hostPort of the pod${takenBy === 'daemons' ? ' or of the DaemonSet' : ''}`,
  },
  daemonNeighbours: {
    code: () => 'SCHEDULING.ANTI_AFFINITY',
    text: ({ daemonSets }) => `pod anti-affinity keeps the pod off nodes with DaemonSet ${daemonSets.join(', ')}`,
    remedy: () =>
      'change spec.affinity.podAntiAffinity of the pod or of the DaemonSet, or keep the DaemonSet off the nodes of the nodepool',
  },
  reservation: {
    code: () => 'SCHEDULING.RESERVATION',
    text: ({ reservation }) => `reservation ${reservation} has no capacity left`,
    remedy: () => 'make the reservation larger, or allow other capacity types in spec.template.spec.requirements of the nodepool',
    fields: ({ reservation }) => ({ reservation }),
  },
  limit: {
    code: () => 'POOL.LIMIT',
    text: limitText,
    remedy: ({ resource }) => `raise spec.limits.${resource} of the nodepool, or remove nodes of the nodepool`,
    fields: ({ resource, asked, had, shortBy }) => ({ resource, asked, had, shortBy }),
  },
  minValues: {
    code: () => 'SCHEDULING.MIN_VALUES',
    text: ({ label, wanted, had }) => `minValues of ${label} is ${wanted}, the instance types that fit have ${had}`,
    remedy: ({ label }) => `lower minValues of ${label} in ${REQUIREMENTS}, or allow more values`,
    fields: ({ label, wanted, had }) => ({ label, wanted, had }),
  },
  claim: {
    code: ({ code }) => code,
    text: claimText,
    remedy: ({ code }) => OF_CLAIMS[code],
  },
  neighbours: {
    code: ({ rule }) => NEIGHBOUR_CODES[rule],
    text: (verdict) => neighbourText(verdict, verdictText),
    remedy: ({ rule, left }) =>
      left === undefined ? OF_RULES[rule] : 'make room on these nodes, or loosen spec.affinity.podAffinity of the pod',
  },
  neighboursTogether: {
    code: ({ rules }) => NEIGHBOUR_CODES[rules[0]?.rule ?? 'affinity'],
    text: togetherText,
    remedy: () => 'loosen one of these rules in spec.affinity or spec.topologySpreadConstraints of the pod',
  },
  neighboursLeave: {
    code: ({ verdict }) => codeOf(verdict),
    text({ domains, verdict }) {
      const left = domains.map(({ label, values }) => `${label} ${shown(label, values)}`)
      return `rules about other pods allow only ${left.join(' and ')}: ${verdictText(verdict)}`
    },
    remedy: ({ verdict }) => remedyOf(verdict),
    fields: ({ verdict }) => fieldsOf(verdict),
  },
  noRoom: {
    code: () => 'SCHEDULING.RESOURCES',
    text: () => 'other pods of this decision take the room',
    remedy: () => 'wait; the next decision looks at the pod again',
  },
}

export function codeOf(verdict: Verdict): ProblemCode {
  return rowOf(verdict).code(verdict)
}

export function verdictText(verdict: Verdict): string {
  return rowOf(verdict).text(verdict)
}

export function remedyOf(verdict: Verdict): string | undefined {
  return rowOf(verdict).remedy(verdict)
}

export function fieldsOf(verdict: Verdict): Fields | undefined {
  return rowOf(verdict).fields?.(verdict)
}

function rowOf({ kind }: Verdict): Row<Verdict> {
  return TABLE[kind]
}

function codeOfLabels({ whose }: Extract<Verdict, { kind: 'labels' | 'sizes' }>): ProblemCode {
  return whose === 'volumes' ? 'SCHEDULING.VOLUME' : 'SCHEDULING.REQUIREMENT'
}
