import type { Pod, PodAffinity } from '../../shared/model/pod.ts'
import { heaviestFirst } from './podNeeds.ts'

/** The pod relaxed by one step, in Karpenter's order. Undefined if nothing is left to relax. */
export function relax(pod: Pod, mayBearSoftTaints: boolean): Pod | undefined {
  const terms = pod.requiredNodeTerms ?? []
  if (terms.length > 1) return { ...pod, requiredNodeTerms: terms.slice(1) }
  if (pod.podAffinity.preferred.length > 0) return { ...pod, podAffinity: withoutHeaviest(pod.podAffinity) }
  if (pod.podAntiAffinity.preferred.length > 0) return { ...pod, podAntiAffinity: withoutHeaviest(pod.podAntiAffinity) }
  if (pod.preferredNodeTerms.length > 0) return { ...pod, preferredNodeTerms: heaviestFirst(pod.preferredNodeTerms).slice(1) }
  const soft = pod.topologySpread.findIndex((each) => each.whenUnsatisfiable === 'ScheduleAnyway')
  if (soft >= 0) return { ...pod, topologySpread: withLastInPlaceOf(pod.topologySpread, soft) }
  return mayBearSoftTaints && !bearsSoftTaints(pod) ? { ...pod, tolerations: [...pod.tolerations, SOFT_TAINTS] } : undefined
}

/** A toleration of every PreferNoSchedule taint. */
export const SOFT_TAINTS = { operator: 'Exists', effect: 'PreferNoSchedule' } as const

function bearsSoftTaints({ tolerations }: Pod): boolean {
  return tolerations.some((each) => each.operator === 'Exists' && each.effect === 'PreferNoSchedule' && each.key === undefined)
}

function withoutHeaviest(affinity: PodAffinity): PodAffinity {
  return { ...affinity, preferred: heaviestFirst(affinity.preferred).slice(1) }
}

function withLastInPlaceOf<Item>(list: readonly Item[], index: number): readonly Item[] {
  const last = list.slice(-1)
  return index === list.length - 1 ? list.slice(0, -1) : [...list.slice(0, index), ...last, ...list.slice(index + 1, -1)]
}
