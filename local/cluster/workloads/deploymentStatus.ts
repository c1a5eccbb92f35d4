import type { Deployment, ReplicaSet } from '../client/objects.ts'
import { timestamp } from '../podState.ts'
import { available, limitsOf, sum } from './rollout.ts'

type Status = NonNullable<Deployment['status']>
type Condition = NonNullable<Status['conditions']>[number]

/** The status as `kubectl rollout status` and `kubectl wait` read it. */
export function deploymentStatus(deployment: Deployment, newSet: ReplicaSet | undefined, all: readonly ReplicaSet[], now: number): Status {
  const desired = deployment.spec.replicas ?? 1
  const replicas = sum(all, (set) => set.status?.replicas ?? 0)
  const availableReplicas = sum(all, available)
  const updatedReplicas = newSet?.status?.replicas ?? 0
  const complete = updatedReplicas === desired && replicas === desired && availableReplicas === desired
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas,
    updatedReplicas,
    readyReplicas: sum(all, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, desired + Math.max(0, replicas - desired) - availableReplicas),
  }
  const enough = availableReplicas >= desired - limitsOf(deployment).maxUnavailable
  const progressed = !sameCounts(deployment.status, counts)
  return { ...counts, conditions: [isAvailable(deployment, enough, now), isProgressing(deployment, { complete, progressed, newSet, now })] }
}

/** Reports whether writing the status would change nothing. */
export function sameStatus(known: Status | undefined, next: Status): boolean {
  return sameCounts(known, next) && JSON.stringify(bare(known?.conditions)) === JSON.stringify(bare(next.conditions))
}

const COUNTS = ['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'] as const

function sameCounts(known: Status | undefined, next: Status): boolean {
  return COUNTS.every((name) => (known?.[name] ?? 0) === (next[name] ?? 0))
}

function bare(conditions: readonly Condition[] | undefined): readonly string[] {
  return (conditions ?? []).map(({ type, status, reason, message }) => JSON.stringify([type, status, reason, message])).sort()
}

function isAvailable(deployment: Deployment, enough: boolean, now: number): Condition {
  return condition(deployment, now, {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
  })
}

type Progress = { readonly complete: boolean; readonly progressed: boolean; readonly newSet: ReplicaSet | undefined; readonly now: number }

function isProgressing(deployment: Deployment, { complete, progressed, newSet, now }: Progress): Condition {
  const name = newSet?.metadata.name ?? ''
  const known = knownCondition(deployment, 'Progressing')
  const next = (status: string, reason: string, what: string) =>
    condition(deployment, now, { type: 'Progressing', status, reason, message: `ReplicaSet "${name}" ${what}.` }, progressed)
  if (complete) return next('True', 'NewReplicaSetAvailable', 'has successfully progressed')
  // A completed rollout stays complete while pods come and go.
  if (known?.reason === 'NewReplicaSetAvailable' && known.message?.includes(`"${name}"`) === true) return known
  const isStuck = !progressed && (known?.reason === 'ProgressDeadlineExceeded' || isLate(deployment, known, now))
  return isStuck
    ? next('False', 'ProgressDeadlineExceeded', 'has timed out progressing')
    : next('True', 'ReplicaSetUpdated', 'is progressing')
}

function isLate(deployment: Deployment, known: Condition | undefined, now: number): boolean {
  const since = known?.lastUpdateTime === undefined ? now : Date.parse(known.lastUpdateTime)
  return now - since > (deployment.spec.progressDeadlineSeconds ?? 600) * 1000
}

type NextCondition = Pick<Condition, 'type' | 'status'> & { readonly reason: string; readonly message: string }

function condition(deployment: Deployment, now: number, next: NextCondition, moved = false): Condition {
  const known = knownCondition(deployment, next.type)
  const at = timestamp(now)
  if (known === undefined || known.status !== next.status) return { ...next, lastTransitionTime: at, lastUpdateTime: at }
  const same = known.reason === next.reason && known.message === next.message && !moved
  return { ...next, lastTransitionTime: known.lastTransitionTime ?? at, lastUpdateTime: same ? (known.lastUpdateTime ?? at) : at }
}

function knownCondition(deployment: Deployment, type: string): Condition | undefined {
  return deployment.status?.conditions?.find((each) => each.type === type)
}
