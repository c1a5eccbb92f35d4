/** Checks one node and the pods planned for it. Other nodes do not matter here. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { HostPort, Pod } from '../../shared/model/pod.ts'
import { isOfDaemonSet, runsOn, toleratesAll } from './kubernetesRules.ts'
import type { NodeView } from './nodeView.ts'
import { type Violation, violation } from './violation.ts'
import { attachedBy, volumeProblemOn } from './volumeRules.ts'

export function checkFit(snapshot: ClusterSnapshot, view: NodeView, pods: readonly Pod[]): readonly Violation[] {
  if (pods.length === 0) return []
  return [
    ...checkResources(view, pods),
    ...checkPorts(view, pods),
    ...checkDisks(snapshot, view, pods),
    ...pods.flatMap((pod) => {
      const problem = volumeProblemOn(snapshot, pod, view.labels)
      return [
        ...(runsOn(pod, view.labels) ? [] : [violation('selector', `pod ${pod.key}`, `must not run on ${view.title} by its selectors`)]),
        ...(toleratesAll(pod.tolerations, view.taints)
          ? []
          : [violation('toleration', `pod ${pod.key}`, `does not tolerate the taints of ${view.title}`)]),
        ...(problem === undefined ? [] : [violation('volume', `pod ${pod.key}`, `${problem} on ${view.title}`)]),
      ]
    }),
  ]
}

function totalOf(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const { requests } of pods)
    for (const name of Object.keys(requests)) total.set(name, (total.get(name) ?? 0) + (ownValue(requests, name) ?? 0))
  return total
}

/** DaemonSet requests count to the extent that running DaemonSet pods do not use them yet. */
function checkResources({ allocatable, bound, daemons, title }: NodeView, pods: readonly Pod[]): readonly Violation[] {
  const expected = totalOf(daemons)
  const present = totalOf(bound.filter(isOfDaemonSet))
  return [...totalOf([...bound, ...pods])].flatMap(([name, asked]) => {
    const has = ownValue(allocatable, name) ?? 0
    const amount = asked + Math.max(0, (expected.get(name) ?? 0) - (present.get(name) ?? 0))
    const isAsked = pods.some((pod) => (ownValue(pod.requests, name) ?? 0) > 0)
    return amount > has && isAsked ? [violation('resources', title, `it has ${has} ${name}, ${amount} would be asked of it`)] : []
  })
}

/** The host ports of DaemonSet pods that are not bound yet count as taken. */
function checkPorts({ bound, daemons, title }: NodeView, pods: readonly Pod[]): readonly Violation[] {
  const present = new Set(bound.filter(isOfDaemonSet).map(({ owner }) => owner?.uid))
  const taken = [...bound, ...daemons.filter(({ owner }) => !present.has(owner?.uid))].map((pod) => ({ pod, isNew: false }))
  const all = [...taken, ...pods.map((pod) => ({ pod, isNew: true }))]
  return all.flatMap(({ pod, isNew }, index) =>
    all
      .slice(0, index)
      .filter((other) => isNew && !(isOfDaemonSet(pod) && isOfDaemonSet(other.pod)) && portsMeet(pod.hostPorts, other.pod.hostPorts))
      .map((other) => violation('hostPort', `pod ${pod.key}`, `wants a host port that ${other.pod.key} has on ${title}`)),
  )
}

function portsMeet(some: readonly HostPort[], others: readonly HostPort[]): boolean {
  const isAny = (ip: string): boolean => ip === '' || ip === '0.0.0.0' || ip === '::'
  return some.some((one) =>
    others.some(
      (other) => one.port === other.port && one.protocol === other.protocol && (one.ip === other.ip || isAny(one.ip) || isAny(other.ip)),
    ),
  )
}

/** Checks only drivers for which the plan attaches a volume: other drivers may be beyond their limit already. */
function checkDisks(snapshot: ClusterSnapshot, { bound, diskLimits, title }: NodeView, pods: readonly Pod[]): readonly Violation[] {
  const there = attachedBy(snapshot, bound)
  const all = attachedBy(snapshot, [...bound, ...pods])
  const more = [...all].filter(([driver, claims]) => claims.size > (there.get(driver)?.size ?? 0))
  return more.flatMap(([driver]) => {
    const count = all.get(driver)?.size ?? 0
    const limit = ownValue(diskLimits, driver)
    return limit !== undefined && count > limit
      ? [violation('attachLimit', title, `${count} volumes of ${driver}, it can attach ${limit}`)]
      : []
  })
}
