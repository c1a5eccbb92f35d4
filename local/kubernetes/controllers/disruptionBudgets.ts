import { ownValue } from '../../../shared/base/values.ts'
import { asText, at, isObject, type Json, type JsonObject, listAt, numberAt, objectAt, sameJson, textAt } from '../object/json.ts'
import { isDeleting, type KubeObject, nameOf, namespaceOf, ownersOf, withMember } from '../object/kubeObject.ts'
import { specSelector } from '../resources/selectors.ts'
import { type Api, timestamp } from '../verbs/api.ts'
import type { Controller } from './controller.ts'

const BUDGETS = 'poddisruptionbudgets.policy'
const WATCHED = new Set(['pods', BUDGETS, 'deployments.apps', 'replicasets.apps', 'statefulsets.apps'])
/** How long an eviction counts against its budget while the pod is not yet being deleted. */
const DISRUPTED_MS = 120_000

/** Maintains the status of PodDisruptionBudgets: how many pods are healthy, how many must be, and how many may be disrupted. */
export function createDisruptionBudgetController(api: Api): Controller {
  const dirty = new Set<string>()
  return {
    wantsToRun: (event) => {
      if (!WATCHED.has(event.resource) || api.store.count(BUDGETS) === 0) return false
      dirty.add(namespaceOf(event.object))
      return true
    },
    reconcile: () => {
      for (const namespace of dirty) for (const budget of api.store.list(BUDGETS, namespace)) update(api, budget)
      dirty.clear()
    },
  }
}

function update(api: Api, budget: KubeObject): void {
  const status = computeStatus(api, budget)
  if (!sameJson(status, budget['status'])) api.store.replace(BUDGETS, withMember(budget, 'status', status))
}

function computeStatus(api: Api, budget: KubeObject): JsonObject {
  const pods = guarded(api, budget)
  const disrupted = stillDisrupted(api, budget, pods)
  const currentHealthy = pods.filter((pod) => !isDeleting(pod) && ownValue(disrupted, nameOf(pod)) === undefined && isReady(pod)).length
  const wanted = desired(api, budget, pods)
  const allowed = wanted === undefined || wanted.expected <= 0 ? 0 : Math.max(0, currentHealthy - wanted.healthy)
  return {
    conditions: conditions(api, budget, wanted === undefined ? 'SyncFailed' : allowed > 0 ? 'SufficientPods' : 'InsufficientPods'),
    currentHealthy,
    desiredHealthy: wanted?.healthy ?? lastKnown(budget, 'desiredHealthy'),
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    disruptionsAllowed: allowed,
    expectedPods: wanted?.expected ?? lastKnown(budget, 'expectedPods'),
    observedGeneration: budget.metadata.generation ?? 1,
  }
}

function lastKnown(budget: KubeObject, member: string): number {
  return numberAt(budget, 'status', member) ?? 0
}

function guarded(api: Api, budget: KubeObject): readonly KubeObject[] {
  const selector = at(budget, 'spec', 'selector')
  if (!isObject(selector)) return []
  const matches = specSelector(selector)
  return api.store.list('pods', namespaceOf(budget)).filter((pod) => {
    const phase = textAt(pod, 'status', 'phase')
    return matches(pod.metadata.labels ?? {}) && phase !== 'Succeeded' && phase !== 'Failed'
  })
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some((condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True')
}

function stillDisrupted(api: Api, budget: KubeObject, pods: readonly KubeObject[]): JsonObject {
  const entries = Object.entries(objectAt(budget, 'status', 'disruptedPods')).filter(([name, since]) => {
    const pod = pods.find((candidate) => nameOf(candidate) === name)
    return pod !== undefined && !isDeleting(pod) && Date.parse(asText(since)) + DISRUPTED_MS > api.now()
  })
  return Object.fromEntries(entries)
}

/** Returns undefined if a bound needs the number of expected pods and a pod has no controller with a scale. */
function desired(
  api: Api,
  budget: KubeObject,
  pods: readonly KubeObject[],
): { readonly expected: number; readonly healthy: number } | undefined {
  const most = at(budget, 'spec', 'maxUnavailable')
  const least = at(budget, 'spec', 'minAvailable')
  if (most === undefined && typeof least === 'number') return { expected: pods.length, healthy: least }
  const expected = expectedScale(api, pods)
  if (expected === undefined) return undefined
  if (most !== undefined) return { expected, healthy: Math.max(0, expected - resolve(most, expected)) }
  return least === undefined ? { expected, healthy: 0 } : { expected, healthy: resolve(least, expected) }
}

function resolve(bound: Json, total: number): number {
  return typeof bound === 'number' ? bound : Math.ceil((Number.parseInt(asText(bound), 10) * total) / 100)
}

const SCALED: { readonly [kind: string]: string } = {
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
  Deployment: 'deployments.apps',
}

function expectedScale(api: Api, pods: readonly KubeObject[]): number | undefined {
  const scales = new Map<string, number>()
  for (const pod of pods) {
    const holder = topController(api, pod)
    if (!holder) return undefined
    scales.set(holder.metadata.uid ?? '', numberAt(holder, 'spec', 'replicas') ?? 1)
  }
  return [...scales.values()].reduce((total, replicas) => total + replicas, 0)
}

function topController(api: Api, object: KubeObject): KubeObject | undefined {
  const owner = ownersOf(object).find((candidate) => candidate.controller === true)
  const resource = owner && ownValue(SCALED, owner.kind)
  const holder = resource === undefined ? undefined : api.store.get(resource, namespaceOf(object), owner?.name ?? '')
  if (!holder) return undefined
  return holder.kind === 'ReplicaSet' ? (topController(api, holder) ?? holder) : holder
}

function conditions(api: Api, budget: KubeObject, reason: 'SyncFailed' | 'SufficientPods' | 'InsufficientPods'): readonly Json[] {
  const known = listAt(budget, 'status', 'conditions')
  const before = known.find((condition) => at(condition, 'type') === 'DisruptionAllowed')
  const status = reason === 'SufficientPods' ? 'True' : 'False'
  const since = before !== undefined && at(before, 'status') === status ? textAt(before, 'lastTransitionTime') : timestamp(api.now())
  return [
    ...known.filter((condition) => at(condition, 'type') !== 'DisruptionAllowed'),
    {
      type: 'DisruptionAllowed',
      status,
      reason,
      message: '',
      lastTransitionTime: since,
      observedGeneration: budget.metadata.generation ?? 1,
    },
  ]
}
