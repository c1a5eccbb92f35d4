import type { Pod } from './pod.ts'

/** A place in the order in which waiting pods are planned: the place of a pod with this size and age. The pod itself may be gone. */
export type ProvisioningCursor = Pick<Pod, 'requests' | 'createdAt' | 'uid'>
