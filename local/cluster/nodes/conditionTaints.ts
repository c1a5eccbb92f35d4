import type { Node, Taint } from '../client/objects.ts'

const KEY = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
  memory: 'node.kubernetes.io/memory-pressure',
  disk: 'node.kubernetes.io/disk-pressure',
  pids: 'node.kubernetes.io/pid-pressure',
  network: 'node.kubernetes.io/network-unavailable',
  unschedulable: 'node.kubernetes.io/unschedulable',
} as const

const OURS: readonly string[] = Object.values(KEY)

/** Returns the taints that a node should have. Its conditions decide the taints named after conditions. All other taints stay. */
export function taintsByCondition(node: Node, now: string): readonly Taint[] {
  const known = node.spec.taints ?? []
  const wanted = wantedTaints(node)
  const kept = known.filter((taint) => !OURS.includes(taint.key) || wanted.some((each) => sameTaint(each, taint)))
  const added = wanted.filter((each) => !kept.some((taint) => sameTaint(each, taint))).map((taint) => ({ ...taint, timeAdded: now }))
  return [...kept, ...added]
}

function sameTaint(first: Taint, second: Taint): boolean {
  return first.key === second.key && first.effect === second.effect
}

function wantedTaints(node: Node): readonly Taint[] {
  const statusOf = (type: string) => node.status?.conditions?.find((condition) => condition.type === type)?.status
  const noSchedule = (key: string, is: boolean): readonly Taint[] => (is ? [{ key, effect: 'NoSchedule' }] : [])
  const ready = statusOf('Ready')
  // A node that never reported Ready is new, not lost.
  const lost = ready === 'Unknown' ? KEY.unreachable : ready === 'True' ? undefined : KEY.notReady
  return [
    ...noSchedule(lost ?? '', lost !== undefined),
    ...(lost !== undefined && ready !== undefined ? [{ key: lost, effect: 'NoExecute' }] : []),
    ...noSchedule(KEY.memory, statusOf('MemoryPressure') === 'True'),
    ...noSchedule(KEY.disk, statusOf('DiskPressure') === 'True'),
    ...noSchedule(KEY.pids, statusOf('PIDPressure') === 'True'),
    ...noSchedule(KEY.network, statusOf('NetworkUnavailable') === 'True'),
    ...noSchedule(KEY.unschedulable, node.spec.unschedulable === true),
  ]
}
