import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'

/** The smallest cluster that still fails, found by removing one thing at a time. The rest is what causes the failure. */
export function smallest(given: ClusterSnapshot, fails: (snapshot: ClusterSnapshot) => boolean): ClusterSnapshot {
  let now = given
  for (let isShrinking = true; isShrinking; ) {
    isShrinking = false
    for (const smaller of smallerThan(now)) {
      if (!failsSafely(fails, smaller)) continue
      now = smaller
      isShrinking = true
      break
    }
  }
  return now
}

function failsSafely(fails: (snapshot: ClusterSnapshot) => boolean, snapshot: ClusterSnapshot): boolean {
  try {
    return fails(snapshot)
  } catch {
    return false
  }
}

function* smallerThan(now: ClusterSnapshot): Generator<ClusterSnapshot> {
  const kinds = [
    'pod',
    'node',
    'nodeClaim',
    'nodePool',
    'daemonSet',
    'csiNode',
    'persistentVolumeClaim',
    'persistentVolume',
    'storageClass',
  ] as const
  for (const kind of kinds) {
    for (const list of withoutOne<unknown>(now.objects[kind])) yield { ...now, objects: { ...now.objects, [kind]: list } }
  }
  for (const drafts of withoutOne(now.drafts)) yield { ...now, drafts }
  for (const [name, types] of now.instanceTypes)
    for (const list of withoutOne(types)) yield { ...now, instanceTypes: new Map([[name, list]]) }
  for (const [index, pod] of now.objects.pod.entries()) {
    for (const plainer of plainerThan(pod)) yield { ...now, objects: { ...now.objects, pod: now.objects.pod.with(index, plainer) } }
  }
  for (const [index, pool] of now.objects.nodePool.entries()) {
    const { template } = pool
    const plainer = [
      ...withoutOne(template.requirements).map((requirements) => ({ ...pool, template: { ...template, requirements } })),
      ...withoutOne(template.taints).map((taints) => ({ ...pool, template: { ...template, taints } })),
      ...(Object.keys(pool.limits).length > 0 ? [{ ...pool, limits: {} }] : []),
    ]
    for (const each of plainer) yield { ...now, objects: { ...now.objects, nodePool: now.objects.nodePool.with(index, each) } }
  }
}

function plainerThan(pod: Pod): readonly Pod[] {
  const { requiredNodeTerms, podAffinity, podAntiAffinity } = pod
  const { requiredNodeTerms: _, ...withoutTerms } = pod
  return [
    ...(requiredNodeTerms === undefined ? [] : [withoutTerms]),
    ...(Object.keys(pod.nodeSelector).length > 0 ? [{ ...pod, nodeSelector: {} }] : []),
    ...withoutOne(pod.preferredNodeTerms).map((preferredNodeTerms) => ({ ...pod, preferredNodeTerms })),
    ...withoutOne(pod.topologySpread).map((topologySpread) => ({ ...pod, topologySpread })),
    ...withoutOne(pod.tolerations).map((tolerations) => ({ ...pod, tolerations })),
    ...withoutOne(pod.volumes).map((volumes) => ({ ...pod, volumes })),
    ...withoutOne(pod.hostPorts).map((hostPorts) => ({ ...pod, hostPorts })),
    ...withoutOne(podAffinity.required).map((required) => ({ ...pod, podAffinity: { ...podAffinity, required } })),
    ...withoutOne(podAffinity.preferred).map((preferred) => ({ ...pod, podAffinity: { ...podAffinity, preferred } })),
    ...withoutOne(podAntiAffinity.required).map((required) => ({ ...pod, podAntiAffinity: { ...podAntiAffinity, required } })),
    ...withoutOne(podAntiAffinity.preferred).map((preferred) => ({ ...pod, podAntiAffinity: { ...podAntiAffinity, preferred } })),
  ]
}

function withoutOne<Item>(list: readonly Item[]): readonly (readonly Item[])[] {
  return list.map((_, index) => list.toSpliced(index, 1))
}
