import type { Condition } from '../../model/condition.ts'
import { type ClusterId, clusterId, type NodeClassName, type ObjectKey, type Uid } from '../../model/ids.ts'
import type { Labels, Meta } from '../../model/labels.ts'
import type { DurationOrNever, NodeClassRef } from '../../model/nodePool.ts'
import type { LabelSelector, NodeSelectorTerm, PodRef } from '../../model/pod.ts'
import { PROBLEM_CODES, type Problem } from '../../model/problem.ts'
import type { Operator, RequirementSpec } from '../../model/requirements.ts'
import type { Resources } from '../../model/resources.ts'
import type { Taint, TaintEffect, Toleration } from '../../model/taint.ts'
import type { DurationMs, EpochMs } from '../../model/units.ts'
import { as, type Codec, dictionary, fail, flag, integer, list, NO_ITEMS, number, oneOf, optional, orElse, record, text } from '../codec.ts'

/** Codecs of parts that many objects have. */

export const NO_LABELS: Labels = Object.freeze({})

export const instant: Codec<EpochMs> = as(integer)
export const duration: Codec<DurationMs> = as(integer)
export const uidText: Codec<Uid> = as(text)
export const podRef: Codec<PodRef> = record<PodRef>({ key: as<ObjectKey>(text), uid: uidText })
export const labels: Codec<Labels> = orElse(dictionary(text), NO_LABELS)
export const resources: Codec<Resources> = orElse(dictionary(integer), NO_LABELS as unknown as Resources)
export const texts: Codec<readonly string[]> = orElse(list(text), NO_ITEMS)

export const durationOrNever: Codec<DurationOrNever> = {
  read: (json, trail) =>
    json === 'Never' || Number.isSafeInteger(json) ? (json as DurationOrNever) : fail(trail, 'must be a number of milliseconds or Never'),
  write: (value) => value,
}

const operator: Codec<Operator> = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte')

const requirementSpec: Codec<RequirementSpec> = record<RequirementSpec>({
  key: text,
  operator,
  values: texts,
  minValues: optional(integer),
})
export const requirementSpecs: Codec<readonly RequirementSpec[]> = orElse(list(requirementSpec), NO_ITEMS)

export const selectorTerms: Codec<readonly NodeSelectorTerm[]> = list(
  record<NodeSelectorTerm>({ matchExpressions: requirementSpecs, matchFields: requirementSpecs }),
)

export const labelSelector: Codec<LabelSelector> = record<LabelSelector>({ matchLabels: labels, matchExpressions: requirementSpecs })

const effect: Codec<TaintEffect> = oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')

export const taints: Codec<readonly Taint[]> = orElse(list(record<Taint>({ key: text, value: optional(text), effect })), NO_ITEMS)

export const toleration: Codec<Toleration> = record<Toleration>({
  key: optional(text),
  operator: orElse(oneOf('Exists', 'Equal', 'Lt', 'Gt'), 'Equal'),
  value: optional(text),
  effect: optional(effect),
  tolerationSeconds: optional(integer),
})

export const conditions: Codec<readonly Condition[]> = orElse(
  list(
    record<Condition>({
      type: text,
      status: oneOf('True', 'False', 'Unknown'),
      reason: orElse(text, ''),
      message: orElse(text, ''),
      lastTransitionAt: instant,
      observedGeneration: orElse(integer, 0),
    }),
  ),
  NO_ITEMS,
)

export const meta: Codec<Meta> = record<Meta>({
  uid: uidText,
  labels,
  annotations: labels,
  createdAt: instant,
  deletedAt: optional(instant),
  generation: orElse(integer, 0),
  resourceVersion: orElse(text, ''),
  finalizers: texts,
})

export const nodeClassRef: Codec<NodeClassRef> = record<NodeClassRef>({ group: text, kind: text, name: as<NodeClassName>(text) })

const scalar: Codec<string | number | boolean> = {
  read: (json, trail) =>
    typeof json === 'string' || typeof json === 'boolean' || Number.isFinite(json)
      ? (json as string | number | boolean)
      : fail(trail, 'must be a text, a number, true or false'),
  write: (value) => value,
}

export const problemCodec: Codec<Problem> = record<Problem>({
  code: oneOf(...PROBLEM_CODES),
  message: text,
  path: optional(text),
  object: optional(text),
  fields: optional(dictionary(scalar)),
  retryAfterMs: optional(number),
  isLocal: optional(flag),
})

const CLUSTER_ID = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/

export const clusterIdText: Codec<ClusterId> = {
  read: (value, trail) =>
    typeof value === 'string' && CLUSTER_ID.test(value)
      ? clusterId(value)
      : fail(trail, 'must be 1 to 40 lower case letters, digits and dashes, with a letter or digit at both ends'),
  write: (value) => value,
}
