/** Volume claims that one pod may use at a time, and claims whose node kube-scheduler has chosen. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf, nodeName } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import type { PersistentVolumeClaim } from '../../shared/model/workloads.ts'
import type { Random } from '../agreement/random.ts'

export function withVolumeRules(random: Random, snapshot: ClusterSnapshot): ClusterSnapshot {
  const { node, persistentVolumeClaim: claims } = snapshot.objects
  const nodes = [nodeName('gone'), ...node.map(({ name }) => name)]
  const persistentVolumeClaim = claims.map((each): PersistentVolumeClaim => {
    const selected = each.volumeName === undefined && random.chance(0.4) ? { selectedNode: random.pick(nodes) } : {}
    return { ...each, ...selected, ...(random.chance(0.4) ? { isOncePod: true } : {}) }
  })
  // Some running pods have the claims that others wait for.
  const waiting = snapshot.objects.pod.filter((each) => each.nodeName === undefined && each.volumes.length > 0)
  const pod = snapshot.objects.pod.map((each): Pod => {
    const near = waiting.filter((other) => namespaceOf(other) === namespaceOf(each))
    return each.nodeName !== undefined && near.length > 0 && random.chance(0.35) ? { ...each, volumes: random.pick(near).volumes } : each
  })
  return { ...snapshot, objects: { ...snapshot.objects, persistentVolumeClaim, pod } }
}
