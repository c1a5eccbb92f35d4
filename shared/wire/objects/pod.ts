import type { NodeName, ObjectKey } from '../../model/ids.ts'
import type {
  HostPort,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodOwner,
  PodVolume,
  PreferredNodeTerm,
  TopologySpreadConstraint,
} from '../../model/pod.ts'
import type { Toleration } from '../../model/taint.ts'
import {
  as,
  type Codec,
  constant,
  integer,
  list,
  NO_ITEMS,
  oneOf,
  optional,
  orElse,
  type RecordCodec,
  record,
  repeated,
  text,
  union,
} from '../codec.ts'
import { instant, labelSelector, labels, requirementSpecs, resources, selectorTerms, texts, toleration, uidText } from './shared.ts'

/** The tolerations that admission adds to nearly every pod, in this order. Omitted from the text and shared in memory. */
const STANDARD_TOLERATIONS: readonly Toleration[] = Object.freeze(
  (['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const).map((key) =>
    Object.freeze({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 } as const),
  ),
)

const NO_AFFINITY: PodAffinity = Object.freeze({ required: NO_ITEMS, preferred: NO_ITEMS })

const affinityTerm: Codec<PodAffinityTerm> = record<PodAffinityTerm>({
  topologyKey: text,
  selector: optional(labelSelector),
  namespaces: texts,
  namespaceSelector: optional(labelSelector),
  matchLabelKeys: texts,
  mismatchLabelKeys: texts,
})

const affinity: Codec<PodAffinity> = orElse(
  record<PodAffinity>({
    required: orElse(list(affinityTerm), NO_ITEMS),
    preferred: orElse(list(record<PodAffinity['preferred'][number]>({ weight: integer, term: affinityTerm })), NO_ITEMS),
  }),
  NO_AFFINITY,
  ({ required, preferred }) => required.length === 0 && preferred.length === 0,
)

const spread: Codec<TopologySpreadConstraint> = record<TopologySpreadConstraint>({
  maxSkew: integer,
  topologyKey: text,
  whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
  selector: optional(labelSelector),
  minDomains: optional(integer),
  nodeAffinityPolicy: orElse(oneOf('Honor', 'Ignore'), 'Honor'),
  nodeTaintsPolicy: orElse(oneOf('Honor', 'Ignore'), 'Ignore'),
  matchLabelKeys: texts,
})

const volume: Codec<PodVolume> = union<PodVolume, 'kind'>('kind', {
  claim: record<Extract<PodVolume, { kind: 'claim' }>>({ kind: constant('claim'), claimName: text }),
  ephemeral: record<Extract<PodVolume, { kind: 'ephemeral' }>>({
    kind: constant('ephemeral'),
    claimName: text,
    storageClassName: optional(text),
  }),
  csi: record<Extract<PodVolume, { kind: 'csi' }>>({ kind: constant('csi'), driver: text }),
  other: record<Extract<PodVolume, { kind: 'other' }>>({ kind: constant('other'), type: text }),
})

export const pod: RecordCodec<Pod> = record<Pod>({
  key: as<ObjectKey>(text),
  uid: uidText,
  labels: repeated(labels),
  createdAt: instant,
  deletedAt: optional(instant),
  phase: orElse(oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'), 'Running'),
  nodeName: optional(as<NodeName>(text)),
  nominatedNodeName: optional(as<NodeName>(text)),
  nominatedAt: optional(instant),
  scheduledAt: optional(instant),
  startedAt: optional(instant),
  isUnready: optional(constant(true)),
  unschedulableSince: optional(instant),
  schedulerName: orElse(text, 'default-scheduler'),
  schedulingGates: texts,
  owner: optional(
    repeated(record<PodOwner>({ apiVersion: text, kind: text, name: text, uid: uidText, controls: optional(constant(false)) })),
  ),
  requests: repeated(resources),
  nodeSelector: repeated(labels),
  requiredNodeTerms: optional(repeated(selectorTerms)),
  preferredNodeTerms: repeated(
    orElse(
      list(
        record<PreferredNodeTerm>({ weight: integer, term: record({ matchExpressions: requirementSpecs, matchFields: requirementSpecs }) }),
      ),
      NO_ITEMS,
    ),
  ),
  tolerations: repeated(orElse(list(toleration), STANDARD_TOLERATIONS, areStandard)),
  topologySpread: repeated(orElse(list(spread), NO_ITEMS)),
  podAffinity: repeated(affinity),
  podAntiAffinity: repeated(affinity),
  hostPorts: orElse(list(record<HostPort>({ ip: text, port: integer, protocol: text })), NO_ITEMS),
  volumes: orElse(list(volume), NO_ITEMS),
  resourceClaims: texts,
  schedulingGroup: optional(text),
  priority: orElse(integer, 0),
  priorityClassName: optional(text),
  preemptionPolicy: orElse(oneOf('PreemptLowerPriority', 'Never'), 'PreemptLowerPriority'),
  terminationGracePeriodSeconds: optional(integer),
  annotations: repeated(labels),
})

/** Returns the tolerations, or the shared list if they are the standard ones. */
export function shareTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  return areStandard(tolerations) ? STANDARD_TOLERATIONS : tolerations
}

function areStandard(tolerations: readonly Toleration[]): boolean {
  return tolerations.length === STANDARD_TOLERATIONS.length && tolerations.every((one, index) => isSame(one, STANDARD_TOLERATIONS[index]))
}

function isSame(one: Toleration, other: Toleration | undefined): boolean {
  return (
    one.key === other?.key &&
    one.operator === other?.operator &&
    one.effect === other?.effect &&
    one.tolerationSeconds === other?.tolerationSeconds &&
    one.value === undefined
  )
}
