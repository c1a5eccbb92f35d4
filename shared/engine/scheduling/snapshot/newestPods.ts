import type { Uid } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'

/** The newest pod of each DaemonSet: admission may have changed what the template says. */
export interface NewestPods {
  add(pod: Pod): void
  remove(pod: Pod): void
  of(owner: Uid): Pod | undefined
}

export function createNewestPods(): NewestPods {
  const pods = new Map<Uid, Set<Pod>>()
  const newest = new Map<Uid, Pod>()

  function note(owner: Uid, pod: Pod): void {
    const known = newest.get(owner)
    if (known === undefined || isNewer(pod, known)) newest.set(owner, pod)
  }

  return {
    of: (owner) => newest.get(owner),
    add(pod) {
      if (pod.owner === undefined) return
      const { uid } = pod.owner
      pods.set(uid, (pods.get(uid) ?? new Set()).add(pod))
      note(uid, pod)
    },
    remove(pod) {
      if (pod.owner === undefined) return
      const { uid } = pod.owner
      const own = pods.get(uid)
      own?.delete(pod)
      if (newest.get(uid) !== pod) return
      newest.delete(uid)
      for (const other of own ?? []) note(uid, other)
    },
  }
}

function isNewer(pod: Pod, than: Pod): boolean {
  return pod.createdAt > than.createdAt || (pod.createdAt === than.createdAt && pod.uid > than.uid)
}
