/** Kubernetes' rules for one pod and one node, written from the API documentation again. The checker must not share a mistake with the engine. */
import { ownValue } from '../../shared/base/values.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import type { Taint, Toleration } from '../../shared/model/taint.ts'

const OLD_NAMES: { readonly [key: string]: string } = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  // The disk driver's own label for the zone.
  'topology.disk.csi.azure.com/zone': 'topology.kubernetes.io/zone',
}

export function meetsExpression(expression: RequirementSpec, value: string | undefined): boolean {
  const [bound] = expression.values
  switch (expression.operator) {
    case 'In':
      return expression.values.some((each) => each === value)
    case 'NotIn':
      return expression.values.every((each) => each !== value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return numberOf(value) > Number(bound)
    case 'Lt':
      return numberOf(value) < Number(bound)
    case 'Gte':
      return numberOf(value) >= Number(bound)
    case 'Lte':
      return numberOf(value) <= Number(bound)
  }
}

/** Node selector and required node affinity. All pairs and any one of the terms must match. A term without expressions matches nothing. */
export function runsOn(pod: Pod, labels: Labels): boolean {
  const selected = Object.entries(pod.nodeSelector).every(([key, value]) => ownValue(labels, nameOf(key)) === value)
  const terms = pod.requiredNodeTerms
  if (!selected || terms === undefined) return selected
  return terms.some(
    (term) =>
      term.matchExpressions.length > 0 && term.matchExpressions.every((each) => meetsExpression(each, ownValue(labels, nameOf(each.key)))),
  )
}

/** Taints with PreferNoSchedule do not exclude a pod. */
export function toleratesAll(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  return hard.every((taint) => tolerations.some((each) => toleratesOne(each, taint)))
}

export function nameOf(key: string): string {
  return ownValue(OLD_NAMES, key) ?? key
}

export function isGoneFrom(pod: Pod): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed'
}

export function isOfDaemonSet(pod: Pod): boolean {
  return pod.owner?.apiVersion === 'apps/v1' && pod.owner.kind === 'DaemonSet'
}

/** Reports whether a taint does not count before initialization: a startup taint, one that is removed automatically, or a hard undeclared one. */
export function isPassing(
  taint: Taint,
  declared: { readonly taints: readonly Taint[]; readonly startupTaints: readonly Taint[] },
): boolean {
  const isOne = (each: Taint): boolean => each.key === taint.key && each.effect === taint.effect
  if (declared.startupTaints.some(isOne) || PASSING.includes(taint.key) || taint.key.startsWith('readiness.k8s.io/')) return true
  return taint.effect !== 'PreferNoSchedule' && !STANDING.includes(taint.key) && !declared.taints.some(isOne)
}

/** Taints that are set on purpose: by a disruption or by a cordon. */
const STANDING: readonly string[] = ['karpenter.sh/disrupted', 'node.kubernetes.io/unschedulable']

const PASSING: readonly string[] = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'karpenter.sh/unregistered',
]

function toleratesOne(toleration: Toleration, taint: Taint): boolean {
  const sameEffect = toleration.effect === undefined || toleration.effect === taint.effect
  const sameKey = toleration.key === undefined || toleration.key === '' || toleration.key === taint.key
  if (!sameEffect || !sameKey) return false
  if (toleration.operator === 'Exists') return true
  if (toleration.operator === 'Equal') return (toleration.value ?? '') === (taint.value ?? '')
  const [mine, its] = [Number(toleration.value), Number(taint.value)]
  return toleration.operator === 'Gt' ? its > mine : its < mine
}

/** The integer that the text holds, or NaN, which compares with no number. */
function numberOf(value = ''): number {
  return /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN
}
