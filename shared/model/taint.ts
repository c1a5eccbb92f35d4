import { TAINT_KEY } from './labels.ts'

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'

export type Taint = { readonly key: string; readonly value?: string; readonly effect: TaintEffect }

export type Toleration = {
  /** Undefined with operator Exists: tolerates every key. */
  readonly key?: string
  readonly operator: 'Exists' | 'Equal' | 'Lt' | 'Gt'
  readonly value?: string
  /** Undefined: tolerates every effect. */
  readonly effect?: TaintEffect
  readonly tolerationSeconds?: number
}

/**
 * Reports whether the toleration tolerates the taint, as Kubernetes defines it. With Lt or Gt the taint's number must be below or above the
 * toleration's number.
 */
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

/**
 * Returns the taints without a matching toleration, PreferNoSchedule included. Callers that treat PreferNoSchedule as soft add a toleration for it.
 */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): readonly Taint[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
}

/** Tolerates every PreferNoSchedule taint. */
export const SOFT: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' }

/** Reports whether PreferNoSchedule taints never affect a pod with this toleration. */
export function toleratesEverySoftTaint({ operator, key, effect }: Toleration): boolean {
  return operator === 'Exists' && key === undefined && (effect === undefined || effect === 'PreferNoSchedule')
}

/** Reports whether the taint belongs to a node that starts. Such taints go away by themselves and do not count before initialization. */
export function isEphemeral(taint: Taint): boolean {
  if (taint.key.startsWith(TAINT_KEY.readinessPrefix)) return true
  return EPHEMERAL.some(([key, effect]) => taint.key === key && taint.effect === effect)
}

/** Reports whether two taints have the same key and effect. On a node, one replaces the other. */
export function isSameTaint(first: Taint, second: Taint): boolean {
  return first.key === second.key && first.effect === second.effect
}

/** Formats a taint as `key=value:effect`, or `key:effect` without a value. */
export function formatTaint(taint: Taint): string {
  return `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`
}

/** Returns the taints that decide where pods go. The taint of planned nodes only asks the scheduler to prefer others. */
export function withoutPlanned(taints: readonly Taint[]): readonly Taint[] {
  return taints.some(isPlanned) ? taints.filter((taint) => !isPlanned(taint)) : taints
}

/** Reports whether the taint says that its node is planned to go. */
export function isPlanned({ key, effect }: Taint): boolean {
  return key === TAINT_KEY.disruptionPlanned && effect === 'PreferNoSchedule'
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
