import type { ObjectKind } from './clusterObjects.ts'

/** An object that a decision left out, since the decision about a cluster with it fails. That is a bug of Joiner: the object may be valid. */
export type LeftOut = {
  readonly kind: ObjectKind | 'instanceType'
  /** `name` or `namespace/name`. Instance types: `nodeclass/size`. Empty if it cannot be read. */
  readonly name: string
  /** How the decision failed. */
  readonly failure: string
}
