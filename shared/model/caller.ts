import type { ClusterId } from './ids.ts'

/** Returns the identity of a service account of a cluster. `subject` is its name at the API server, `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountIdentity(cluster: ClusterId, subject: string): string {
  return `${cluster}:${subject}`
}
