/** A promise of a plan that Kubernetes, a pool or Azure would not keep. */
export type Violation = {
  readonly rule: Rule
  /** The pod, claim, node or pool that the violation is about. */
  readonly subject: string
  readonly message: string
}

export type Rule =
  | 'name'
  | 'once'
  | 'pool'
  | 'taints'
  | 'instanceType'
  | 'choice'
  | 'target'
  | 'resources'
  | 'selector'
  | 'toleration'
  | 'hostPort'
  | 'volume'
  | 'attachLimit'
  | 'spread'
  | 'affinity'
  | 'antiAffinity'
  | 'limit'
  | 'reservation'
  | 'minValues'
  | 'definition'
  | 'resourceClaim'

export function violation(rule: Rule, subject: string, message: string): Violation {
  return { rule, subject, message }
}

export function describeViolation({ rule, subject, message }: Violation): string {
  return `${subject}: ${message} [${rule}]`
}
