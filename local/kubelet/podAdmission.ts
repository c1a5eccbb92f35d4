import { ownValue } from '../../shared/base/values.ts'
import type { Pod } from '../cluster/client/objects.ts'
import { type Amounts, add, podRequests } from '../cluster/quantity.ts'

/** Returns why a kubelet rejects a pod that was bound to it. The kubelet checks again what the scheduler should have checked. */
export function refusalOf(
  pod: Pod,
  allocatable: Amounts,
  others: readonly Pod[],
): { readonly reason: string; readonly message: string } | undefined {
  const requests = podRequests(pod.spec)
  const used = others.reduce<Amounts>((sum, other) => add(sum, podRequests(other.spec)), {})
  const short = Object.keys(requests).find(
    (resource) =>
      (ownValue(requests, resource) ?? 0) > 0 &&
      (ownValue(used, resource) ?? 0) + (ownValue(requests, resource) ?? 0) > (ownValue(allocatable, resource) ?? 0),
  )
  if (short === undefined) return undefined
  const [requested, taken, capacity] = [ownValue(requests, short) ?? 0, ownValue(used, short) ?? 0, ownValue(allocatable, short) ?? 0]
  const message = `Node didn't have enough resource: ${short}, requested: ${requested}, used: ${taken}, capacity: ${capacity}`
  return { reason: `OutOf${short}`, message }
}
