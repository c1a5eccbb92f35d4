import { TAINT_KEY } from './labels.ts'

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'

export type Taint = { readonly key: string; readonly value?: string; readonly effect: TaintEffect }

export type Toleration = {
  /** Absent with operator Exists: tolerates every key. */
  readonly key?: string
  readonly operator: 'Exists' | 'Equal' | 'Lt' | 'Gt'
  readonly value?: string
  /** Absent: tolerates every effect. */
  readonly effect?: TaintEffect
  readonly tolerationSeconds?: number
}

/** Kubernetes' match of one toleration against one taint; Lt and Gt ask the taint's number to lie below or above. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  const value = toleration.value ?? ''
  switch (toleration.operator) {
    case 'Exists':
      return true
    case 'Equal':
      return value === (taint.value ?? '')
    case 'Lt':
      return isBelow(taint.value ?? '', value)
    case 'Gt':
      return isBelow(value, taint.value ?? '')
  }
}

/** The taints nobody tolerates, PreferNoSchedule among them: making those soft is the caller's relaxation. */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): readonly Taint[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
}

/** Tolerates every taint that only asks to be avoided. */
export const SOFT: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' }

/** Those taints cannot keep its owner away. */
export function toleratesEverySoftTaint({ operator, key, effect }: Toleration): boolean {
  return operator === 'Exists' && key === undefined && (effect === undefined || effect === 'PreferNoSchedule')
}

/** Taints of a node that is still coming up: they go away by themselves and do not count before initialization. */
export function isEphemeral(taint: Taint): boolean {
  if (taint.key.startsWith(TAINT_KEY.readinessPrefix)) return true
  return EPHEMERAL.some(([key, effect]) => taint.key === key && taint.effect === effect)
}

/** Same key and effect: the second would replace the first on a node. */
export function isSameTaint(first: Taint, second: Taint): boolean {
  return first.key === second.key && first.effect === second.effect
}

/** `key=value:effect`; the value only when there is one. */
export function formatTaint(taint: Taint): string {
  return `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`
}

const EPHEMERAL: readonly (readonly [key: string, effect: TaintEffect])[] = [
  [TAINT_KEY.notReady, 'NoSchedule'],
  [TAINT_KEY.notReady, 'NoExecute'],
  [TAINT_KEY.unreachable, 'NoSchedule'],
  [TAINT_KEY.cloudProviderUninitialized, 'NoSchedule'],
  [TAINT_KEY.unregistered, 'NoExecute'],
]

function isBelow(first: string, second: string): boolean {
  return INTEGER.test(first) && INTEGER.test(second) && BigInt(first) < BigInt(second)
}

const INTEGER = /^-?[0-9]{1,19}$/
