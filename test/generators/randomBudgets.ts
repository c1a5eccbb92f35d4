import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { Random } from '../agreement/random.ts'

/** PodDisruptionBudgets for the labels of a share of the pods. Each allows 0 to 2 disruptions. */
export function randomBudgets(random: Random, pods: readonly Pod[], share: number): ClusterSnapshot['objects']['podDisruptionBudget'] {
  return pods
    .filter(({ labels }) => Object.keys(labels).length > 0 && random.chance(share))
    .map(({ key, labels }, at) => ({
      key: objectKey(key.split('/')[0] ?? '', `guard-${at}`),
      uid: uid(`guard-${at}`),
      selector: { matchLabels: labels, matchExpressions: [] },
      disruptionsAllowed: random.int(3),
      unhealthyPodEvictionPolicy: 'IfHealthyBudget' as const,
      conditions: [],
    }))
}

/** The cluster with a PodDisruptionBudget for most of its workloads. The label `app` names the workload. Each budget allows 0 to 2 disruptions. */
export function withBudgets(given: ClusterSnapshot, random: Random): ClusterSnapshot {
  const { objects } = given
  const apps = [...new Set(objects.pod.map(({ labels }) => labels['app'] ?? ''))].sort()
  const podDisruptionBudget = apps
    .filter(() => random.chance(0.8))
    .map((app) => ({
      key: objectKey('default', `guard-${app}`),
      uid: uid(`guard-${app}`),
      selector: { matchLabels: { app }, matchExpressions: [] },
      disruptionsAllowed: random.pick([0, 1, 1, 1, 2]),
      unhealthyPodEvictionPolicy: 'IfHealthyBudget' as const,
      conditions: [],
    }))
  return { ...given, objects: { ...objects, podDisruptionBudget } }
}
