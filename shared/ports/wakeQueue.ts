import type { ClusterId } from '../model/ids.ts'
import type { AbortSignalLike } from './clock.ts'

/** The stored queue by which a process that ends makes another one find the work of a cluster. */
export interface WakeQueue {
  wake(cluster: ClusterId, signal: AbortSignalLike): Promise<void>
}
