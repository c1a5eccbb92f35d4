/** The pods that need a place, and those of them that are ignored. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { ANNOTATION, LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { validateRequirement } from '../../shared/model/requirementSpecs.ts'
import { operatorOf } from '../../shared/model/requirements.ts'
import { parseDuration } from '../../shared/model/time.ts'
import type { Algebra } from './algebra.ts'
import type { Machine } from './machines.ts'
import type { Quirks } from './oracleAnswer.ts'
import { podNeeds } from './podNeeds.ts'
import { NO_VOLUMES, volumeProblem } from './volumes.ts'

export type Admission = {
  /** Accepted pending pods, and the reschedulable pods of machines that are being deleted. */
  readonly batch: readonly Pod[]
  readonly ignored: ReadonlyMap<Pod['key'], string>
}

export function admit(snapshot: ClusterSnapshot, machines: readonly Machine[], algebra: Algebra, quirks: Quirks): Admission {
  const ignored = new Map<Pod['key'], string>()
  const batch: Pod[] = []
  for (const pod of snapshot.objects.pod.filter((each) => isProvisionable(each, quirks))) {
    const problem = problemOf(pod, snapshot, algebra)
    if (problem === undefined) batch.push(pod)
    else ignored.set(pod.key, `ignoring pod, ${problem}`)
  }
  const moving = machines.filter((each) => each.isDeleting && each.node !== undefined).flatMap(({ pods }) => pods)
  return { batch: [...batch, ...moving.filter((pod) => isReschedulable(pod, snapshot.takenAt))], ignored }
}

function isProvisionable(pod: Pod, quirks: Quirks): boolean {
  if (pod.unschedulableSince === undefined || pod.nodeName !== undefined || pod.nominatedNodeName !== undefined) return false
  // Joiner ignores terminating and gated pods, too.
  if (quirks === 'fixed' && (pod.deletedAt !== undefined || pod.schedulingGates.length > 0 || pod.phase !== 'Pending')) return false
  return !isOwnedBy(pod, 'apps/v1', 'DaemonSet') && !isOwnedBy(pod, 'v1', 'Node')
}

function isReschedulable(pod: Pod, now: number): boolean {
  if (isOwnedBy(pod, 'apps/v1', 'DaemonSet') || isOwnedBy(pod, 'v1', 'Node')) return false
  if (pod.deletedAt !== undefined) return isOwnedBy(pod, 'apps/v1', 'StatefulSet')
  const wish = pod.annotations[ANNOTATION.doNotDisrupt]
  if (wish === undefined) return true
  const duration = parseDuration(wish)
  if (wish === 'true') return false
  const isOver = pod.startedAt !== undefined && duration.ok && now >= pod.startedAt + duration.value
  return !duration.ok || duration.value <= 0 || isOver
}

function isOwnedBy({ owner }: Pod, apiVersion: string, kind: string): boolean {
  return owner?.apiVersion === apiVersion && owner.kind === kind
}

function problemOf(pod: Pod, { objects, settings }: ClusterSnapshot, algebra: Algebra): string | undefined {
  const { full } = podNeeds(pod, NO_VOLUMES, algebra, settings.preferencePolicy === 'Respect')
  const pool = full.get(LABEL.nodePool)
  if (pool !== undefined && operatorOf(pool) === 'DoesNotExist') return 'configured to not run on a provisioned node'
  const selectors = Object.entries(pod.nodeSelector).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }))
  const terms = pod.requiredNodeTerms ?? []
  if (terms.some((term) => term.matchFields.length > 0)) return 'node selector term with matchFields is not supported'
  const [invalid] = [...selectors, ...terms.flatMap((term) => term.matchExpressions)].flatMap(validateRequirement)
  return invalid?.message ?? volumeProblem(pod, objects)
}
