import type { Taint, Toleration } from './client/objects.ts'

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  const operator = toleration.operator || 'Equal'
  if (!toleration.key && operator !== 'Exists') return false
  return operator === 'Exists' || (operator === 'Equal' && (toleration.value ?? '') === (taint.value ?? ''))
}

/** Returns the first taint with one of the effects that no toleration tolerates. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find((taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint)))
}
