import type { Reply } from '../http/reply.ts'
import { type ResourceCall, readOne, requireBody } from '../http/resourceHandler.ts'
import { StatusError } from '../http/statusError.ts'
import { at, listAt, numberAt, objectAt, textAt } from '../object/json.ts'
import { isDeleting, type KubeObject } from '../object/kubeObject.ts'
import { specSelector } from '../resources/selectors.ts'
import { type Api, timestamp } from './api.ts'
import { deleteObject, readDeleteOptions } from './delete.ts'
import { readWriteOptions } from './writeOptions.ts'

const BUDGETS = 'poddisruptionbudgets.policy'
const CREATED: Reply = { code: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } }

/** Deletes a pod if its PodDisruptionBudgets allow. Drains use this API. */
export function evictPod(api: Api, call: ResourceCall): Reply {
  const { target, query } = call
  const body = requireBody(call)
  const pod = readOne(api, target)
  const options = readDeleteOptions(at(body, 'deleteOptions'), query)
  const dryRun = options.dryRun || readWriteOptions(query, call.request.headers['user-agent']).dryRun
  if (needsBudget(pod)) {
    const budgets = guarding(api, pod)
    if (budgets.length > 1)
      throw new StatusError({
        code: 500,
        reason: 'InternalError',
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      })
    const [budget] = budgets
    if (budget) spend(api, budget, pod, dryRun)
  }
  deleteObject(api, target.resource, { namespace: target.namespace, name: target.name }, { ...options, dryRun })
  return CREATED
}

/** Pods that have ended, are pending, or are being deleted need no budget. */
function needsBudget(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase')
  return phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending' && !isDeleting(pod)
}

function guarding(api: Api, pod: KubeObject): readonly KubeObject[] {
  const labels = pod.metadata.labels ?? {}
  return api.store
    .list(BUDGETS, pod.metadata.namespace ?? '')
    .filter((budget) => at(budget, 'spec', 'selector') !== undefined && specSelector(objectAt(budget, 'spec', 'selector'))(labels))
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some((condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True')
}

interface Health {
  readonly current: number
  readonly desired: number
  readonly allowed: number
  readonly observed: number
}

function healthOf(budget: KubeObject): Health {
  const count = (member: string): number => numberAt(budget, 'status', member) ?? 0
  return {
    current: count('currentHealthy'),
    desired: count('desiredHealthy'),
    allowed: count('disruptionsAllowed'),
    observed: count('observedGeneration'),
  }
}

/** Reports whether an unready pod may be evicted: enough other pods are healthy, or the policy of the budget always allows it. */
function goesUnready(budget: KubeObject, pod: KubeObject, health: Health): boolean {
  if (isReady(pod)) return false
  return textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow' || (health.desired > 0 && health.current >= health.desired)
}

function spend(api: Api, budget: KubeObject, pod: KubeObject, dryRun: boolean): void {
  const health = healthOf(budget)
  const name = budget.metadata.name ?? ''
  if (goesUnready(budget, pod, health)) return
  if (health.observed < (budget.metadata.generation ?? 0))
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10)
  if (health.allowed <= 0) {
    throw tooMany(`The disruption budget ${name} needs ${health.desired} healthy pods and has ${health.current} currently`, undefined)
  }
  if (dryRun) return
  const disrupted = { ...objectAt(budget, 'status', 'disruptedPods'), [pod.metadata.name ?? '']: timestamp(api.now()) }
  const status = { ...objectAt(budget, 'status'), disruptionsAllowed: health.allowed - 1, disruptedPods: disrupted }
  api.store.replace(BUDGETS, { ...budget, status })
}

function tooMany(cause: string, retryAfterSeconds: number | undefined): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message: cause }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  })
}
