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
