import type { Pod } from '../../shared/model/pod.ts'

/** Tries the pods in turn and repeats the failed ones, until a whole round places no pod. Returns the reasons of the pods that are left. */
export function runQueue(pods: readonly Pod[], place: (pod: Pod) => string | undefined): ReadonlyMap<Pod['key'], string> {
  const queue = [...pods]
  const lengthAtFailure = new Map<Pod, number>()
  const failed = new Map<Pod['key'], string>()
  for (let pod = queue[0]; pod !== undefined; pod = queue[0]) {
    if (lengthAtFailure.get(pod) === queue.length) break
    queue.shift()
    const problem = place(pod)
    if (problem === undefined) {
      failed.delete(pod.key)
      continue
    }
    failed.set(pod.key, problem)
    queue.push(pod)
    lengthAtFailure.set(pod, queue.length)
  }
  return failed
}
