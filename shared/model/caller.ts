import type { ClusterId } from './ids.ts'

/** How a service account of a cluster is named among callers. `subject` is its name to the API server, `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountIdentity(cluster: ClusterId, subject: string): string {
  return `${cluster}:${subject}`
}
