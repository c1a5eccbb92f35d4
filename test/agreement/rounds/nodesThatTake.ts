import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { checkFit } from '../../checker/fitRules.ts'
import { refusalNow } from '../../checker/interPodRules.ts'
import { nodesOf } from '../../checker/nodes.ts'
import { viewOfNode } from '../../checker/nodeView.ts'

/** Names of the nodes that take the pod now, by the rules of kube-scheduler as the checker has them. */
export function nodesThatTake(snapshot: ClusterSnapshot, pod: Pod): readonly string[] {
  const { node, namespace } = snapshot.objects
  const nodes = nodesOf(
    node.map((each) => viewOfNode(snapshot, each)),
    namespace,
  )
  const takes = nodes.all.filter((each) => checkFit(snapshot, each.view, [pod]).length === 0 && refusalNow(pod, each, nodes) === undefined)
  return takes.map(({ view }) => view.name)
}
