import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { PodDisruptionBudget } from '../../shared/model/workloads.ts'
import type { Random } from '../agreement/random.ts'
import { HOLDS_ALL } from '../builders/podDisruptionBudget.ts'

/** PodDisruptionBudgets for the labels of a share of the pods. Each allows 0 to 2 disruptions. */
export function randomBudgets(random: Random, pods: readonly Pod[], share: number): ClusterSnapshot['objects']['podDisruptionBudget'] {
  return pods
    .filter(({ labels }) => Object.keys(labels).length > 0 && random.chance(share))
    .map(({ key, labels }, at) => budget(key.split('/')[0] ?? '', `guard-${at}`, labels, random.int(3)))
}

/** The cluster with a PodDisruptionBudget for most of its workloads. The label `app` names the workload. Each budget allows 0 to 2 disruptions. */
export function withBudgets(given: ClusterSnapshot, random: Random): ClusterSnapshot {
  const { objects } = given
  const apps = [...new Set(objects.pod.map(({ labels }) => labels['app'] ?? ''))].sort()
  const podDisruptionBudget = apps
    .filter(() => random.chance(0.8))
    .map((app) => budget('default', `guard-${app}`, { app }, random.pick([0, 1, 1, 1, 2])))
  return { ...given, objects: { ...objects, podDisruptionBudget } }
}

function budget(namespace: string, name: string, matchLabels: Labels, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    ...HOLDS_ALL,
    key: objectKey(namespace, name),
    uid: uid(name),
    selector: { matchLabels, matchExpressions: [] },
    disruptionsAllowed,
  }
}
