import { defined } from '../../base/values.ts'
import type { Condition } from '../../model/condition.ts'
import { nodeClassName, uid } from '../../model/ids.ts'
import type { Labels, Meta } from '../../model/labels.ts'
import type { DurationOrNever, NodeClassRef } from '../../model/nodePool.ts'
import type { LabelSelector } from '../../model/pod.ts'
import type { Taint } from '../../model/taint.ts'
import { parseDuration, parseDurationOrNever } from '../../model/time.ts'
import { type DurationMs, durationMs, epochMs } from '../../model/units.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { fail, instant, integer, items, type KubeRead, knownOr, mapOf, maybe, need, object, requirementSpec, text } from './read.ts'

/** Readers of parts that many kinds of objects have. */

export const labels: KubeRead<Labels> = mapOf(text)

/** `keepAnnotation` drops annotations that no decision depends on, so that their changes do not count as changes. */
export function metaOf(keepAnnotation: (key: string) => boolean): KubeRead<Meta> {
  const annotations = mapOf(text, keepAnnotation)
  return (json, trail) => {
    const source = object(json, trail)
    return defined({
      uid: uid(need(source, 'uid', text, trail)),
      labels: maybe(source, 'labels', labels, trail) ?? NO_LABELS,
      annotations: maybe(source, 'annotations', annotations, trail) ?? NO_LABELS,
      createdAt: maybe(source, 'creationTimestamp', instant, trail) ?? epochMs(0),
      deletedAt: maybe(source, 'deletionTimestamp', instant, trail),
      generation: maybe(source, 'generation', integer, trail) ?? 0,
      resourceVersion: maybe(source, 'resourceVersion', text, trail) ?? '',
      finalizers: items(source, 'finalizers', text, trail),
    })
  }
}

/** Reports whether the annotation is not kubectl's own. */
export function isOwnAnnotation(key: string): boolean {
  return key !== 'kubectl.kubernetes.io/last-applied-configuration'
}

/** An effect of a later version keeps pods off that do not tolerate the taint, and evicts none. */
const effect = knownOr('NoSchedule', 'NoSchedule', 'PreferNoSchedule', 'NoExecute')
/** A status of a later version says nothing that this version could act on. */
const conditionStatus: KubeRead<Condition['status']> = (json, trail) => STATUSES.find((each) => each === text(json, trail)) ?? 'Unknown'
const STATUSES = ['True', 'False', 'Unknown'] as const

export const taint: KubeRead<Taint> = (json, trail) => {
  const source = object(json, trail)
  const value = maybe(source, 'value', text, trail)
  return defined({
    key: need(source, 'key', text, trail),
    value: value === '' ? undefined : value,
    effect: need(source, 'effect', effect, trail),
  })
}

export const condition: KubeRead<Condition> = (json, trail) => {
  const source = object(json, trail)
  return {
    type: need(source, 'type', text, trail),
    status: need(source, 'status', conditionStatus, trail),
    reason: maybe(source, 'reason', text, trail) ?? '',
    message: maybe(source, 'message', text, trail) ?? '',
    // The heartbeat time is left out on purpose: it changes without a change of the condition.
    lastTransitionAt: maybe(source, 'lastTransitionTime', instant, trail) ?? epochMs(0),
    observedGeneration: maybe(source, 'observedGeneration', integer, trail) ?? 0,
  }
}

export const labelSelector: KubeRead<LabelSelector> = (json, trail) => {
  const source = object(json, trail)
  return {
    matchLabels: maybe(source, 'matchLabels', labels, trail) ?? NO_LABELS,
    matchExpressions: items(source, 'matchExpressions', requirementSpec, trail),
  }
}

export const duration: KubeRead<DurationMs> = (json, trail) => {
  const parsed = parseDuration(text(json, trail))
  return parsed.ok ? parsed.value : fail(trail, `is no duration (${parsed.error.message})`, durationMs(0))
}

export const durationOrNever: KubeRead<DurationOrNever> = (json, trail) => {
  const parsed = parseDurationOrNever(text(json, trail))
  return parsed.ok ? parsed.value : fail(trail, `is neither a duration nor Never (${parsed.error.message})`, 'Never')
}

export const nodeClassRef: KubeRead<NodeClassRef> = (json, trail) => {
  const source = object(json, trail)
  return {
    group: need(source, 'group', text, trail),
    kind: need(source, 'kind', text, trail),
    name: nodeClassName(need(source, 'name', text, trail)),
  }
}
