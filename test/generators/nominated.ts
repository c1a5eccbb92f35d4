/** Nominations by kube-scheduler: of nodes that stay, that end or that are gone, written lately or long ago. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { nodeName } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { epochMs } from '../../shared/model/units.ts'
import type { Random } from '../agreement/random.ts'
import { MINUTE } from '../builders/clock.ts'

type Given = Pick<ClusterSnapshot, 'takenAt'> & { readonly objects: Pick<ClusterSnapshot['objects'], 'node'> }

/** The pending pod with a nomination. */
export function nominated(random: Random, pod: Pod, { takenAt, objects: { node } }: Given): Pod {
  const { nominatedAt: _, nominatedNodeName: __, ...rest } = pod
  const name = node.length === 0 || random.chance(0.1) ? nodeName('gone') : random.pick(node).name
  const made = { ...rest, nominatedNodeName: name }
  return random.chance(0.3) ? made : { ...made, nominatedAt: epochMs(takenAt - random.int(14) * MINUTE) }
}

/** The snapshot with nominations of some of its pending pods. */
export function withNominated(random: Random, snapshot: ClusterSnapshot, share = 0.4): ClusterSnapshot {
  const pod = snapshot.objects.pod.map((each) =>
    each.nodeName === undefined && random.chance(share) ? nominated(random, each, snapshot) : each,
  )
  return { ...snapshot, objects: { ...snapshot.objects, pod } }
}
