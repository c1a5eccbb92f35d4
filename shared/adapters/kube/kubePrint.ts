import { defined } from '../../base/defined.ts'
import type { Condition } from '../../model/condition.ts'
import { formatDuration } from '../../model/duration.ts'
import { FINALIZER, LABEL } from '../../model/labels.ts'
import type { NodeClaimDraft, NodeClaimStatus } from '../../model/nodeClaim.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { formatAmount } from '../../model/quantity.ts'
import type { Resources } from '../../model/resources.ts'
import { RESOURCE } from './kubePaths.ts'

/** RFC 3339 with whole seconds, as the API server stores times. */
export function printTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

export function printResources(resources: Resources): { readonly [resource: string]: string } {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, formatAmount(name, amount)]))
}

/** A merge patch from one map to another: what is gone is null. */
export function replacedResources(before: Resources, after: Resources): { readonly [resource: string]: string | null } {
  const gone = Object.keys(before).filter((name) => !(name in after))
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...printResources(after) }
}

export function printConditions(conditions: readonly Condition[]): readonly object[] {
  return conditions.map(({ lastTransitionAt, ...condition }) => ({ ...condition, lastTransitionTime: printTime(lastTransitionAt) }))
}

/** The finalizer is there from the first moment: no machine is ever launched for a claim that could vanish unnoticed. */
export function printClaim(draft: NodeClaimDraft, owner: NodePool | undefined): object {
  const { apiVersion, kind } = RESOURCE.nodeClaim
  const ownerReferences = owner && [
    { apiVersion: RESOURCE.nodePool.apiVersion, kind: RESOURCE.nodePool.kind, name: owner.name, uid: owner.meta.uid, blockOwnerDeletion: true },
  ]
  const labels = { ...draft.labels, [LABEL.nodePool]: draft.nodePool }
  const metadata = defined({ name: draft.name, labels, annotations: draft.annotations, finalizers: [FINALIZER], ownerReferences })
  return { apiVersion, kind, metadata, spec: printSpec(draft) }
}

function printSpec({ spec }: NodeClaimDraft): object {
  return defined({
    nodeClassRef: spec.nodeClassRef,
    requirements: spec.requirements,
    resources: { requests: printResources(spec.requests) },
    taints: orUndefined(spec.taints),
    startupTaints: orUndefined(spec.startupTaints),
    expireAfter: formatDuration(spec.expireAfter),
    terminationGracePeriod: spec.terminationGracePeriod === undefined ? undefined : formatDuration(spec.terminationGracePeriod),
  })
}

export function printClaimStatus(before: NodeClaimStatus, after: NodeClaimStatus): object {
  return defined({
    conditions: printConditions(after.conditions),
    nodeName: after.nodeName,
    providerID: after.providerId,
    imageID: after.imageId,
    capacity: replacedResources(before.capacity, after.capacity),
    allocatable: replacedResources(before.allocatable, after.allocatable),
    lastPodEventTime: after.lastPodEventAt === undefined ? undefined : printTime(after.lastPodEventAt),
  })
}

function orUndefined<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list
}
