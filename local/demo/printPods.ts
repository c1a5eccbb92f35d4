import type { Pod } from '../cluster/client/objects.ts'
import type { DemoOptions } from './demoOptions.ts'

/** How many pods, and when the first and the last of them were seen, in epoch milliseconds. */
type Gathered = { readonly count: number; readonly first: number; readonly last: number }

type PodPrinter = { readonly seen: (now: Pod | undefined, before: Pod | undefined) => void; readonly tick: () => void }

/** Pods that come together share a line. It is printed when no other pod came for QUIET_MS, or when the first has waited for GATHER_MS. */
const QUIET_MS = 300
const GATHER_MS = 3_000

/** Prints pods in groups: unschedulable pods, gathered for a moment, and the count once all pods of a group run. */
export function printPods({ print, now }: DemoOptions): PodPrinter {
  const pods = new Map<string, Pod>()
  const stranded = new Map<string, Gathered>()

  /** Printed when the last missing pod runs, not while pods go away. */
  function printCount(group: string): void {
    const own = [...pods.values()].filter((pod) => groupOf(pod) === group && pod.metadata.deletionTimestamp === undefined)
    if (own.every(isRunning)) print(`${own.length} of ${own.length} pods of ${group} run`)
  }

  function gather(group: string): void {
    const gathered = stranded.get(group) ?? { count: 0, first: now(), last: 0 }
    stranded.set(group, { ...gathered, count: gathered.count + 1, last: now() })
  }

  function present(pod: Pod, before: Pod | undefined): void {
    pods.set(podKeyOf(pod), pod)
    const group = groupOf(pod)
    const becameStranded = isUnschedulable(pod) && !(before && isUnschedulable(before))
    if (becameStranded) gather(group)
    if (before && isRunning(pod) && !isRunning(before)) printCount(group)
  }

  return {
    seen(pod, before) {
      if (pod) present(pod, before)
      else if (before) pods.delete(podKeyOf(before))
    },
    tick() {
      for (const [group, { count, first, last }] of stranded) {
        if (now() - last < QUIET_MS && now() - first < GATHER_MS) continue
        print(`${count === 1 ? '1 pod' : `${count} pods`} of ${group} cannot be scheduled`)
        stranded.delete(group)
      }
    },
  }
}

export function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running'
}

function podKeyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** Returns the group of a pod: the Deployment, Job or other owner of the pod. */
function groupOf(pod: Pod): string {
  const owner = pod.metadata.ownerReferences?.[0]
  const name = owner?.kind === 'ReplicaSet' ? owner.name.replace(/-[^-]+$/, '') : (owner?.name ?? pod.metadata.name)
  return `${pod.metadata.namespace}/${name}`
}

function isUnschedulable(pod: Pod): boolean {
  return pod.status?.conditions?.some((condition) => condition.type === 'PodScheduled' && condition.reason === 'Unschedulable') ?? false
}
